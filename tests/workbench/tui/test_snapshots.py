"""Snapshots of the panes that show lists and of the dialogs, at every size.

After an intended change, check the report, then run pytest with `--snapshot-update`.
"""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import Input, Static

from server_core.protocol.revisions import LATEST_STATELESS
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, settled, terminal
from tests.workbench.tui.fakes import ACCOUNTS, CATALOG, NOON, FakeLink, conversation
from tests.workbench.tui.kitchen import kitchen_link
from tests.workbench.tui.screens.held_messages import MESSAGE, holding
from tests.workbench.tui.screens.inspector_pane import inspecting
from tests.workbench.tui.screens.tools_pane import tools
from tests.workbench.tui.snapshots import SnapSizes
from workbench.replay.differences import ValueDifference
from workbench.replay.report import ReplayOutcome, Status
from workbench.tui import notice_app
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.core_dialogs import lost_screen, no_core_screen, no_server_screen, stopped_screen
from workbench.tui.screens.jump import JumpScreen
from workbench.tui.screens.replay_screen import ReplayScreen
from workbench.tui.screens.session_dialogs import log_level_screen, revision_screen
from workbench.tui.screens.start import prompt_for
from workbench.workspace.capture_replay import CaptureReplay

NOTHING = CATALOG | {part: [] for part in ("tools", "resources", "templates", "prompts", "problems")}


async def dialog(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys that open a dialog."""
    await pilot.press(*keys)
    await until(lambda: pilot.app.screen.is_modal)


async def without_dialog(pilot: Pilot[Any]) -> None:
    await pilot.press("escape")
    await until(lambda: not pilot.app.screen.is_modal)


async def test_the_inspector(snap_sizes: SnapSizes) -> None:
    async with inspecting(by_call=True) as (pilot, _):
        await snap_sizes(pilot, "newest")
        await pilot.press("g", "j", "j", "j", "enter")
        await settled(pilot)
        await snap_sizes(pilot, "both halves of a call")
        await pilot.press("escape", "m")
        await settled(pilot)
        await snap_sizes(pilot, "a row for each message")


async def test_the_filter_of_the_inspector(snap_sizes: SnapSizes) -> None:
    async with inspecting(by_call=True) as (pilot, pane):
        field = pane.query_one("#filter", Input)
        for state, text in (("unreadable", "tool:greet status:maybe"), ("no match", "tool:nothing")):
            field.value = text
            await settled(pilot)
            await snap_sizes(pilot, state)
        field.value = "tool:greet"
        await pilot.press("v", "g", "n")
        await settled(pilot)
        await snap_sizes(pilot, "shown among the others")


async def test_the_held_messages(snap_sizes: SnapSizes) -> None:
    asked = {"id": 18, "direction": "out", "method": "elicitation/create", "name": "", "seconds_left": None}
    late = {"id": 20, "kind": "response", "direction": "out", "seconds_left": 4.0, "answerable": False}
    async with holding(MESSAGE, MESSAGE | asked, MESSAGE | {"id": 19, "cancelled": True}, MESSAGE | late) as (
        pilot,
        _,
        _,
    ):
        await settled(pilot)
        await snap_sizes(pilot, "announced")
        await dialog(pilot, "I")
        await settled(pilot)
        await snap_sizes(pilot, "listed")
        await without_dialog(pilot)
        await dialog(pilot, "i")
        await settled(pilot)
        await snap_sizes(pilot, "filter")


async def test_the_dialogs_of_the_inspector(snap_sizes: SnapSizes) -> None:
    async with inspecting(by_call=True) as (pilot, pane):
        await pilot.press("g", "j", "j", "j")
        for key, state in (("C", "composer"), ("S", "statistics"), ("x", "export"), ("Y", "copy as")):
            await dialog(pilot, key)
            await settled(pilot)
            await snap_sizes(pilot, state)
            await without_dialog(pilot)
        replay = CaptureReplay(pane.workspace, "/captures/cafe.capture")
        replay.outcomes = [
            ReplayOutcome(3, "s1", "server/discover", "", Status.SAME),
            ReplayOutcome(5, "s1", "subscriptions/listen", "", Status.SKIPPED, "it is a subscription"),
            ReplayOutcome(
                8,
                "s1",
                "tools/call",
                "greet",
                Status.DIFFERS,
                differences=(ValueDifference("$.result.content[0].text", "Hello, Ada!", "Good morning, Ada!"),),
            ),
        ]
        pane.app.push_screen(ReplayScreen(replay))
        await until(lambda: "cannot be read" in screen_text(pane.workbench))
        await pilot.press("down", "down")
        await settled(pilot)
        await snap_sizes(pilot, "replay")


async def test_the_secrets(snap_sizes: SnapSizes) -> None:
    async with terminal(FakeLink(), pane="secrets") as (pilot, app):
        await snap_sizes(pilot, "list")
        await dialog(pilot, "G", "enter")
        app.screen.query_one(Input).value = "s3cret-value"
        await snap_sizes(pilot, "setting")


async def test_the_accounts(snap_sizes: SnapSizes) -> None:
    link = FakeLink()
    link.answers["accounts/list"] = {"accounts": ACCOUNTS}
    async with terminal(link, pane="secrets") as (pilot, _):
        await pilot.press("tab", "j")
        await snap_sizes(pilot, "list")
        await dialog(pilot, "j", "l")
        await snap_sizes(pilot, "logging in")


async def test_the_problems(snap_sizes: SnapSizes) -> None:
    link = FakeLink()
    async with terminal(link, pane="problems") as (pilot, app):
        await snap_sizes(pilot, "list")
        link.answers["catalog/get"] = CATALOG | {"ok": False, "reloaded": [], "changes": {}}
        await app.workspace.core.refresh("catalog")
        await until(lambda: not app.workspace.core.checks.is_running)
        await snap_sizes(pilot, "failed reload")


async def test_the_sessions(snap_sizes: SnapSizes) -> None:
    async with terminal(FakeLink(conversation()), pane="sessions") as (pilot, _):
        await settled(pilot)
        await snap_sizes(pilot, "list")
        await dialog(pilot, "enter")
        await snap_sizes(pilot, "menu of a capture")


async def test_keys_commands_notices_and_leaving(snap_sizes: SnapSizes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notice_app, "time", SimpleNamespace(time=lambda: NOON))
    async with inspecting(by_call=True) as (pilot, pane):
        app = pane.workbench
        await dialog(pilot, "question_mark")
        await snap_sizes(pilot, "keys")
        await without_dialog(pilot)
        await dialog(pilot, "ctrl+p")
        assert isinstance(app.screen, CommandPalette)
        app.screen.query_one(Input).value = "secr"
        await until(lambda: "Tool: order_beans" in screen_text(app) or "Secrets: unset" in screen_text(app))
        await snap_sizes(pilot, "palette")
        await without_dialog(pilot)
        app.notify("The file tools/[b]booking.py was saved. " * 6, title="Saved", markup=False)
        await dialog(pilot, "f3")
        await snap_sizes(pilot, "notices")
        await without_dialog(pilot)
        await dialog(pilot, "q")
        await snap_sizes(pilot, "leaving")


async def test_the_letters_that_move_the_focus(snap_sizes: SnapSizes) -> None:
    async with tools(kitchen_link()) as (pilot, app):

        async def letters() -> None:
            await dialog(pilot, "ctrl+o")
            await until(lambda: isinstance(app.screen, JumpScreen) and app.screen.query(Static))

        await snap_sizes.reopened(pilot, "", letters)


async def test_a_lost_core(snap_sizes: SnapSizes) -> None:
    async with terminal(FakeLink(), pane="problems") as (pilot, app):
        app.workspace.end.post_mortem = "\n".join(
            ["The core k7 (process 4242) ended with exit code 1.", "Last lines on its stderr:"]
            + [f'  File "/home/ada/demo/tools/booking.py", line {line}, in book' for line in range(11, 15)]
            + ["MemoryError"]
        )
        app.workspace.connected = False
        app._workspace_changed("link")
        await until(lambda: app.screen.is_modal)
        await snap_sizes(pilot)


async def test_the_start_screen(snap_sizes: SnapSizes, tmp_path: Path) -> None:
    link = FakeLink()
    link.info["project"] = "/home/ada/empty"
    link.answers["catalog/get"] = NOTHING
    async with terminal(link, pane="problems") as (pilot, app):
        await until(lambda: app.screen.is_modal)
        await snap_sizes(pilot)


async def test_the_start_screen_with_servers(snap_sizes: SnapSizes) -> None:
    link = FakeLink()
    link.info["project"] = "/home/ada/empty"
    link.answers["catalog/get"] = NOTHING
    servers = {
        "everything": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-everything"]},
        "kettle": {"url": "https://kettle.example/mcp", "headers": {"Authorization": "Bearer ${KETTLE:-k-123456}"}},
        "broken": {"command": "tea", "args": "hot"},
    }
    (Path.home() / ".cursor").mkdir()
    (Path.home() / ".cursor/mcp.json").write_text(json.dumps({"mcpServers": servers}, indent=1))
    async with terminal(link, pane="problems") as (pilot, app):
        await until(lambda: app.screen.is_modal and "kettle" in screen_text(app))
        await pilot.press("tab", "tab", "down")
        await until(lambda: "Authorization" in screen_text(app))
        await snap_sizes(pilot)


async def test_the_dialogs_that_open_when_they_are_due(snap_sizes: SnapSizes) -> None:
    new, connect = prompt_for("new"), prompt_for("connect")
    assert new is not None
    assert connect is not None
    text = "It ended.\n" * 20
    async with terminal(FakeLink(), pane="problems") as (pilot, app):
        for state, screen in {
            "new project": new,
            "another server": connect,
            "revision": revision_screen(LATEST_STATELESS, is_relay=True),
            "log level": log_level_screen("error"),
            "lost": lost_screen(text),
            "stopped": stopped_screen(text),
            "no core": no_core_screen(text),
            "no server": no_server_screen(text),
        }.items():
            await app.push_screen(screen)
            await snap_sizes(pilot, state, ((60, 15), (120, 40)))
            await app.pop_screen()


async def test_a_terminal_that_is_too_small(snap_sizes: SnapSizes) -> None:
    async with terminal(FakeLink(), pane="problems") as (pilot, app):
        await snap_sizes(pilot, sizes=((50, 12), (30, 5)))
        assert isinstance(app, WorkbenchApp)
        assert "Problems" in screen_text(app)
