"""Snapshots of watched calls, a paused replay and the command log, at every size."""

from pathlib import Path

import pytest

from tests.waiting import until
from tests.workbench.tui.driving import screen_text, terminal
from tests.workbench.tui.fakes import NOON, FakeLink
from tests.workbench.tui.kitchen import kitchen_link
from tests.workbench.tui.screens.tools_pane import tools
from tests.workbench.tui.snapshots import SnapSizes
from workbench.model.action_commands import CommandLog
from workbench.model.catalog import OfferKind
from workbench.model.difference import ChangeKind, ValueChange
from workbench.model.history import CallRun
from workbench.model.saved_calls import SavedCall
from workbench.model.watched_result import WatchedResult
from workbench.replay.player import Player
from workbench.replay.recording import RecordedExchange, Recording, Sent
from workbench.replay.report import ReplayOutcome, Status
from workbench.tui.screens.replay_screen import ReplayScreen
from workbench.workspace.capture_replay import CaptureReplay, ReplayPhase


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def ended(number: int, seconds: float, text: str) -> CallRun:
    run = CallRun(number, "greet", {}, NOON)
    run.finish({"content": [{"type": "text", "text": text}]}, NOON + seconds)
    return run


async def test_the_watched_calls(snap_sizes: SnapSizes) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        watched, first = app.workspace.watched_calls, ended(1, 0.012, "Hello, Ada!")
        for name, arguments in (("greet Ada", {"name": "Ada"}), ("", {"name": "Bo", "times": 2}), ("ask", {})):
            watched.add(SavedCall(name, OfferKind.TOOL, "greet", arguments), first=first)
        red, green, asking = watched.calls
        change = ValueChange(ChangeKind.CHANGED, "content[0].text", '"Hello, Ada!"', '"Welcome, Ada!"')
        red.result = WatchedResult(
            red.call, ended(2, 0.045, "Welcome, Ada!"), [change], "breaking for callers", first=first
        )
        asking.result = WatchedResult(asking.call, green.first, asked=("Which table?",), first=first)
        watched.add(SavedCall("clear", OfferKind.TOOL, "clear")).result = WatchedResult(
            SavedCall("clear", OfferKind.TOOL, "clear"), reason="not run: the tool may destroy data (destructiveHint)"
        )
        app.workspace.note_watched()
        await pilot.press("escape", "W")
        await until(lambda: "1 difference" in screen_text(app))
        await snap_sizes(pilot, "table")


async def test_a_paused_replay(snap_sizes: SnapSizes) -> None:
    async with terminal(FakeLink(), pane="sessions") as (pilot, app):
        replay = CaptureReplay(app.workspace, "/captures/cafe.capture", is_stepped=True)
        replay.exchanges = [
            RecordedExchange(seq, "s1", "tools/call", {"name": "greet", "arguments": {"name": name}})
            for seq, name in ((3, "Ada"), (5, "Bo"), (7, "Cy"))
        ]
        replay.outcomes = [ReplayOutcome(3, "s1", "tools/call", "greet", Status.SAME)]
        replay.exchanges[1].skip()
        replay.exchanges[2].change({"name": "greet", "arguments": {"name": "Di"}})
        steps = [Sent(exchange) for exchange in replay.exchanges[1:]]
        replay._player = Player(Recording(Path("cafe.capture"), [*steps]), app.workspace.link.open_session, "demo")
        replay.phase = ReplayPhase.PAUSED
        app.push_screen(ReplayScreen(replay, 7))
        await until(lambda: "changed" in screen_text(app))
        await snap_sizes(pilot, "rows")


async def test_the_command_log(snap_sizes: SnapSizes) -> None:
    async with terminal(FakeLink(), pane="sessions") as (pilot, app):
        app.commands = CommandLog(lambda: NOON)
        app.commands.add("workbench call greet name=Ada times:=3")
        app.commands.add("workbench captures rename /captures/demo-2027-01-15.capture 'the slow order'")
        app.commands.add("workbench call order --project /home/ada/demo", "Without the values of secrets: key")
        await pilot.press("alt+c")
        await until(lambda: "Without the values" in screen_text(app))
        await snap_sizes(pilot, "newest first")
