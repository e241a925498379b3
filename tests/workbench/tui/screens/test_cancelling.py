"""Cancelling a call: at once, or after a question where it has run long; never by Esc."""

import pytest

from tests.waiting import until
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.fakes import NOON
from tests.workbench.tui.kitchen import DESSERT, ask, kitchen_link, text_result
from tests.workbench.tui.screens.requests_pane import ELICIT
from tests.workbench.tui.screens.tools_pane import called, choose, tools
from workbench.model.history import RunStatus
from workbench.tui.actions import PLACES
from workbench.tui.screens.run_actions import CancelScreen
from workbench.tui.widgets.outcome import Outcome


@pytest.mark.parametrize(("key", "is_cancelled"), [("ctrl+x", True), ("x", True), ("escape", False), ("c", False)])
async def test_a_call_that_has_run_long_is_cancelled_after_one_question(key: str, is_cancelled: bool) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        run = app.query_one(Outcome).run
        assert run is not None
        app.workspace.clock = lambda: NOON + 23
        await pilot.press("ctrl+x")
        await until(lambda: isinstance(app.screen, CancelScreen))
        assert "ping #1 has run for 23.0 s." in screen_text(app)
        assert run.is_running
        await pilot.press(key)
        await until(lambda: not app.screen.is_modal)
        if not is_cancelled:
            assert run.is_running
            # The user has been asked.
            await pilot.press("ctrl+x")
        await until(lambda: run.status is RunStatus.CANCELLED)
        assert not app.screen.is_modal


async def test_the_question_closes_when_the_call_ends_meanwhile() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        request = await link.server.message("tools/call")
        app.workspace.clock = lambda: NOON + 23
        await pilot.press("ctrl+x")
        await until(lambda: isinstance(app.screen, CancelScreen))
        link.server.answer(request, text_result("pong"))
        await until(lambda: not app.screen.is_modal)
        await until(lambda: "pong" in screen_text(app))


async def test_a_call_is_cancelled_from_its_question_without_a_message() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        ask(link, "q1", ELICIT, DESSERT)
        await until(lambda: app.workspace.questions.waiting)
        await pilot.press("ctrl+g", "ctrl+x")
        await until(lambda: called(link, "notifications/cancelled"))
        link.server.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "q1"}})
        await until(lambda: not app.workspace.questions.waiting)
        await pilot.pause()
        assert toasts(app) == ""


@pytest.mark.parametrize("size", [(80, 24), (180, 40)], ids=str)
@pytest.mark.parametrize("place", PLACES)
async def test_escape_cancels_neither_a_call_nor_a_question_on_any_screen(place: str, size: tuple[int, int]) -> None:
    link = kitchen_link()
    async with tools(link, size) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        run = next(iter(app.workspace.history))
        ask(link, "q1", ELICIT, DESSERT)
        await until(lambda: app.workspace.questions.waiting)
        await app.show(place)
        for _ in range(6):
            await pilot.press("escape", "tab")
        await pilot.press("escape", "escape")
        assert run.is_running
        assert app.workspace.questions.waiting
        assert not called(link, "notifications/cancelled")


async def test_the_outcome_names_the_other_calls_that_go_on() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        for count in (1, 2):
            await choose(pilot, app, "ping")
            await pilot.press("ctrl+j")
            await until(lambda count=count: len(called(link)) == count)
        await until(lambda: "Also running: ping #1 · h shows all" in screen_text(app))
        await until(lambda: "Cancel #2 ^x" in screen_text(app))
        await pilot.press("ctrl+x")
        first, second = app.workspace.history
        await until(lambda: second.status is RunStatus.CANCELLED)
        assert first.is_running
        app.workspace.cancel(first)
        await until(lambda: "Also running" not in screen_text(app))
