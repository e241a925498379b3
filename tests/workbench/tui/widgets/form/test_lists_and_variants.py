"""Lists, maps and alternatives in a form."""

from typing import Any

import pytest
from textual.widgets import Select

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.hosting import hosted, objects
from tests.workbench.tui.widgets.form.group_schemas import CARD, TEXTS, VOUCHER
from workbench.model.forms.field import FieldState
from workbench.tui.widgets.form.field_actions import move_item, remove_item
from workbench.tui.widgets.form.groups import AddButton, GroupHead, NewKey
from workbench.tui.widgets.form.list_row import ListEditor, ListLineRow
from workbench.tui.widgets.form.row import FieldLabel
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.steady import Overlay

GUESTS = {"type": "array", "items": objects(name={"type": "string"}, diet={"type": "string"})}


async def test_a_list_starts_with_its_first_item_and_gets_more_by_its_button() -> None:
    async with hosted(objects(a=TEXTS), with_items=True) as (pilot, app):
        app.query_one(GroupHead).focus()
        await pilot.press("enter")
        await until(lambda: ("a", 0) in app.paths())
        app.query_one(AddButton).press()
        await until(lambda: ("a", 1) in app.paths())
        await until(lambda: app.query(LineEditor).last().has_focus)


async def test_removing_an_item_closes_the_gap_and_leaves_the_other_rows_alone() -> None:
    async with hosted(objects(a=GUESTS), {"a": [{"name": "Ada"}, {"name": "Bo"}, {"name": "Cy"}]}) as (pilot, app):
        first = app.row("a", 0)
        app.row("a", 1).focus_editor()
        await pilot.pause()
        assert remove_item(app.editor.view)
        await until(lambda: [field.value for field in app.query(LineEditor)] == ["Ada", "", "Cy", ""])
        assert app.form.value() == {"a": [{"name": "Ada"}, {"name": "Cy"}]}
        assert app.row("a", 0) is first


async def test_a_click_on_the_cross_of_an_item_removes_it() -> None:
    async with hosted(objects(a=TEXTS), {"a": ["x", "y"]}, with_items=True) as (pilot, app):
        label = app.row("a", 0).query_one(FieldLabel)
        await pilot.click(label, offset=(label.size.width - 1, 0))
        await until(lambda: app.form.value() == {"a": ["y"]})


async def test_a_field_of_the_schema_is_not_removed() -> None:
    async with hosted(objects(a={"type": "string"})) as (pilot, app):
        app.editor.focus_first()
        await pilot.pause()
        assert not remove_item(app.editor.view)


async def test_a_map_accepts_new_keys_and_refuses_an_existing_key() -> None:
    schema = objects(a={"type": "object", "additionalProperties": {"type": "integer"}})
    async with hosted(schema, {"a": {"x": 1}}) as (pilot, app):
        new = app.query_one(NewKey)
        new.focus()
        new.value = "y"
        await pilot.press("enter")
        await until(lambda: ("a", "y") in app.paths())
        app.query(LineEditor).last().value = "2"
        await pilot.pause()
        assert app.form.value() == {"a": {"x": 1, "y": 2}}
        new.focus()
        new.value = "x"
        await pilot.press("enter")
        await until(lambda: any("already" in notification.message for notification in app._notifications))
        assert app.form.value() == {"a": {"x": 1, "y": 2}}


async def test_a_variant_shows_the_fields_of_the_choice() -> None:
    async with hosted(objects(pay={"oneOf": [CARD, VOUCHER]})) as (pilot, app):
        app.row("pay").query_one(Segments).focus()
        await pilot.press("right", "right")
        await until(lambda: ("pay", "amount") in app.paths())
        app.query(LineEditor).first().value = "x"
        await pilot.pause()
        assert app.form.value() == {"pay": {"code": "x"}}
        await pilot.press("right")
        await until(lambda: ("pay", "code") not in app.paths())
        assert app.form.field(("pay",)).state is FieldState.OMITTED


async def test_variants_of_scalars_are_filled_in_in_place() -> None:
    schema = objects(a={"anyOf": [{"type": "integer"}, {"type": "boolean"}]})
    async with hosted(schema, {"a": 3}) as (pilot, app):
        assert app.query_one(LineEditor).value == "3"
        app.row("a").query(Segments).first().focus()
        await pilot.press("right")
        await until(lambda: not app.query(LineEditor))
        await pilot.press("tab", "right")
        assert app.form.value() == {"a": True}
        assert len(app.row("a").query(Segments)) == 2


async def test_many_variants_drop_down() -> None:
    many = [{"title": f"a variant number {index}", **objects(**{f"x{index}": {}})} for index in range(9)]
    async with hosted(objects(a={"oneOf": many})) as (_, app):
        app.query_one(Select).value = 4
        await until(lambda: ("a", "x4") in app.paths())


NAMES = [f"a rather long choice {number}" for number in range(9)]
KINDS = {
    "anyOf": [
        {"type": "integer"},
        {"type": "array", "items": {"type": "integer"}},
        {"title": "A rather long name of a model", **objects(x={"type": "string"})},
        {"title": "Another rather long name of a model", **objects(y={"type": "string"})},
    ]
}


@pytest.mark.parametrize("leave", ["enter", "tab", "run"])
@pytest.mark.parametrize(("typed", "value"), [("12", 12), ("[1,2]", [1, 2])])
async def test_a_value_that_is_typed_on_the_open_list_of_variants_is_taken_by_the_one_that_accepts_it(
    typed: str, value: Any, leave: str
) -> None:
    async with hosted(objects(a=KINDS, b={"type": "string"})) as (pilot, app):
        app.query_one(Select).focus()
        await pilot.press("enter", *typed)
        if leave == "run":
            assert app.editor.close_list()
        else:
            await pilot.press(leave)
        await until(lambda: app.form.value() == {"a": value} and not app.query_one(Select).expanded)


async def test_a_text_that_is_neither_a_variant_nor_a_value_of_one_is_refused_with_the_reason() -> None:
    async with hosted(objects(a=KINDS, b={"type": "string"})) as (pilot, app):
        select = app.query_one(Select)
        select.focus()
        await pilot.press("enter", *"modle")
        assert not app.editor.close_list()
        await until(lambda: "✗ no choice has" in screen_text(app) and not select.expanded)
        assert app.form.value() == {}
        await pilot.press("enter", "down", "down", "enter")
        await until(lambda: "✗" not in screen_text(app) and app.form.field(("a",)).variant == 1)


NUMBERS = {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]}


async def test_what_is_typed_chooses_the_alternative_that_accepts_all_of_it() -> None:
    async with hosted(objects(a=NUMBERS, b={"type": "string"})) as (pilot, app):
        app.row("a").query(Segments).first().focus()
        await pilot.press(*"1")
        await until(lambda: app.form.value() == {"a": 1})
        await pilot.press(*", 2")
        await until(lambda: app.form.value() == {"a": [1, 2]} and "[list of integer]" in screen_text(app))
        await pilot.press("home", "delete", "delete", "delete")
        await until(lambda: app.form.value() == {"a": 2} and "[integer]" in screen_text(app))
        await pilot.press("tab", "shift+tab", *"3, 4")
        await until(lambda: app.form.value() == {"a": [3, 4]})


async def test_a_field_that_was_written_as_a_list_has_the_keys_of_a_list_when_the_focus_returns() -> None:
    async with hosted(objects(a=NUMBERS, b={"type": "string"})) as (pilot, app):
        app.row("a").query(Segments).first().focus()
        await pilot.press(*"1, 2")
        await until(lambda: app.form.value() == {"a": [1, 2]})
        await pilot.press("tab")
        await until(lambda: len(app.query(ListLineRow)) == 1)
        await pilot.press("shift+tab")
        await until(lambda: isinstance(app.focused, ListEditor))
        assert move_item(app.editor.view, -1)
        await until(lambda: app.form.value() == {"a": [2, 1]})


async def test_an_alternative_that_the_user_has_picked_stays_when_it_does_not_accept_the_text() -> None:
    async with hosted(objects(a=NUMBERS)) as (pilot, app):
        app.row("a").query(Segments).first().focus()
        await pilot.press("i", "tab", *"1, 2")
        await until(lambda: "✗ type a whole number" in screen_text(app))
        assert app.form.field(("a",)).variant == 0


@pytest.mark.parametrize("names", [["A", "B"], [f"a variant number {index}" for index in range(9)]])
async def test_alternatives_show_that_null_is_their_default(names: list[str]) -> None:
    kinds = [{"title": name, **objects(**{name[-1]: {}})} for name in names]
    async with hosted(objects(a={"anyOf": [*kinds, {"type": "null"}], "default": None})) as (_, app):
        assert "default null" in screen_text(app)
        app.form.set_null(("a",))
        app.editor.show_values()
        await until(lambda: "null" in screen_text(app).replace("default null", ""))


async def test_a_drop_down_of_required_alternatives_has_no_entry_for_the_absence_of_one() -> None:
    async with hosted(objects(a=KINDS) | {"required": ["a"]}) as (pilot, app):
        app.query_one(Select).focus()
        await pilot.press("enter")
        await until(lambda: app.query_one(Select).expanded)
        assert len(app.query_one(Overlay).options) == len(KINDS["anyOf"])
        await pilot.press("enter", "tab", *"12")
        await until(lambda: app.form.value() == {"a": 12})


async def test_enter_on_a_choice_within_an_alternative_does_not_change_the_alternative() -> None:
    kinds = [{"title": f"a rather long name of kind {each}", **objects(x={"enum": NAMES})} for each in "abc"]
    async with hosted(objects(a={"anyOf": kinds}), {"a": {"x": NAMES[1]}}) as (pilot, app):
        app.row("a", "x").query_one(Select).focus()
        await pilot.press("enter", *"zz", "enter")
        await until(lambda: "no match: esc restores · zz" in screen_text(app))
        assert app.form.value() == {"a": {"x": NAMES[1]}}


async def test_a_letter_chooses_a_constant_among_alternatives() -> None:
    schema = {"anyOf": [{"const": "one"}, {"type": "integer"}, {"type": "null"}], "default": None}
    async with hosted(objects(a=schema)) as (pilot, app):
        app.row("a").query(Segments).first().focus()
        await pilot.press("o")
        await until(lambda: app.form.value() == {"a": "one"})


async def test_items_of_lists_within_lists_are_numbered_from_the_outermost_name() -> None:
    grid = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}
    async with hosted(objects(grid=grid), {"grid": [[1], [2, 3]]}, with_items=True) as (_, app):
        text = screen_text(app)
        assert all(label in text for label in ("grid 1 ", "grid 1.1 ", "grid 2 ", "grid 2.1 ", "grid 2.2 "))


async def test_items_of_a_value_that_is_a_list_are_numbered_too() -> None:
    async with hosted({"type": "array", "items": {"type": "integer"}}, [7], with_items=True) as (_, app):
        assert "value 1 " in screen_text(app)


async def test_enter_on_the_last_item_adds_the_next() -> None:
    async with hosted(objects(a=TEXTS), {"a": ["x"]}, with_items=True) as (pilot, app):
        app.row("a", 0).focus_editor()
        await pilot.press("enter", *"yz")
        await until(lambda: app.form.value() == {"a": ["x", "yz"]})


async def test_an_item_moves_with_the_focus_and_stays_within_its_list() -> None:
    async with hosted(objects(a=TEXTS), {"a": ["x", "y", "z"]}, with_items=True) as (pilot, app):
        view = app.editor.view
        app.row("a", 2).focus_editor()
        await pilot.pause()
        assert move_item(view, -1)
        assert app.form.value() == {"a": ["x", "z", "y"]}
        await until(lambda: app.row("a", 1).has_pseudo_class("focus-within"))
        assert move_item(view, -1)
        await until(lambda: [line.value for line in app.query(LineEditor)] == ["z", "x", "y"])
        await until(lambda: app.row("a", 0).has_pseudo_class("focus-within"))
        assert not move_item(view, -1)
        assert app.form.value() == {"a": ["z", "x", "y"]}
