"""Text typed into the form of a tool: at once, with line breaks, and by keys alone."""

from typing import Any

import pytest
from textual import events
from textual.widgets import Select, TextArea

from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, toasts
from tests.workbench.tui.kitchen import GREET, KITCHEN, kitchen_app, kitchen_link, text_result
from tests.workbench.tui.screens.tools_pane import NUMBER, called, choose, fill, reload, tools, type_at_once
from workbench.tui.widgets.form.list_row import ListEditor
from workbench.tui.widgets.form.row import FieldRow
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.offer_form import OfferForm


async def test_line_feeds_within_text_that_comes_at_once_are_new_lines_and_run_nothing() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello.")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        type_at_once(app, *"one", "ctrl+j", *"two", "ctrl+j", "ctrl+j", *"four")
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": "one\ntwo\n\nfour"})  # type: ignore[union-attr]
        await pilot.press("escape", "ctrl+j")
        await until(lambda: called(link))
        assert [call["arguments"] for call in called(link)] == [{"name": "one\ntwo\n\nfour"}]


async def test_the_line_feed_at_the_end_of_a_burst_runs_the_call_once_with_all_of_its_text() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello.")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        type_at_once(app, "a", "ctrl+j", "b", "ctrl+j", "ctrl+j")
        await until(lambda: called(link))
        await pilot.pause()
        assert [call["arguments"] for call in called(link)] == [{"name": "a\nb"}]


async def test_a_line_feed_within_a_number_is_a_space_that_its_field_reports() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await reload(link, app, age=NUMBER)
        await until(lambda: [row.field.name for row in app.query("TextRow").results(FieldRow)] == ["age"])
        app.query_one(LineEditor).focus()
        await pilot.pause()
        type_at_once(app, "1", "ctrl+j", "2")
        await until(lambda: app.query_one(LineEditor).value == "1 2")
        await until(lambda: "✗" in screen_text(app))
        assert called(link) == []


@pytest.mark.parametrize(
    ("item", "typed", "value"), [("string", "one,two", ["one", "two"]), ("integer", "1,2", [1, 2])]
)
async def test_lines_typed_at_once_into_an_empty_list_are_its_items(item: str, typed: str, value: list[Any]) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await reload(link, app, names={"type": "array", "items": {"type": item}})
        await until(lambda: app.query(ListEditor))
        app.query_one(ListEditor).focus()
        await pilot.pause()
        type_at_once(app, *("ctrl+j" if key == "," else key for key in typed))
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"names": value})  # type: ignore[union-attr]
        assert called(link) == []


async def test_lines_typed_at_once_into_the_json_are_its_lines() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("ctrl+t")
        app.query_one("#json > TextArea", TextArea).text = ""
        await pilot.pause()
        type_at_once(app, "{", "ctrl+j", *'"name":', "ctrl+j", *'"Ada"}')
        await until(lambda: app.query_one("#json > TextArea", TextArea).text == '{\n"name":\n"Ada"}')
        assert called(link) == []


async def test_ctrl_x_cuts_text_while_nothing_runs() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await choose(pilot, app, "greet")
        await fill(pilot, app, name="Ada")
        field = app.query(LineEditor).first()
        field.action_select_all()
        await pilot.press("ctrl+x")
        assert field.value == ""
        assert not toasts(app)


PACK: dict[str, Any] = {
    "name": "pack",
    "description": "Pack a box.",
    "inputSchema": {
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"type": "string"}}, "weight": {"type": "number"}},
        "required": ["items", "weight"],
    },
    "secrets": [],
}


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_a_list_is_filled_in_from_the_tree_on_by_keys_alone(size: tuple[int, int]) -> None:
    link = kitchen_link()
    link.answers["catalog/get"] = KITCHEN | {"tools": [PACK, GREET, *KITCHEN["tools"][2:]]}
    link.server.replies["tools/call"] = text_result("Packed.")
    app = kitchen_app(link)
    async with app.run_test(size=size) as pilot:
        await opened(pilot)
        await until(lambda: app.query_one(OfferForm).offer is not None)
        # All at once, as a slow connection delivers keys.
        for key in ("j", "k", "enter", *"tea,rye"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(lambda: [field.value for field in app.query(LineEditor)][:1] == ["tea,rye"])
        await pilot.pause()
        await pilot.press("tab", *"2.5", "ctrl+j")
        await until(lambda: called(link))
        assert called(link)[0] == called(link)[0] | {
            "name": "pack",
            "arguments": {"items": ["tea", "rye"], "weight": 2.5},
        }


@pytest.mark.parametrize("key", ["ctrl+l", "alt+enter"])
async def test_a_key_types_a_line_break_in_order_with_the_keys_around_it(key: str) -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello.")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        for pressed in (*"Ada", key, *"Bo", key, "x"):
            app.post_message(events.Key(pressed, pressed if len(pressed) == 1 else None))
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": "Ada\nBo\nx"})  # type: ignore[union-attr]
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        assert called(link)[0]["arguments"] == {"name": "Ada\nBo\nx"}


async def test_digits_typed_at_once_into_an_open_choice_select_one_value_that_stays() -> None:
    link = kitchen_link()
    choice = {"enum": [f"value-{number}" for number in range(500)]}
    pick = {"name": "pick", "inputSchema": {"type": "object", "properties": {"choice": choice}}}
    link.answers["catalog/get"]["tools"].append(pick)
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "pick")
        await until(lambda: app.query(Select))
        select: Select[int] = app.query_one(Select)
        select.focus()
        await pilot.pause()
        type_at_once(app, "enter", "9", "9")
        await until(lambda: select.value == 99)
        values = set()
        for _ in range(20):
            await pilot.pause()
            values.add(select.value)
        assert values == {99}
        type_at_once(app, "ctrl+j")
        await until(lambda: called(link))
        assert called(link)[0]["arguments"] == {"choice": "value-99"}
