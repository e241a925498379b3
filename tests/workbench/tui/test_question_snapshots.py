"""Snapshots of questions, beside their call and on the Requests screen, and before a call is cancelled, at every size.

After an intended change, check the report, then run pytest with `--snapshot-update`.
"""

from typing import Any

import pytest
from textual.pilot import Pilot

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.fakes import NOON
from tests.workbench.tui.kitchen import ADDRESS, DESSERT, SAMPLING, ask, kitchen_link
from tests.workbench.tui.screens.tools_pane import tools
from tests.workbench.tui.snapshots import SnapSizes
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens import answer_guard
from workbench.tui.screens.question_column import QuestionColumn
from workbench.tui.screens.run_actions import CancelScreen
from workbench.tui.widgets.questions.question_view import QuestionView
from workbench.tui.widgets.result import ResultView

QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "form": ("elicitation/create", DESSERT),
    "url": ("elicitation/create", ADDRESS),
    "sampling": ("sampling/createMessage", SAMPLING),
    "roots": ("roots/list", {}),
}


async def question_in_view(pilot: Pilot[Any], app: WorkbenchApp) -> None:
    """Wait until the question of the call in view is shown."""
    await until(lambda: app.query(QuestionView) and app.query(QuestionView).first().is_mounted)
    await until(lambda: all(view.size.width for view in app.query_one(QuestionColumn).query(ResultView)))
    await pilot.pause()


@pytest.mark.parametrize("kind", QUESTIONS)
async def test_a_question(snap_sizes: SnapSizes, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    link = kitchen_link()
    link.info["project"] = "/home/ada/demo"
    for tool in link.answers["catalog/get"]["tools"]:
        tool["timeout"] = 20.0
    # Where it takes the focus by itself, the key would leave it.
    monkeypatch.setattr(answer_guard, "GUARD_S", 1000.0)
    async with tools(link) as (pilot, app):
        await pilot.press("enter", *"Ada", "ctrl+j")
        await until(lambda: link.server.received[-1].get("method") == "tools/call")
        app.workspace.questions.ask_roots = True
        ask(link, "q1", *QUESTIONS[kind])
        await until(lambda: app.workspace.questions.waiting)
        await question_in_view(pilot, app)
        if kind == "form":
            await snap_sizes(pilot, "beside its call, without the focus")
        await pilot.press("ctrl+g")
        await until(lambda: app.query_one(QuestionColumn).has_focus_within)
        # The time to answer is requested from the core.
        await until(lambda: "20 s left to answer" in screen_text(app))
        await snap_sizes(pilot, "beside its call")
        await app.show("requests")
        await until(lambda: "asked by" in screen_text(app) and "20 s left to answer" in screen_text(app))
        if kind == "form":
            await until(lambda: app.query("RequestsPane FieldRow:focus-within"))
            await pilot.press("ctrl+j")
            await until(lambda: "✗ required" in screen_text(app))
        # Where the list of folders begins depends on when the time to answer has arrived.
        if kind != "roots":
            await snap_sizes(pilot, "on the screen of requests")


async def test_no_question_and_several(snap_sizes: SnapSizes) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await pilot.press("3")
        await until(lambda: app.place == "requests")
        await snap_sizes(pilot, "none")
        for number, (method, params) in enumerate(QUESTIONS.values()):
            ask(link, f"q{number}", method, params)
        await until(lambda: len(app.workspace.questions.waiting) == 3)
        await until(lambda: "? model" in screen_text(app))
        for question in app.workspace.questions.waiting:
            question.asked = NOON - 75
        await snap_sizes(pilot, "several")


async def test_cancelling_a_long_call(snap_sizes: SnapSizes) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await pilot.press("enter", *"Ada", "ctrl+j")
        await until(lambda: link.server.received[-1].get("method") == "tools/call")
        app.workspace.clock = lambda: NOON + 23
        await pilot.press("ctrl+x")
        await until(lambda: isinstance(app.screen, CancelScreen))
        await snap_sizes(pilot)
