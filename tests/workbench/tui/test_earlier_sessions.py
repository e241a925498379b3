"""The calls of earlier sessions are in the history of the next one."""

from pathlib import Path

from server_core.core import Core
from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.working import terminal_on, working
from workbench.model.history import RunStatus
from workbench.tui.widgets.outcome import Outcome


async def test_the_next_session_shows_and_repeats_the_calls_of_the_last(project: Path) -> None:
    async with working(project, "tools") as (_, app):
        run = app.workspace.call("greet", {"name": "Ada"})
        await until(lambda: not run.is_running)
    async with working(project, "tools") as (pilot, app):
        history = app.workspace.history
        await until(lambda: len(history) == 1)
        (earlier,) = history
        assert (earlier.tool, earlier.arguments, earlier.status) == ("greet", {"name": "Ada"}, RunStatus.OK)
        app.query_one(Outcome).front.focus()
        await pilot.press("h")
        await until(lambda: f"✓ {earlier.title}" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: f"of {earlier.title}" in screen_text(app))
        await until(lambda: "Hello, Ada" in screen_text(app))
        await pilot.press("r")
        await until(lambda: [run.number for run in history] == [-1, 1])
        again = history.find(1)
        assert again is not None
        await until(lambda: not again.is_running)
        assert (again.arguments, again.result) == (earlier.arguments, earlier.result)


async def test_a_terminal_that_attaches_shows_the_calls_of_the_terminal_before(project: Path) -> None:
    core = Core(project=project, reload=True, link=False)
    async with terminal_on(core) as (_, app):
        await until(lambda: app.tools)
        run = app.workspace.call("greet", {"name": "Ada"})
        await until(lambda: not run.is_running)
        first = app.workspace
        assert core.store is not None
        app.connect()
        await until(lambda: app.workspace is not first)
        # The history of the terminal continues, so these calls are not read a second time.
        assert [run.number for run in app.workspace.history] == [1]
