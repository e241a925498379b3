"""Snapshots of the question of the call in view, and of the question before a call is cancelled, at every width.

After an intended change, check the report, then run pytest with `--snapshot-update`.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.waiting import until
from tests.workbench.tui.fakes import NOON, FakeLink
from tests.workbench.tui.kitchen import ADDRESS, DESSERT, SAMPLING, ask, kitchen_app, kitchen_link
from tests.workbench.tui.test_form_snapshots import Compare, question_in_view, steps
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens import question_column
from workbench.tui.screens.question_column import QuestionColumn
from workbench.tui.screens.run_actions import CancelScreen
from workbench.tui.widgets.result import ResultView

SIZES = [(60, 20), (80, 24), (120, 40), (170, 50), (240, 60)]
all_sizes = pytest.mark.parametrize("size", SIZES, ids=[f"{width}x{height}" for width, height in SIZES])

QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "form": ("elicitation/create", DESSERT),
    "url": ("elicitation/create", ADDRESS),
    "sampling": ("sampling/createMessage", SAMPLING),
    "roots": ("roots/list", {}),
}


def asked(link: FakeLink, kind: str, *keys: str) -> Callable[[Pilot[Any]], Awaitable[None]]:
    """Return the steps that run a tool until it asks, and press keys."""

    async def then(pilot: Pilot[Any], app: WorkbenchApp) -> None:
        await until(lambda: link.server.received[-1].get("method") == "tools/call")
        app.workspace.questions.ask_roots = True
        ask(link, "q1", *QUESTIONS[kind])
        await until(lambda: app.workspace.questions.waiting)
        await question_in_view(pilot, app)
        await pilot.press(*keys)
        if "ctrl+g" in keys:
            await until(lambda: app.query_one(QuestionColumn).has_focus_within)
        await until(lambda: all(view.size.width for view in app.query_one(QuestionColumn).query(ResultView)))

    return steps("enter", *"Ada", "ctrl+j", then=then)


@all_sizes
@pytest.mark.parametrize("kind", QUESTIONS)
def test_the_question_of_the_call_in_view(
    snap_compare: Compare, size: tuple[int, int], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = kitchen_link()
    for tool in link.answers["catalog/get"]["tools"]:
        tool["timeout"] = 20.0
    # Where it takes the focus by itself, the key would leave it.
    monkeypatch.setattr(question_column, "GUARD_S", 1000.0)
    assert snap_compare(kitchen_app(link), terminal_size=size, run_before=asked(link, kind, "ctrl+g"))


@pytest.mark.parametrize("size", SIZES[2:], ids=["120x40", "170x50", "240x60"])
def test_the_question_of_the_call_in_view_without_the_focus(snap_compare: Compare, size: tuple[int, int]) -> None:
    link = kitchen_link()
    assert snap_compare(kitchen_app(link), terminal_size=size, run_before=asked(link, "form"))


@all_sizes
def test_cancelling_a_long_call(snap_compare: Compare, size: tuple[int, int]) -> None:
    link = kitchen_link()

    async def then(pilot: Pilot[Any], app: WorkbenchApp) -> None:
        await until(lambda: link.server.received[-1].get("method") == "tools/call")
        app.workspace.clock = lambda: NOON + 23
        await pilot.press("ctrl+x")
        await until(lambda: isinstance(app.screen, CancelScreen))

    run = steps("enter", *"Ada", "ctrl+j", then=then)
    assert snap_compare(kitchen_app(link), terminal_size=size, run_before=run)
