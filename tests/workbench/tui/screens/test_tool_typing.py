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

PASTED = "the first line of a text\nthe second\n\nand the last line"


async def test_line_feeds_within_a_long_text_that_comes_at_once_are_new_lines_and_run_nothing() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello.")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await reload(link, app, text={"type": "string"})
        await until(lambda: [row.field.name for row in app.query("TextRow").results(FieldRow)] == ["text"])
        app.query_one(LineEditor).focus()
        await pilot.pause()
        type_at_once(app, PASTED)
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"text": PASTED})  # type: ignore[union-attr]
        await pilot.press("escape", "ctrl+j")
        await until(lambda: called(link))
        assert [call["arguments"] for call in called(link)] == [{"text": PASTED}]


async def test_the_line_feed_at_the_end_of_a_paste_of_several_lines_runs_nothing_and_is_reported() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        type_at_once(app, PASTED, "ctrl+j")
        await until(lambda: "1 ^j in a burst was ignored; press ^j to send." in toasts(app))
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": PASTED})  # type: ignore[union-attr]
        assert called(link) == []


async def test_the_line_feeds_at_the_end_of_one_line_run_the_call_once_with_all_of_its_text() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello.")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        type_at_once(app, "Ada Lovelace", "ctrl+j", "ctrl+j")
        await until(lambda: called(link))
        await pilot.pause()
        assert [call["arguments"] for call in called(link)] == [{"name": "Ada Lovelace"}]


async def test_line_feeds_that_were_ignored_in_a_burst_are_counted_until_the_next_that_sends() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello.")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        type_at_once(app, "Rome", *["ctrl+j"] * 5)
        await until(lambda: "4 ^j in a burst were ignored; press ^j to send." in toasts(app))
        await until(lambda: len(called(link)) == 1)
        type_at_once(app, "ctrl+j")
        await until(lambda: len(called(link)) == 2 and "in a burst" not in toasts(app))


async def test_a_key_that_sends_is_never_text_however_fast_it_is_typed() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello.")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        for read in ("ab\n", "c\n", "d", "\n"):
            type_at_once(app, read)
        await until(lambda: len(called(link)) == 3)
        assert [call["arguments"]["name"] for call in called(link)] == ["ab", "abc", "abcd"]


@pytest.mark.parametrize("kind", ["string", "integer"])
async def test_a_key_that_sends_is_refused_if_it_is_read_at_once_with_the_text_around_it(kind: str) -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello.")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await reload(link, app, age={"type": kind})
        await until(lambda: [row.field.name for row in app.query("TextRow").results(FieldRow)] == ["age"])
        app.query_one(LineEditor).focus()
        await pilot.pause()
        type_at_once(app, "1", "ctrl+j", "2", "ctrl+j")
        await until(lambda: "2 ^j in a burst were ignored" in toasts(app))
        await until(lambda: app.query_one(LineEditor).value == "12")
        assert called(link) == []
        type_at_once(app, "ctrl+j")
        await until(lambda: called(link))
        assert called(link)[0]["arguments"] == {"age": 12 if kind == "integer" else "12"}


async def test_a_line_feed_within_a_long_number_is_a_space_that_its_field_reports() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await reload(link, app, age=NUMBER)
        await until(lambda: [row.field.name for row in app.query("TextRow").results(FieldRow)] == ["age"])
        app.query_one(LineEditor).focus()
        await pilot.pause()
        type_at_once(app, "1" * 20, "ctrl+j", "2" * 20)
        await until(lambda: app.query_one(LineEditor).value == f"{'1' * 20} {'2' * 20}")
        await until(lambda: "✗" in screen_text(app))
        assert called(link) == []


@pytest.mark.parametrize(
    ("item", "value"),
    [("string", ["green tea", "black tea", "tea with milk and sugar"]), ("integer", [123456789] * 5)],
)
async def test_lines_pasted_into_an_empty_list_are_its_items(item: str, value: list[Any]) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await reload(link, app, names={"type": "array", "items": {"type": item}})
        await until(lambda: app.query(ListEditor))
        app.query_one(ListEditor).focus()
        await pilot.pause()
        type_at_once(app, "\n".join(map(str, value)))
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"names": value})  # type: ignore[union-attr]
        assert called(link) == []


async def test_lines_pasted_into_the_json_are_its_lines() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("ctrl+t")
        app.query_one("#json > TextArea", TextArea).text = ""
        await pilot.pause()
        pasted = '{\n"name":\n"Augusta Ada King, Countess of Lovelace"}'
        type_at_once(app, pasted)
        await until(lambda: app.query_one("#json > TextArea", TextArea).text == pasted)
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
