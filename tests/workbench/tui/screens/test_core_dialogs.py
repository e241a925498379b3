"""Quitting, with the core or without it, and proceeding when it is lost."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual import events

from server_core.errors import ConfigurationError, ConnectionFailed
from tests.waiting import until, within
from tests.workbench.tui.driving import Driven, opened, screen_text, settled, terminal, toasts
from tests.workbench.tui.fakes import SESSIONS, FakeLink, conversation, open_fixed_workspace, opener
from workbench.model.core_use import CoreUse
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.core_dialogs import quit_screen
from workbench.workspace.open_request import StartChoice
from workbench.workspace.workspace import Workspace

SIZE = (120, 40)
ROOT = {"uri": "file:///srv/shared"}


@asynccontextmanager
async def lost_core(link: FakeLink, *later: FakeLink) -> AsyncIterator[Driven]:
    """A terminal that shows the dialog after the loss of its core; a restart uses the next link."""
    async with terminal(link, *later, pane="inspector") as (pilot, app):
        await settled(pilot)
        link.closed.set()
        await until(lambda: app.screen.is_modal)
        await pilot.pause()
        yield pilot, app


async def test_quitting_asks_and_can_stop_the_core() -> None:
    link = FakeLink()
    async with terminal(link, pane="problems") as (pilot, app):
        await pilot.press("q")
        assert "Quit the workbench" in screen_text(app)
        await pilot.press("s")
        await until(lambda: app.return_value is not None)
    assert app.return_value == 0
    assert ("core/stop", {}) in link.asked


async def test_quitting_can_leave_the_core_running_and_prints_how_to_attach() -> None:
    link = FakeLink()
    async with terminal(link, pane="problems") as (pilot, app):
        await pilot.press("ctrl+q")
        await pilot.press("l")
        await until(lambda: app.return_value is not None)
    assert ("core/stop", {}) not in link.asked
    assert "workbench attach k7" in app.farewell


async def test_the_dialog_of_leaving_shows_the_whole_command_that_attaches_also_in_a_small_terminal() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="problems")
    async with app.run_test(size=(60, 15)) as pilot:
        await opened(pilot, "problems")
        app.push_screen(quit_screen("6e116d52", CoreUse("link", 0.0)))
        await until(lambda: "workbench attach 6e116d52" in screen_text(app))
        assert "its captures stay on disk" in screen_text(app)


@pytest.mark.parametrize(
    ("purpose", "terminals", "sessions", "default", "text"),
    [
        ("link", 1, SESSIONS[:1], "stop", "records all traffic"),
        ("link", 2, SESSIONS[:1], "detach", "also disconnects: 1 other terminal."),
        ("link", 1, SESSIONS, "detach", "also disconnects: claude-code 3.0.1 (http)."),
        ("stdio", 1, SESSIONS[:1], "detach", "A client over stdio started it, and loses its server"),
        ("http", 1, SESSIONS[:1], "detach", "`workbench serve --http` started it"),
    ],
    ids=["alone", "other terminal", "client", "serve --stdio", "serve --http"],
)
async def test_enter_in_the_dialog_of_leaving_stops_no_core_that_others_use(
    purpose: str, terminals: int, sessions: list[dict[str, Any]], default: str, text: str
) -> None:
    link = FakeLink()
    link.info |= {"purpose": purpose, "terminals": terminals}
    link.answers["sessions/list"] = {"sessions": sessions}
    async with terminal(link, pane="problems") as (pilot, app):
        await pilot.press("q")
        assert text in screen_text(app)
        await pilot.press("enter")
        await until(lambda: app.return_value is not None)
    assert ("core/stop" in link.methods, "core/keep" in link.methods) == (default == "stop", default == "detach")
    assert "core/http" not in link.methods


async def test_a_port_is_opened_on_leaving_only_where_that_is_chosen() -> None:
    link = FakeLink()
    async with terminal(link, pane="problems") as (pilot, app):
        await pilot.press("q")
        assert "opens a port on 127.0.0.1" in screen_text(app)
        await pilot.press("h")
        await until(lambda: app.return_value is not None)
    assert "http://127.0.0.1:8000/mcp" in app.farewell


async def test_a_core_in_this_process_cannot_be_left_running() -> None:
    link = FakeLink()
    link.info["pid"] = os.getpid()
    async with terminal(link, pane="problems") as (pilot, app):
        await pilot.press("q")
        assert "ends when you quit" in screen_text(app)
        assert "Let it run" not in screen_text(app)
        await pilot.press("l")
        assert app.is_running
        await pilot.press("s")
        await until(lambda: app.return_value is not None)
    assert ("core/stop", {}) in link.asked


@pytest.mark.parametrize("key", ["escape", "c"])
async def test_quitting_can_be_dismissed(key: str) -> None:
    async with terminal(FakeLink(), pane="problems") as (pilot, app):
        await pilot.press("q")
        await pilot.press(key)
        assert not app.screen.is_modal
        assert app.return_value is None


async def test_quitting_twice_opens_a_single_dialog() -> None:
    async with terminal(FakeLink(), pane="problems") as (pilot, app):
        await pilot.press("ctrl+q")
        await pilot.press("ctrl+q")
        assert len(app.screen_stack) == 2


async def test_a_lost_core_leaves_a_post_mortem_and_its_messages_and_can_be_started_again() -> None:
    link, later = FakeLink(conversation()), FakeLink(conversation()[:1])
    later.info["id"] = "k8"
    async with lost_core(link, later) as (pilot, app):
        assert "The core is gone" in screen_text(app)
        assert "✗ core lost" in screen_text(app)
        await pilot.press("r")
        await until(lambda: app.state == "ready")
        await settled(pilot)
        assert not app.screen.is_modal
        assert app.workspace.link is later
        await until(lambda: "── new core at" in screen_text(app))
        assert [entry.seq for entry in app.workspace.timeline if entry.method == "session_opened"] == [1, 18]


async def test_after_a_loss_the_panes_stay_readable_and_the_core_can_be_restarted() -> None:
    async with lost_core(FakeLink(conversation()), FakeLink()) as (pilot, app):
        await pilot.press("escape")
        assert app.state == "lost"
        assert "greet {" in screen_text(app)
        app.workspace._own_session.roots = (ROOT,)
        await pilot.press("f5")
        await until(lambda: app.state == "ready")
        assert app.workspace.roots == [ROOT]


@pytest.mark.parametrize("width", [60, 120])
async def test_after_a_loss_nothing_is_shown_that_is_no_longer_true(width: int) -> None:
    link = FakeLink(conversation())
    link.info["http_url"] = "http://127.0.0.1:8000/mcp"
    link.answers["catalog/get"]["identity"] = {"name": "a server whose name is as long as a path of a program"}
    async with terminal(link, pane="sessions", size=(width, 40)) as (pilot, app):
        await settled(pilot)
        await until(lambda: "http://127.0.0.1:8000/mcp" in screen_text(app))
        link.closed.set()
        await until(lambda: app.screen.is_modal)
        await pilot.press("l")
        await until(lambda: not app.screen.is_modal)
        await pilot.pause()
        header, *rest = screen_text(app).splitlines()
        assert "✗ core lost – f5 restarts it" in header
        for part in ("● rec", "MCP 2025", "http://127.0.0.1"):
            assert part not in header
        text = "\n".join(rest)
        assert "core k7  lost – f5 restarts it" in text
        for part in ("http://127.0.0.1:8000", "recording to", "h starts it", "roast", "2 h"):
            assert part not in text
        assert [session["closed"] is None for session in app.workspace.core.sessions] == [False] * 3
        await pilot.press("1", "6", "H")
        await until(lambda: "The core is lost: press f5 to restart it." in toasts(app))
        assert len(app.notices.texts) == 1


async def test_quitting_after_a_loss_ends_with_the_code_for_no_connection() -> None:
    async with lost_core(FakeLink()) as (pilot, app):
        await pilot.press("q")
        await until(lambda: app.return_value is not None)
    assert app.return_value == 3


async def test_the_message_of_a_core_that_does_not_start_is_shown() -> None:
    async def open_workspace(wanted: StartChoice | None = None) -> Workspace:
        raise ConfigurationError("/nowhere is no folder; name one that exists")

    app = WorkbenchApp(open_workspace, place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.screen.is_modal)
        await pilot.pause()
        assert "/nowhere is no folder; name one that exists" in screen_text(app)
        await pilot.press("escape")
        await pilot.press("2")
        assert app.state == "lost"
        text = screen_text(app)
        assert "Starting the core" not in text
        assert "/nowhere is no folder; name one that exists" in text
        assert "Press f5 to try again" in text
        await pilot.press("q")
    assert app.return_value == 3


async def test_a_second_attempt_that_fails_is_reported_too() -> None:
    tries = iter([True, False])
    link = FakeLink()

    async def open_workspace(wanted: StartChoice | None = None) -> Workspace:
        if next(tries):
            return await open_fixed_workspace(link)
        raise ConnectionFailed("The core did not come up.")

    app = WorkbenchApp(open_workspace, place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "inspector")
        link.closed.set()
        await until(lambda: app.screen.is_modal)
        await pilot.press("r")
        await until(lambda: "The core did not come up." in screen_text(app))
        await pilot.press("escape")
        await pilot.press("p")
        assert app.is_running


async def test_after_a_server_that_cannot_be_opened_a_key_goes_back_to_the_one_before() -> None:
    opened_choices: list[StartChoice | None] = []
    gate = asyncio.Event()

    async def open_workspace(wanted: StartChoice | None = None) -> Workspace:
        opened_choices.append(wanted)
        if wanted is None:
            return await open_fixed_workspace(FakeLink())
        await gate.wait()
        raise ConfigurationError("There is no such server.")

    app = WorkbenchApp(open_workspace, place="tools")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "tools")
        app.connect(StartChoice(url="https://tea.example/mcp"))
        # The header names what is being opened, not what was open.
        await until(lambda: "https://tea.example/mcp  … connecting" in screen_text(app))
        gate.set()
        await until(lambda: "There is no such server." in screen_text(app))
        assert "o  Open another server" in " ".join(screen_text(app).split("   "))
        await pilot.press("escape")
        await until(lambda: "The server is starting" not in screen_text(app))
        app.connect()
        await until(lambda: "There is no such server." in screen_text(app))
        await pilot.press("b")
        await until(lambda: app.state == "ready")
        assert opened_choices[-1] is None


def unused(name: str) -> events.Key:
    """Return a key that bubbles up from the focused widget unhandled."""
    key = events.Key(name, None)
    key._set_forwarded()
    return key


async def test_keys_typed_ahead_of_the_end_open_nothing() -> None:
    async with terminal(FakeLink(), pane="problems") as (_, app):
        for name in ("3", "question_mark", "q", "ctrl+p"):
            app.post_message(unused(name))
        app.post_message(events.MouseDown(None, 9, 1, 0, 0, 1, False, False, False, 9, 1))
        app.exit(0)
    assert app.return_value == 0
    assert app.failed is None


@pytest.mark.parametrize("choice", ["s", "l"])
async def test_keys_typed_while_leaving_the_core_are_ignored_and_its_end_is_no_loss(choice: str) -> None:
    link, ordered, answered = FakeLink(), asyncio.Event(), asyncio.Event()
    request = link.request

    async def slow(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        if method in ("core/stop", "core/keep"):
            ordered.set()
            await answered.wait()
        return await request(method, params)

    async with terminal(link, pane="problems") as (pilot, app):
        link.request = slow  # type: ignore[method-assign]
        await pilot.press("q")
        await until(lambda: app.screen.is_modal)
        app.screen.post_message(events.Key(choice, choice))
        await within(ordered.wait())
        app.workspace.connected, app.workspace.end.post_mortem = False, "It has ended."
        app._workspace_changed("link")
        screens = len(app.screen_stack)
        for name in ("f5", "2", "q"):
            app.post_message(unused(name))
        answered.set()
        await until(lambda: app._exit)
    assert (app.return_value, app.failed, screens) == (0, None, 1)


async def leave_with_an_error(app: WorkbenchApp) -> None:
    async with app.run_test() as pilot:
        await opened(pilot, "problems")
        app.call_later(lambda: 1 / 0)
        app.exit(0)


async def test_an_error_on_the_way_out_changes_nothing() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="problems")
    with pytest.raises(ZeroDivisionError):
        await leave_with_an_error(app)
    assert (app.return_value, app.failed) == (0, None)
