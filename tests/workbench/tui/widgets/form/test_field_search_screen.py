"""A field is found by its name, and the focus goes there."""

from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.hosting import FormHost, hosted, objects
from workbench.model.forms.form import Form
from workbench.tui.widgets.form.field_search_screen import FieldSearch
from workbench.tui.widgets.form.groups import GroupHead
from workbench.tui.widgets.form.json_area import JsonArea
from workbench.tui.widgets.form.optional_fields import OptionalFields
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.workers import start_worker

TEXT = {"type": "string"}
ADDRESS = objects(**{f"line_{number}": TEXT for number in range(9)}, city=TEXT)
MANY = objects(**{f"field_{number}": TEXT for number in range(200)}, person=objects(name=TEXT, address=ADDRESS))


async def searching(app: FormHost) -> None:
    await until(lambda: isinstance(app.screen, FieldSearch) and app.screen.query(Input) and app.screen.focused)


async def search(pilot: Pilot[Any], app: FormHost, *keys: str) -> None:
    start_worker(app, app.editor.find_field, "proposals")
    await searching(app)
    await pilot.press(*keys, "enter")
    await until(lambda: not isinstance(app.screen, FieldSearch))


def has_focus(app: FormHost, *path: str | int) -> bool:
    row = app.editor.view.focused_row
    return row is not None and row.field.path == path and row.has_pseudo_class("focus-within")


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        ("field_7", ("field_7",)),
        ("f150", ("field_150",)),
        ("perscity", ("person", "address", "city")),
        ("line_4", ("person", "address", "line_4")),
    ],
)
@pytest.mark.parametrize("is_required", [False, True])
async def test_the_focus_goes_to_a_field_anywhere_in_a_form(
    keys: str, path: tuple[str, ...], is_required: bool
) -> None:
    schema = MANY | {"required": ["field_0", "field_150"] if is_required else []}
    app = FormHost(Form(schema))
    async with app.run_test(size=(80, 30)) as pilot:
        await until(lambda: app.paths())
        app.editor.focus_first()
        await search(pilot, app, *keys)
        await until(lambda: has_focus(app, *path))
        await pilot.press(*"tea")
        value: Any = "tea"
        for key in reversed(path):
            value = {key: value}
        await until(lambda: app.form.value() == value)


async def test_a_group_that_is_closed_is_opened() -> None:
    async with hosted(objects(person=objects(name=TEXT)), {"person": {"name": "Ada"}}) as (pilot, app):
        app.query_one(GroupHead).focus()
        await pilot.press("enter")
        await until(lambda: not app.row("person", "name").region)
        await search(pilot, app, *"name")
        await until(lambda: has_focus(app, "person", "name") and app.row("person", "name").region)


@pytest.mark.parametrize("kind", [Segments, OptionalFields])
async def test_a_sign_searches_where_nothing_can_be_typed(kind: type[Any]) -> None:
    schema = objects(loud={"type": "boolean"}, **{f"field_{number}": TEXT for number in range(9)})
    app = FormHost(Form(schema | {"required": ["loud"]}))
    async with app.run_test(size=(80, 30)) as pilot:
        await until(lambda: app.query(OptionalFields) and app.query(Segments) and app.paths())
        app.editor.view.query(kind).first().focus()
        await pilot.press("/")
        await searching(app)
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, FieldSearch))


async def test_the_arrows_and_the_mouse_choose() -> None:
    async with hosted(objects(abc=TEXT, abd=TEXT, abe=TEXT)) as (pilot, app):
        await search(pilot, app, *"ab", "down", "down")
        await until(lambda: has_focus(app, "abe"))
        start_worker(app, app.editor.find_field, "proposals")
        await searching(app)
        options = app.screen.query_one(OptionList)
        await until(lambda: options.option_count == 3 and options.size.height == 3)
        await pilot.pause()
        await pilot.click(options, offset=(3, 1))
        await until(lambda: has_focus(app, "abd"))


async def test_leaving_the_search_returns_to_the_field_before() -> None:
    async with hosted(objects(a=TEXT, b=TEXT)) as (pilot, app):
        app.row("b").focus_editor()
        start_worker(app, app.editor.find_field, "proposals")
        await searching(app)
        await pilot.press("z")
        await until(lambda: "no match" in screen_text(app))  # type: ignore[arg-type]
        await pilot.press("enter", "escape")
        await until(lambda: not isinstance(app.screen, FieldSearch))
        assert has_focus(app, "b")


@pytest.mark.parametrize("name", ["a", "b"])
async def test_what_is_typed_after_the_search_replaces_the_text_of_the_field(name: str) -> None:
    async with hosted(objects(a=TEXT, b=TEXT), {"a": "x", "b": "y"}) as (pilot, app):
        app.row("b").focus_editor()
        await pilot.press("left", "right")
        await search(pilot, app, name)
        await until(lambda: has_focus(app, name))
        await pilot.press(*"tea")
        await until(lambda: app.form.value() == {"a": "x", "b": "y"} | {name: "tea"})


async def test_in_the_json_the_cursor_goes_to_the_line_of_the_field() -> None:
    async with hosted(objects(a=TEXT, b=objects(c=TEXT)), {"a": "x", "b": {"c": "y"}}) as (pilot, app):
        app.editor.toggle_json()
        await search(pilot, app, *"b.c")
        await until(lambda: app.query_one(JsonArea).cursor_location[0] == 3)


async def test_the_list_stays_on_the_screen_when_the_terminal_is_resized() -> None:
    async with hosted(objects(a=TEXT, b=TEXT)) as (pilot, app):
        start_worker(app, app.editor.find_field, "proposals")
        await searching(app)
        frame = app.screen.query_one("FieldSearch > Vertical")
        for width, height in ((50, 12), (200, 60), (20, 5)):
            await pilot.resize_terminal(width, height)
            # It is as wide as the form, as if it had been opened at this size.
            await until(lambda width=width: frame.region.width == width)
            assert app.screen.region.contains_region(frame.region)


async def test_names_are_shown_as_they_are_and_never_as_markup_or_control_characters() -> None:
    evil = "[b]x[/b]\x1b[31m‮"
    async with hosted(objects(**{evil: {"type": "string", "description": evil}})) as (pilot, app):
        start_worker(app, app.editor.find_field, "proposals")
        await searching(app)
        app.screen.query_one(Input).post_message(events.Paste("[b]"))
        await until(lambda: "1 of 1" in screen_text(app))  # type: ignore[arg-type]
        assert "\x1b" not in screen_text(app)  # type: ignore[arg-type]
        assert "‮" not in screen_text(app)  # type: ignore[arg-type]
        await pilot.press("enter")
        await until(lambda: has_focus(app, evil))
