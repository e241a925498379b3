"""Snapshots of the Tools and of the states of their forms, at every size.

After an intended change, check the report, then run pytest with `--snapshot-update`.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tests.waiting import until
from tests.workbench.tui.driving import Driven, screen_text
from tests.workbench.tui.fakes import FakeLink
from tests.workbench.tui.kitchen import DESSERT, KITCHEN, ask, kitchen_link, text_result
from tests.workbench.tui.screens.tools_pane import choose, tools
from tests.workbench.tui.snapshots import SIZES, SnapSizes, steady_picture
from tests.workbench.tui.test_question_snapshots import question_in_view
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.tools_pane import ToolsPane
from workbench.tui.widgets.form.calendar import Calendar
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.form.field_search_screen import FieldSearch
from workbench.tui.widgets.form.proposal_screen import ProposalScreen
from workbench.tui.widgets.form.row import FieldRow
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.outcome import Outcome

BOOKING = {
    "contact": {"name": "Ada"},
    "day": "2027-02-31",
    "guests": [{"name": "Ada", "diet": None}, {"name": ""}],
    "extras": ["cake"],
    "notes": {"wine": "red"},
    "payment": {"code": "x", "amount": 3},
    "custom": {"a": [1, 2]},
}


DOG = {"title": "Dog", "type": "object", "properties": {"kind": {"const": "dog"}, "barks": {"type": "boolean"}}}
CAT = {"title": "Cat", "type": "object", "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}}}
VISIT = {
    "name": "plan_visit",
    "description": "Plan a visit of several guests.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "visitors": {"type": "array", "items": {"type": "string"}, "minItems": 2, "description": "Their names"},
            "sizes": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 9}},
            "day": {"type": "string", "format": "date", "description": "The day of the visit"},
            "at": {"type": "string", "format": "date-time", "description": "When the table is ready"},
            "colour": {"enum": [f"colour-{number}" for number in range(500)], "description": "Of the cloth"},
            "pet": {"anyOf": [DOG, CAT], "description": "Who comes along"},
            **{f"option_{number}": {"type": "string", "description": "Something more"} for number in range(12)},
        },
        "required": ["visitors", "sizes", "day", "at", "colour", "pet"],
    },
    "secrets": [],
}
VALUE = {
    "visitors": ["Ada", "Lovelace, Ada"],
    "sizes": [3, 12],
    "day": "2027-02-03",
    "at": "2027-02-03T18:30:00Z",
    "pet": {"kind": "dog"},
}


RESULT_OF_MANY_KINDS = {
    "content": [
        {"type": "text", "text": "A text that is long enough to have to be folded at the edge of its column."},
        {"type": "image", "mimeType": "image/png", "data": "A" * 5000},
        {"type": "resource_link", "uri": "demo://menu", "name": "menu", "mimeType": "text/markdown"},
        {"type": "resource", "resource": {"uri": "demo://a", "text": '{"a": 1}', "mimeType": "application/json"}},
    ],
    "structuredContent": {"ok": True, "items": [1, 2.5, None, "x"]},
}


async def load(pilot: Pilot[Any], app: WorkbenchApp, name: str, value: dict[str, Any], *paths: tuple[str, ...]) -> None:
    """Open the form of a tool with a value, and wait until these of its fields have rows."""
    await choose(pilot, app, name)
    editor = app.query_one(FormEditor)
    assert editor.form is not None
    editor.form.load(value)
    editor.view.show_values()
    await until(lambda: {row.field.path for row in app.query(FieldRow)} >= {*paths})


async def at_field(pilot: Pilot[Any], app: WorkbenchApp, name: str) -> None:
    view = app.query_one(FormEditor).view
    view.focus_field((name,))
    await until(lambda: (row := view.focused_row) is not None and row.field.path == (name,) and not view.can_focus)
    # Until the field has been scrolled into view: dialogs are placed beside it.
    await steady_picture(pilot)


async def test_the_tools_and_a_form_with_problems(snap_sizes: SnapSizes) -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await snap_sizes(pilot, "list")
        await pilot.press("enter", "A")
        await snap_sizes(pilot, "form")
        await pilot.press("ctrl+t")
        app.query_one("#json > TextArea", TextArea).text = '{\n  "name": oops\n}'
        await until(lambda: "line 2" in screen_text(app))
        await snap_sizes(pilot, "JSON")


async def test_a_form_with_every_kind_of_field(snap_sizes: SnapSizes) -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await load(pilot, app, "book_table", BOOKING, ("custom",), ("payment", "amount"))
        await snap_sizes(pilot, "top")
        for field in ("seating", "custom"):
            await at_field(pilot, app, field)
            await snap_sizes(pilot, f"at {field}", SIZES[:3])
        await pilot.press("ctrl+t")
        await snap_sizes(pilot, "JSON", SIZES[:3])


@asynccontextmanager
async def planning() -> AsyncIterator[Driven]:
    """The form of a visit, filled in."""
    link = kitchen_link()
    link.answers["catalog/get"] = KITCHEN | {"tools": [VISIT, *KITCHEN["tools"]]}
    async with tools(link) as (pilot, app):
        await load(pilot, app, "plan_visit", VALUE, ("pet", "barks"))
        yield pilot, app


async def test_lists_and_the_search_of_a_form(snap_sizes: SnapSizes) -> None:
    async with planning() as (pilot, app):
        await at_field(pilot, app, "sizes")
        await snap_sizes(pilot, "lists")

        async def search() -> None:
            await steady_picture(pilot)
            await app.action_do("tools", "find_field")
            await until(lambda: isinstance(app.screen, FieldSearch) and app.screen.focused)
            await pilot.press(*"op1")
            await until(lambda: app.screen.query_one(Input).value == "op1")

        await snap_sizes.reopened(pilot, "search", search, SIZES[1:3])


async def test_the_calendar_and_the_choices_of_a_field(snap_sizes: SnapSizes) -> None:
    async with planning() as (pilot, app):

        async def calendar() -> None:
            await at_field(pilot, app, "at")
            await app.action_do("tools", "propose")
            await until(lambda: app.screen.query(Calendar) and app.screen.query_one(Calendar).region)

        async def choices() -> None:
            await at_field(pilot, app, "colour")
            await app.action_do("tools", "propose")
            await until(lambda: isinstance(app.screen, ProposalScreen) and app.screen.focused)
            await pilot.press(*"49")

        await snap_sizes.reopened(pilot, "calendar", calendar)
        await snap_sizes.reopened(pilot, "choices", choices, SIZES[1:])


async def test_a_call_that_fails_and_one_that_returns_much(snap_sizes: SnapSizes) -> None:
    link = kitchen_link()
    meta = {"arcade": {"errorKind": "TOOL_RUNTIME_RETRY", "canRetry": True, "additionalPromptContent": "Offer soup."}}
    link.server.replies["tools/call"] = text_result("There is no cheesecake left.", isError=True, _meta=meta)
    async with tools(link) as (pilot, app):
        await pilot.press("enter", *"Ada", "ctrl+j")
        await until(lambda: "✗ tool error" in screen_text(app))
        app.query_one(Outcome).front.focus()
        await snap_sizes(pilot, "failed")
        link.server.replies["tools/call"] = RESULT_OF_MANY_KINDS
        await pilot.press("ctrl+j")
        await until(lambda: "✓ ok" in screen_text(app))
        await app.action_do("tools", "toggle_history")
        await snap_sizes(pilot, "much, with the history")


async def test_a_call_that_runs_and_requests_input(snap_sizes: SnapSizes) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await pilot.press("enter", *"Ada", "ctrl+j")
        await until(lambda: link.server.received[-1].get("method") == "tools/call")
        report_progress(link)
        ask(link, "q1", "elicitation/create", DESSERT)
        await until(lambda: app.workspace.questions.waiting)
        await question_in_view(pilot, app)
        # The outcome is behind the question.
        app.query_one(ToolsPane)._questions.uncover_outcome()
        app.query_one(Outcome).front.focus()
        await until(lambda: "Cup 3 of 5" in screen_text(app) and "asks: ^g answers" in screen_text(app))
        await snap_sizes(pilot)


def report_progress(link: FakeLink) -> None:
    token = link.server.received[-1]["params"]["_meta"]["progressToken"]
    params = {"progressToken": token, "progress": 3, "total": 5, "message": "Cup 3 of 5"}
    link.server.write({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})


async def test_a_prompt_with_proposals(snap_sizes: SnapSizes) -> None:
    link = kitchen_link()
    link.server.replies["completion/complete"] = {"completion": {"values": ["birthday", "baptism", "wedding"]}}
    async with tools(link) as (pilot, app):
        await pilot.press("G")
        await until(lambda: "Write an invitation." in screen_text(app))
        await pilot.press("enter", *"Ada", "tab", "b")
        await until(lambda: app.query(LineEditor).last()._suggestion == "birthday")
        await until(lambda: screen_text(app).count("birthday · baptism") == 1)
        await snap_sizes(pilot)
