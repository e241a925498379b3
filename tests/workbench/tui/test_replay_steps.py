"""A replay step by step: requests are sent, changed and skipped one after the other, and continued by hand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from server_core.core import Core
from server_core.protocol.revisions import LATEST, Revision
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, settled, toasts
from tests.workbench.tui.working import in_both_eras, terminal_on
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.composer import Composer
from workbench.tui.screens.replay_screen import ReplayScreen
from workbench.workspace.capture_replay import CaptureReplay, ReplayPhase

TOOLS = """
from pathlib import Path
from server_core import tool


@tool
def greet(name: str) -> str:
    with Path(__file__).with_name("names.txt").open("a") as file:
        file.write(f"{name} ")
    return f"Hello, {name}!"
"""


class Stepping:
    """A replay of two calls, of Ada and Bo, that is paused before the first."""

    def __init__(self, pilot: Pilot[int], app: WorkbenchApp, folder: Path) -> None:
        self.pilot, self.app, self.folder = pilot, app, folder

    @property
    def names(self) -> list[str]:
        """The names that were greeted since the replay began."""
        return (self.folder / "names.txt").read_text().split()[2:]

    @property
    def replay(self) -> CaptureReplay:
        screen = self.app.screen
        assert isinstance(screen, ReplayScreen)
        return screen._replay

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def paused_before(self, name: str) -> None:
        """Wait until a call is next, and the cursor is on it."""

        def is_reached() -> bool:
            if not isinstance(self.app.screen, ReplayScreen) or self.replay.phase is not ReplayPhase.PAUSED:
                return False
            row, following = self.app.screen._current, self.replay.next
            is_next = following is not None and following.params.get("arguments") == {"name": name}
            return is_next and row is not None and row.exchange is following

        await until(is_reached)
        await self.pilot.pause()


@asynccontextmanager
async def stepping(folder: Path, revision: Revision | None = None) -> AsyncIterator[Stepping]:
    (folder / "tools.py").write_text(TOOLS)
    core = Core(project=folder, reload=False, link=False)
    async with terminal_on(core, "sessions", revision) as (pilot, app):
        await until(lambda: app.tools)
        for name in ("Ada", "Bo"):
            run = app.workspace.call("greet", {"name": name})
            await until(lambda run=run: not run.is_running)  # type: ignore[misc]
        await app.workspace.core.refresh("sessions")
        await until(lambda: app.workspace.core.captures[0]["records"] > 7)
        await settled(pilot)
        await pilot.press("enter")
        await until(lambda: app.screen.is_modal)
        await pilot.press("s")
        await until(lambda: isinstance(app.screen, ReplayScreen) and "→ next" in screen_text(app))
        steps = Stepping(pilot, app, folder)
        while (exchange := steps.replay.next) is not None and not exchange.name:
            await until(lambda: steps.replay.phase is ReplayPhase.PAUSED)
            await pilot.press("s")
            await until(lambda before=exchange: steps.replay.next is not before)  # type: ignore[misc]
        await steps.paused_before("Ada")
        yield steps


@in_both_eras
async def test_a_step_sends_one_request_and_shows_the_answer(tmp_path: Path, revision: Revision) -> None:
    async with stepping(tmp_path, revision) as steps:
        assert steps.names == []
        await steps.press("s")
        await steps.paused_before("Bo")
        assert steps.names == ["Ada"]
        await steps.press("R")
        await until(lambda: steps.replay.phase is ReplayPhase.ENDED)
        assert steps.names == ["Ada", "Bo"]
        await until(lambda: "0 differs" in screen_text(steps.app))


async def test_a_request_is_skipped_and_another_is_changed_before_it_is_sent(tmp_path: Path) -> None:
    async with stepping(tmp_path) as steps:
        await steps.press("x")
        await until(lambda: "→ skip" in screen_text(steps.app))
        await steps.press("s")
        await steps.paused_before("Bo")
        await steps.press("e")
        await until(lambda: isinstance(steps.app.screen, Composer))
        composer = steps.app.screen
        assert isinstance(composer, Composer)
        composer.area.load_text(composer.area.text.replace("Bo", "Cy"))
        await steps.press("ctrl+j")
        await steps.paused_before("Cy")
        await steps.press("R")
        await until(lambda: steps.replay.phase is ReplayPhase.ENDED)
        assert steps.names == ["Cy"]
        await until(lambda: "Hello, Cy!" in screen_text(steps.app))


async def test_a_text_that_is_no_request_changes_nothing(tmp_path: Path) -> None:
    async with stepping(tmp_path) as steps:
        await steps.press("e")
        await until(lambda: isinstance(steps.app.screen, Composer))
        composer = steps.app.screen
        assert isinstance(composer, Composer)
        composer.area.load_text("{not json")
        await steps.pilot.pause()
        await steps.press("ctrl+j", "ctrl+j")
        await until(lambda: "Nothing is changed" in screen_text(steps.app))
        await steps.paused_before("Ada")


@in_both_eras
async def test_the_terminal_continues_in_the_session_of_the_replay(tmp_path: Path, revision: Revision) -> None:
    async with stepping(tmp_path, revision) as steps:
        app, before = steps.app, steps.app.workspace.session
        await steps.press("s")
        await steps.paused_before("Bo")
        await steps.press("f")
        await until(lambda: "You continue before #" in toasts(app))
        await until(lambda: not app.screen.is_modal)
        session = app.workspace.session
        assert session is not None
        assert session is not before
        assert before is not None
        await until(before.closed.is_set)
        assert not app.workspace.server_lost
        run = app.workspace.call("greet", {"name": "Di"})
        await until(lambda: not run.is_running)
        assert steps.names == ["Ada", "Di"]


async def test_a_replay_that_is_closed_sends_no_more_and_closes_its_session(tmp_path: Path) -> None:
    async with stepping(tmp_path, LATEST) as steps:
        workspace = steps.app.workspace
        await steps.press("escape")
        await until(lambda: not steps.app.screen.is_modal)
        await workspace.core.refresh("sessions")
        await until(lambda: sum(each["closed"] is None for each in workspace.core.sessions) == 1)
        assert steps.names == []


async def test_a_row_that_was_sent_can_not_be_changed(tmp_path: Path) -> None:
    async with stepping(tmp_path) as steps:
        await steps.press("s")
        await steps.paused_before("Bo")
        await steps.press("up", "x")
        await until(lambda: "It was sent already" in screen_text(steps.app))
