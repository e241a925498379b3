"""Snapshots of the tools and the requests, on a small and on a large terminal.

After an intended change, check the report, then run pytest with `--snapshot-update`.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text
from tests.workbench.tui.kitchen import ADDRESS, DESSERT, SAMPLING, ask, kitchen_app, kitchen_link, text_result
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.tools_pane import ToolsPane
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.form.row import FieldRow
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.questions.question_view import QuestionView

Compare = Callable[..., bool]
Steps = Callable[[Pilot[Any], WorkbenchApp], Awaitable[None]]

both_sizes = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])

BOOKING = {
    "contact": {"name": "Ada"},
    "day": "2027-02-31",
    "guests": [{"name": "Ada", "diet": None}, {"name": ""}],
    "extras": ["cake"],
    "notes": {"wine": "red"},
    "payment": {"code": "x", "amount": 3},
    "custom": {"a": [1, 2]},
}


def steps(*keys: str, then: Steps | None = None) -> Callable[[Pilot[Any]], Awaitable[None]]:
    """Return the steps that open the tools, press keys, do more, and stop the cursor from blinking."""

    async def run(pilot: Pilot[Any]) -> None:
        app = await opened(pilot)
        await until(lambda: app.query(FieldRow))
        await pilot.press(*keys)
        if then is not None:
            await then(pilot, app)
        await pilot.pause()
        await pilot.wait_for_scheduled_animations()
        for editor in app.screen.query("Input, TextArea"):
            assert isinstance(editor, Input | TextArea)
            editor.cursor_blink = False
        await pilot.pause()

    return run


async def question_in_view(pilot: Pilot[Any], app: WorkbenchApp) -> None:
    """Wait until the question of the call in view is shown."""
    await until(lambda: app.query(QuestionView) and app.query(QuestionView).first().is_mounted)
    await pilot.pause()


async def fill_in_the_booking(pilot: Pilot[Any], app: WorkbenchApp) -> None:
    editor = app.query_one(FormEditor)
    await until(lambda: "Book a table" in screen_text(app))
    await pilot.press("enter")
    assert editor.form is not None
    editor.form.load(BOOKING)
    editor.view.show_values()
    await until(lambda: any(row.field.path == ("custom",) for row in app.query(FieldRow)))
    await until(lambda: any(row.field.path == ("payment", "amount") for row in app.query(FieldRow)))


@both_sizes
def test_the_tools(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(kitchen_app(kitchen_link()), terminal_size=size, run_before=steps())


@both_sizes
def test_a_form_with_a_problem(snap_compare: Compare, size: tuple[int, int]) -> None:
    app = kitchen_app(kitchen_link())
    assert snap_compare(app, terminal_size=size, run_before=steps("enter", "A"))


@both_sizes
@pytest.mark.parametrize("at", ["top", "middle", "end"])
def test_a_form_with_every_kind_of_field(snap_compare: Compare, size: tuple[int, int], at: str) -> None:
    async def then(pilot: Pilot[Any], app: WorkbenchApp) -> None:
        await fill_in_the_booking(pilot, app)
        await pilot.pause()
        view = app.query_one(FormEditor).view
        if at == "middle":
            view.scroll_to(y=18, animate=False)
        elif at == "end":
            view.scroll_end(animate=False)

    app = kitchen_app(kitchen_link())
    assert snap_compare(app, terminal_size=size, run_before=steps("down", then=then))


@both_sizes
def test_the_json_of_a_form(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def then(pilot: Pilot[Any], app: WorkbenchApp) -> None:
        await fill_in_the_booking(pilot, app)
        await pilot.press("ctrl+t")

    assert snap_compare(kitchen_app(kitchen_link()), terminal_size=size, run_before=steps("down", then=then))


@both_sizes
def test_json_that_cannot_be_read(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def then(pilot: Pilot[Any], app: WorkbenchApp) -> None:
        app.query_one("#json > TextArea", TextArea).text = '{\n  "name": oops\n}'
        await until(lambda: "line 2" in screen_text(app))

    app = kitchen_app(kitchen_link())
    assert snap_compare(app, terminal_size=size, run_before=steps("enter", "ctrl+t", then=then))


@both_sizes
def test_a_call_that_runs_and_requests_input(snap_compare: Compare, size: tuple[int, int]) -> None:
    link = kitchen_link()

    async def then(pilot: Pilot[Any], app: WorkbenchApp) -> None:
        await until(lambda: link.server.received[-1].get("method") == "tools/call")
        token = link.server.received[-1]["params"]["_meta"]["progressToken"]
        params = {"progressToken": token, "progress": 3, "total": 5, "message": "Cup 3 of 5"}
        link.server.write({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        ask(link, "q1", "elicitation/create", DESSERT)
        await until(lambda: app.workspace.questions.waiting)
        await question_in_view(pilot, app)
        # The outcome is behind the question.
        app.query_one(ToolsPane)._questions.uncover_outcome()
        await until(lambda: "Cup 3 of 5" in screen_text(app) and "1 question" in screen_text(app))

    run = steps("enter", *"Ada", "ctrl+j", then=then)
    assert snap_compare(kitchen_app(link), terminal_size=size, run_before=run)


@both_sizes
def test_a_failed_call(snap_compare: Compare, size: tuple[int, int]) -> None:
    link = kitchen_link()
    meta = {"arcade": {"errorKind": "TOOL_RUNTIME_RETRY", "canRetry": True, "additionalPromptContent": "Offer soup."}}
    link.server.replies["tools/call"] = text_result("There is no cheesecake left.", isError=True, _meta=meta)

    async def then(pilot: Pilot[Any], app: WorkbenchApp) -> None:
        await until(lambda: "✗ tool error" in screen_text(app))

    run = steps("enter", *"Ada", "ctrl+j", then=then)
    assert snap_compare(kitchen_app(link), terminal_size=size, run_before=run)


@both_sizes
def test_a_result_of_many_kinds_with_the_history(snap_compare: Compare, size: tuple[int, int]) -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = {
        "content": [
            {"type": "text", "text": "A text that is long enough to have to be folded at the edge of its column."},
            {"type": "image", "mimeType": "image/png", "data": "A" * 5000},
            {"type": "resource_link", "uri": "demo://menu", "name": "menu", "mimeType": "text/markdown"},
            {"type": "resource", "resource": {"uri": "demo://a", "text": '{"a": 1}', "mimeType": "application/json"}},
        ],
        "structuredContent": {"ok": True, "items": [1, 2.5, None, "x"]},
    }

    async def then(pilot: Pilot[Any], app: WorkbenchApp) -> None:
        await until(lambda: "✓ ok" in screen_text(app))
        await app.action_do("tools", "toggle_history")

    run = steps("enter", *"Ada", "ctrl+j", then=then)
    assert snap_compare(kitchen_app(link), terminal_size=size, run_before=run)


@both_sizes
def test_a_prompt_with_proposals(snap_compare: Compare, size: tuple[int, int]) -> None:
    link = kitchen_link()
    link.server.replies["completion/complete"] = {"completion": {"values": ["birthday", "baptism", "wedding"]}}

    async def then(pilot: Pilot[Any], app: WorkbenchApp) -> None:
        await until(lambda: "Write an invitation." in screen_text(app))
        await pilot.press("enter", *"Ada", "tab", "b")
        await until(lambda: app.query(LineEditor).last()._suggestion == "birthday")
        await until(lambda: screen_text(app).count("birthday · baptism") == 1)

    assert snap_compare(kitchen_app(link), terminal_size=size, run_before=steps("G", then=then))


QUESTIONS = {
    "form": ("elicitation/create", DESSERT),
    "address": ("elicitation/create", ADDRESS),
    "model": ("sampling/createMessage", SAMPLING),
    "folders": ("roots/list", {}),
}


@both_sizes
@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_question(snap_compare: Compare, size: tuple[int, int], kind: str) -> None:
    link = kitchen_link()
    link.info["project"] = "/home/ada/demo"

    async def then(pilot: Pilot[Any], app: WorkbenchApp) -> None:
        app.workspace.questions.ask_roots = True
        method, params = QUESTIONS[kind]
        ask(link, "q1", method, params)
        await until(lambda: app.workspace.questions.waiting)
        await app.show("requests")
        await until(lambda: "asked by" in screen_text(app))
        if kind == "form":
            await until(lambda: app.query("RequestsPane FieldRow:focus-within"))
            await pilot.press("ctrl+j")
            await until(lambda: "✗ required" in screen_text(app))

    assert snap_compare(kitchen_app(link), terminal_size=size, run_before=steps(then=then))


@both_sizes
def test_several_questions(snap_compare: Compare, size: tuple[int, int]) -> None:
    link = kitchen_link()

    async def then(pilot: Pilot[Any], app: WorkbenchApp) -> None:
        for number, (method, params) in enumerate(QUESTIONS.values()):
            ask(link, f"q{number}", method, params)
        await until(lambda: len(app.workspace.questions.waiting) == 3)
        await app.show("requests")
        await until(lambda: "? model" in screen_text(app))

    assert snap_compare(kitchen_app(link), terminal_size=size, run_before=steps(then=then))


@both_sizes
def test_no_question(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(kitchen_app(kitchen_link()), terminal_size=size, run_before=steps("3"))
