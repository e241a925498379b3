"""Keys in a form: they fill it in, in the order in which they are pressed, and are never taken for commands."""

from typing import Any, ClassVar

import pytest
from textual import events
from textual.binding import BindingType
from textual.pilot import Pilot
from textual.widget import Widget

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.hosting import FormHost, hosted, objects
from workbench.model.forms.form import Form
from workbench.tui.widgets.form.children import Children
from workbench.tui.widgets.form.field_actions import omit_field, remove_item, toggle_items
from workbench.tui.widgets.form.groups import GroupHead
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.widgets.form.text import LineEditor

TEXTS = {"type": "array", "items": {"type": "string"}}


def required(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with these properties, all of them required."""
    return {**objects(**properties), "required": list(properties)}


def burst(app: FormHost, *keys: str) -> None:
    """Press keys faster than anything can happen in between, as a slow line delivers them."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None))


async def at_first(pilot: Pilot[None], app: FormHost) -> None:
    """Go to the first field, as a user does who opens a tool."""
    app.editor.focus_first()
    await pilot.pause()


@pytest.mark.parametrize(
    "schema",
    [
        TEXTS,
        {"type": "object", "additionalProperties": {"type": "string"}},
        objects(b={"type": "string"}),
        {"anyOf": [objects(b={"type": "string"}), {"type": "null"}], "default": None},
        {"type": "array", "items": TEXTS},
        {"anyOf": [TEXTS, {"type": "null"}]},
        {"anyOf": [objects(b={"type": "string"}), TEXTS, {"type": "string"}]},
    ],
)
@pytest.mark.parametrize("is_required", [True, False])
async def test_the_focus_begins_in_sight_in_the_first_field(schema: Any, is_required: bool) -> None:
    whole = (required if is_required else objects)(a=schema, z={"type": "string"})
    async with hosted(whole) as (pilot, app):
        await at_first(pilot, app)
        assert app.focused is not None
        assert app.focused.region
        assert app.row("a") in app.focused.ancestors


async def test_the_arrows_go_from_field_to_field_where_the_editor_has_no_use_for_them() -> None:
    schema = required(
        n={"type": "number"}, a={"type": "string"}, f={"type": "boolean"}, g=objects(x={"type": "string"})
    )
    async with hosted(schema, {"n": 1, "a": "x", "f": True, "g": {"x": "y"}}) as (pilot, app):
        await at_first(pilot, app)
        places = [("n",), ("a",), ("f",), ("g",), ("g", "x"), ("g", "x"), ("g",), ("f",), ("a",), ("n",), ("n",)]
        for key, path in zip(["", *["down"] * 5, *["up"] * 5], places, strict=True):
            await pilot.press(*filter(None, [key]))
            await until(lambda path=path: getattr(app.editor.view.focused_row, "field", app.form.root).path == path)
        await pilot.press("2", "down", "z")
        await until(lambda: app.form.value() == {"n": 2, "a": "z", "f": True, "g": {"x": "y"}})


async def test_enter_on_an_empty_list_adds_its_first_item_and_further_items_follow() -> None:
    async with hosted(required(a=TEXTS, price={"type": "number"}), with_items=True) as (pilot, app):
        await at_first(pilot, app)
        await pilot.press("enter")
        await until(lambda: isinstance(app.focused, LineEditor))
        await pilot.press(*"soup", "enter", "enter")
        await until(lambda: ("a", 1) in app.paths())
        await pilot.press(*"tea", "tab", "tab", *"3.5")
        await pilot.pause()
        assert app.form.value() == {"a": ["soup", "tea"], "price": 3.5}


async def test_typing_on_an_empty_list_goes_into_a_new_item_and_so_for_further_items() -> None:
    async with hosted(required(a=TEXTS), with_items=True) as (pilot, app):
        await at_first(pilot, app)
        await pilot.press(*"soup", "enter", *"tea", "enter", *"2 x cake")
        await pilot.pause()
        assert app.form.value() == {"a": ["soup", "tea", "2 x cake"]}


async def test_keys_that_come_all_at_once_fill_in_a_list_just_the_same() -> None:
    async with hosted(required(a=TEXTS), with_items=True) as (pilot, app):
        await at_first(pilot, app)
        burst(app, "enter", *"soup", "enter", *"tea", "enter", *"cake")
        await until(lambda: app.form.value() == {"a": ["soup", "tea", "cake"]})
        await pilot.pause()
        assert app.form.value() == {"a": ["soup", "tea", "cake"]}


async def test_keys_typed_ahead_wait_for_the_first_rows_of_a_form() -> None:
    async with hosted(required(a=TEXTS), with_items=True) as (_, app):
        app.editor.show(Form(required(name={"type": "string"}, times={"type": "integer"})))
        app.editor.focus_first()
        burst(app, *"Adam", "backspace", "enter", *"12")
        await until(lambda: app.editor.form is not None and app.editor.form.value() == {"name": "Ada", "times": 12})


class Commands(FormHost):
    """An app with commands on all letters and digits, which remembers those that were run."""

    BINDINGS: ClassVar[list[BindingType]] = [(key, f"run('{key}')") for key in "abcdefghijklmnopqrstuvwxyz123456"]

    def __init__(self, form: Form) -> None:
        super().__init__(form)
        self.was_run: list[str] = []

    def action_run(self, key: str) -> None:
        self.was_run.append(key)


EVERYTHING = objects(
    texts=TEXTS,
    lists={"type": "array", "items": TEXTS},
    group=objects(b={"type": "string"}),
    loud={"type": "boolean"},
    seat={"enum": [f"the seat number {number}" for number in range(12)]},
    extras={"type": "array", "items": {"enum": ["flowers", "cake"]}},
    notes={"type": "object", "additionalProperties": True},
    pay={"anyOf": [objects(code={"type": "string"}), {"type": "integer"}]},
    any=True,
)


async def test_letters_run_no_command_with_the_focus_anywhere_in_a_form() -> None:
    form = Form(EVERYTHING)
    form.load({"lists": [], "notes": {}})
    app = Commands(form)
    async with app.run_test(size=(80, 60)) as pilot:
        await until(lambda: app.query(Children))
        app.query(Children).first().unfold()
        await until(lambda: len([path for path in app.paths() if len(path) == 1]) == 9)
        await pilot.pause()
        stops = app.screen.focus_chain
        for stop in stops:
            app.screen.set_focus(stop)
            await pilot.press("t", "e", "a", "escape")
            assert app.focused is not None
            assert app.focused.region
        assert app.was_run == []
        kinds = {type(stop).__name__ for stop in stops}
        assert {"Segments", "GroupHead", "AddButton", "DropDown", "Checklist", "NewKey", "AreaEditor"} <= kinds


async def test_digits_are_commands_on_the_choice_of_the_view_and_in_no_field() -> None:
    form = Form(EVERYTHING)
    form.load({"lists": [], "notes": {}, "group": {"b": "x"}})
    app = Commands(form)
    async with app.run_test(size=(80, 60)) as pilot:
        await until(lambda: app.query(Children))
        app.query(Children).first().unfold()
        await until(lambda: len([path for path in app.paths() if len(path) == 1]) == 9)
        await pilot.pause()
        stops = app.screen.focus_chain
        are_commands: dict[Widget, bool] = {}
        for stop in stops:
            app.screen.set_focus(stop)
            await pilot.press("2", "escape")
            are_commands[stop] = bool(app.was_run)
            app.was_run.clear()
        views = app.query_one("#views > Segments")
        assert [stop for stop, is_command in are_commands.items() if is_command] == [views]
        assert {type(stop).__name__ for stop in are_commands} > {"Segments", "GroupHead", "AddButton", "Checklist"}


async def test_letters_do_not_choose_between_a_form_and_its_json() -> None:
    async with hosted(objects(a={"type": "string"})) as (pilot, app):
        app.query_one("#views > Segments").focus()
        await pilot.press(*"hello")
        await pilot.pause()
        assert not app.editor.is_json


GRID = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}


async def test_keys_typed_on_an_empty_list_of_lists_go_into_its_first_inner_item() -> None:
    async with hosted(required(grid=GRID)) as (pilot, app):
        await at_first(pilot, app)
        burst(app, *"12")
        await until(lambda: app.form.value() == {"grid": [[12]]})


async def test_keys_typed_on_the_head_of_a_list_with_items_go_into_a_new_item() -> None:
    async with hosted(required(a=TEXTS), {"a": ["soup"]}, with_items=True) as (pilot, app):
        app.screen.set_focus(app.row("a").query_one(GroupHead))
        await pilot.press("enter", *"tea")
        await until(lambda: app.form.value() == {"a": ["soup", "tea"]})


async def test_after_items_of_nested_lists_are_removed_typing_goes_on_in_the_list() -> None:
    async with hosted(required(grid=GRID), {"grid": [[1, 2]]}, with_items=True) as (pilot, app):
        app.row("grid", 0, 1).focus_editor()
        await pilot.pause()
        for _ in range(3):
            assert remove_item(app.editor.view)
        await until(lambda: app.form.value() == {"grid": []})
        await until(lambda: app.focused is not None and app.focused is not app.editor.view)
        await pilot.press(*"78")
        await until(lambda: app.form.value() == {"grid": [[78]]})


@pytest.mark.parametrize(
    ("schema", "typed", "value"),
    [
        (objects(b={"type": "string"}), "tea", {"b": "tea"}),
        (objects(b={"type": "boolean"}, c={"type": "string"}), "t", {"b": True}),
        (objects(b={"enum": [f"the seat number {number}" for number in range(12)]}), "11", {"b": "the seat number 11"}),
        (objects(b=TEXTS), "tea, milk", {"b": ["tea", "milk"]}),
        ({"anyOf": [{"title": "Cat", **objects(b=TEXTS)}, {"title": "Dog", **objects(c=TEXTS)}]}, "d", {}),
        ({"anyOf": [{"type": "string"}, {"type": "number"}]}, "1.5", 1.5),
        ({**objects(b={"type": "string"}), "default": {"b": "milk"}}, "tea", {"b": "tea"}),
    ],
)
async def test_typing_on_a_group_without_a_value_opens_it_and_goes_into_its_first_field(
    schema: dict[str, Any], typed: str, value: Any
) -> None:
    async with hosted(objects(a=schema)) as (_, app):
        app.screen.set_focus(app.row("a").query(GroupHead).first())
        burst(app, *typed)
        await until(lambda: app.form.value() == {"a": value})
        assert app.form.field(("a",)).variant in (None, 1)


async def test_typing_on_an_empty_map_begins_its_first_key() -> None:
    async with hosted(objects(a={"type": "object", "additionalProperties": {"type": "integer"}})) as (pilot, app):
        app.screen.set_focus(app.row("a").query_one(GroupHead))
        await pilot.press(*"tea", "enter")
        await until(lambda: isinstance(app.focused, LineEditor))
        await pilot.press(*"12")
        await until(lambda: app.form.value() == {"a": {"tea": 12}})


NODE = {"$ref": "#/$defs/node"}


async def test_a_key_that_has_no_meaning_where_it_is_typed_is_answered_with_those_that_have() -> None:
    node = {"type": "object", "properties": {"next": NODE}}
    rows = objects(
        open=objects(b={"type": "string"}),
        node=NODE,
        loud={"type": "boolean"},
        extras={"type": "array", "items": {"enum": ["flowers", "cake"]}},
        pay={"anyOf": [objects(code={"type": "string"}), {"type": "integer"}]},
    )
    hints = {
        "open": "enter closes it, tab goes on",
        "node": "enter opens it",
        "loud": "no choice begins with 'z'",
        "extras": "the arrows and the space bar choose",
        "pay": "no choice begins with 'z'",
    }
    async with hosted({**rows, "$defs": {"node": node}}, {"open": {"b": "x"}}) as (pilot, app):
        for name, hint in hints.items():
            app.screen.set_focus(app.row(name).query("GroupHead, Segments, Checklist").first())
            await pilot.press("z")
            await until(lambda hint=hint: hint in screen_text(app))
        # A key that does something ends the hint.
        app.screen.set_focus(app.row("loud").query_one(Segments))
        await pilot.press("z", "t")
        await until(lambda: "no choice begins" not in screen_text(app))
        assert app.form.field(("loud",)).own_value is True


PET = {"oneOf": [{"title": "Cat", **objects(lives={"type": "integer"})}, {"title": "Dog", **objects(b=TEXTS)}]}


@pytest.mark.parametrize("choice", [PET, {"type": "boolean"}, {"enum": ["warm", "cold"]}])
async def test_enter_marks_a_required_choice_without_a_value_and_goes_on_when_it_is_pressed_again(choice: Any) -> None:
    async with hosted(required(a=choice, age={"type": "integer"})) as (pilot, app):
        await at_first(pilot, app)
        assert "✗" not in screen_text(app)
        await pilot.press("enter")
        await until(lambda: "✗ required" in screen_text(app))
        assert isinstance(app.focused, Segments)
        await pilot.press("enter", *"7")
        await until(lambda: app.form.value() == {"age": 7})


@pytest.mark.parametrize("key", ["tab", "enter"])
async def test_typing_in_a_field_that_the_keyboard_has_come_to_replaces_its_text(key: str) -> None:
    async with hosted(objects(a={"type": "string"}, b={"type": "string"}, c=TEXTS), {"b": "tea", "c": ["x"]}) as (
        pilot,
        app,
    ):
        await at_first(pilot, app)
        await pilot.press(key, *"cup", key, *"y", "shift+tab", *"mug")
        await until(lambda: app.form.value() == {"b": "mug", "c": ["y"]})


async def test_arrows_and_clicks_keep_the_text_of_a_field_that_the_focus_has_come_to() -> None:
    async with hosted(objects(a={"type": "string"}, b={"type": "string"}), {"a": "tea", "b": "cup"}) as (pilot, app):
        await at_first(pilot, app)
        await pilot.press("end", "s")
        await until(lambda: app.form.value() == {"a": "teas", "b": "cup"})
        await pilot.click(app.row("b").query_one(LineEditor), offset=(2, 0))
        await pilot.press("l")
        await until(lambda: app.form.value() == {"a": "teas", "b": "clup"})


async def test_keys_that_come_all_at_once_replace_the_text_of_the_next_field() -> None:
    async with hosted(objects(a={"type": "string"}, b={"type": "string"}), {"b": "tea"}) as (pilot, app):
        await at_first(pilot, app)
        burst(app, *"xy", "enter", *"cup")
        await until(lambda: app.form.value() == {"a": "xy", "b": "cup"})


async def test_a_text_stays_when_its_row_is_made_again_while_it_is_typed() -> None:
    async with hosted(objects(a=TEXTS), {"a": ["ab"]}) as (pilot, app):
        await at_first(pilot, app)
        await pilot.press("end", "c")
        assert toggle_items(app.editor.view)
        await until(lambda: ("a", 0) in app.paths() and app.row("a", 0).has_pseudo_class("focus-within"))
        await pilot.press("d")
        await until(lambda: app.form.value() == {"a": ["abcd"]})


async def test_a_required_text_that_is_emptied_is_missing_again_and_a_key_sends_it_empty() -> None:
    async with hosted(required(a={"type": "string"})) as (pilot, app):
        await at_first(pilot, app)
        await until(lambda: "sends an empty text" in screen_text(app))  # type: ignore[arg-type]
        await pilot.press(*"ab", "ctrl+u")
        await until(lambda: app.form.value() == {} and "required · string" in screen_text(app))  # type: ignore[arg-type]
        assert omit_field(app.editor.view)
        assert app.form.value() == {"a": ""}


async def test_an_item_that_is_written_as_an_empty_text_is_sent() -> None:
    async with hosted(required(a=TEXTS)) as (pilot, app):
        await at_first(pilot, app)
        await pilot.press(*'x,""')
        await until(lambda: app.form.value() == {"a": ["x", ""]})
