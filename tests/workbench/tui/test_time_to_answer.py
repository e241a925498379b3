"""The time to answer on a real core, in both eras: it is counted down, and a key extends it."""

from pathlib import Path

import pytest

from server_core.protocol.revisions import LATEST_STATELESS, Revision
from tests.waiting import until, within
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.working import in_both_eras, working
from workbench.client.questions import PendingQuestions
from workbench.client.session import ClientSession
from workbench.model.history import CallRun, RunStatus
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens import answer_guard
from workbench.tui.screens.answer_pane import time_left_text
from workbench.tui.screens.question_column import QuestionColumn
from workbench.tui.widgets.traffic import TrafficList

ASKS = """
from server_core import Context, tool


@tool(timeout=40)
async def approve(context: Context) -> str:
    \"\"\"Ask for approval.\"\"\"
    answer = await context.ui.elicit("Approve?", {"type": "object", "properties": {}}, timeout=%s)
    if answer.action == "decline":
        await context.ui.elicit("Why not?", {"type": "object", "properties": {}}, timeout=30)
    return answer.action
"""


CONTINUES = """
import asyncio

from server_core import Context, tool
from server_core.exceptions import ContextError

EMPTY = {"type": "object", "properties": {}}


async def first(context: Context) -> str:
    try:
        return (await context.ui.elicit("First?", EMPTY, timeout=0.3)).action
    except ContextError:
        return "late"


@tool
async def approve(context: Context) -> str:
    \"\"\"Ask two questions at once, the first for a short time.\"\"\"
    other = context.ui.elicit("Second?", EMPTY, timeout=30)
    answers = await asyncio.gather(first(context), other)
    return f"{answers[0]}, {answers[1].action}"
"""


async def called(app: WorkbenchApp) -> CallRun:
    await until(lambda: any(tool["name"] == "approve" for tool in app.tools))
    await app.open_tool("approve")
    await app.run_action("act('run')", app.pane)
    await until(lambda: len(app.workspace.history))
    return next(iter(app.workspace.history))


async def asked(app: WorkbenchApp) -> CallRun:
    """Call the tool, and wait for its question."""
    run = await called(app)
    await until(lambda: app.workspace.questions.waiting)
    return run


@in_both_eras
async def test_the_time_of_a_question_is_shown_and_extended(
    project: Path, revision: Revision, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A question that takes the focus by itself accepts keys only after a moment.
    monkeypatch.setattr(answer_guard, "GUARD_S", 0.0)
    (project / "tools" / "asks.py").write_text(ASKS % 30)
    async with working(project, "tools", revision) as (pilot, app):
        run = await asked(app)
        await until(lambda: app.query_one(QuestionColumn).question is not None)
        # The question has less time than the tool.
        await until(lambda: run.deadline is not None)
        assert run.deadline is not None
        assert run.deadline - run.started < 32
        await until(lambda: "s left to answer · alt+e adds 60 s" in screen_text(app))
        await pilot.press("ctrl+g")
        await until(lambda: app.query_one(QuestionColumn).has_focus_within)
        await pilot.press("alt+e")
        await until(lambda: "s left, 60 s added" in screen_text(app))
        assert run.deadline - run.started > 80
        # The next question of the call has a time of its own.
        await pilot.press("ctrl+d")
        await until(lambda: "Why not?" in screen_text(app) and "s left to answer" in screen_text(app))
        # The first key only shows that it is another question.
        await pilot.press("ctrl+j", "ctrl+j")
        await until(lambda: run.status is RunStatus.OK)


@in_both_eras
async def test_a_question_that_is_not_answered_in_time_ends_with_its_call(project: Path, revision: Revision) -> None:
    (project / "tools" / "asks.py").write_text(ASKS % 0.3)
    async with working(project, "tools", revision) as (_, app):
        run = await called(app)
        await until(lambda: run.status is RunStatus.TOOL_ERROR)
        assert "within 0.3 s" in str(run.result)
        assert not app.workspace.questions.waiting
        await until(lambda: app.query_one(QuestionColumn).question is None)
        await app.show("requests")
        reason = "the time to answer was over" if revision.stateless else "the server no longer waits"
        await until(lambda: f"approve #1: Approve? – {reason}" in screen_text(app))


async def test_a_tool_goes_on_without_an_answer_that_is_late(project: Path) -> None:
    (project / "tools" / "asks.py").write_text(CONTINUES)
    async with working(project, "tools", LATEST_STATELESS) as (_, app):
        run = await called(app)
        questions = app.workspace.questions
        await until(lambda: questions.withdrawn)
        assert questions.withdrawn[0].expired
        assert not questions.withdrawn[0].accept({})
        (second,) = questions.waiting
        assert second.accept({})
        await until(lambda: run.status is RunStatus.OK)
        assert run.result is not None
        assert "late, accept" in str(run.result["content"])


def test_a_time_that_is_over_is_stated() -> None:
    assert time_left_text(None, 0) == ""
    assert time_left_text(1.2, 60) == "2 s left, 60 s added · alt+e adds 60 s"
    assert time_left_text(0, 0) == "The time to answer is over: the tool no longer waits."


@in_both_eras
async def test_a_call_that_has_ended_is_not_extended(project: Path, revision: Revision) -> None:
    (project / "tools" / "asks.py").write_text(ASKS % 30)
    async with working(project, "tools", revision) as (_, app):
        run = await asked(app)
        await until(lambda: run.deadline is not None)
        column = app.query_one(QuestionColumn)
        run.request_id = None
        await column.action_act("extend")
        await until(lambda: "has ended" in toasts(app) or "unknown which call asks" in toasts(app))


@in_both_eras
async def test_a_call_of_another_client_is_extended_in_the_inspector(project: Path, revision: Revision) -> None:
    (project / "tools" / "asks.py").write_text(ASKS % 30)
    async with working(project, "inspector", revision) as (pilot, app):
        questions = PendingQuestions()
        channel = await app.workspace.link.open_session()
        client = await ClientSession.open(channel, revision=revision, questions=questions)
        progress: list[str] = []
        call = client.call_tool("approve", {}, on_progress=lambda step: progress.append(step.message))
        await until(lambda: questions.waiting)
        list_of_calls = app.query_one(TrafficList)
        await until(lambda: (entry := list_of_calls.entry) is not None and entry.name == "approve")
        await pilot.press("alt+e", "alt+e")
        await until(lambda: "approve has 150 s left." in toasts(app))
        # From 2026-07-28 on, no request is open while the question is, so that nothing can be sent.
        effect = "Its client wants no progress now" if revision.stateless else "Its client was sent progress"
        await until(lambda: effect in toasts(app))
        assert progress == ([] if revision.stateless else ["It may take 60 s longer."] * 2)
        assert questions.waiting[0].accept({})
        await within(call.result())
        await pilot.press("alt+e")
        await until(lambda: "The call has ended." in toasts(app))
        await client.close()
