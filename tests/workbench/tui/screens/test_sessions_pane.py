"""Sessions, the core and the captures."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.widgets import Input

from server_core.errors import RemoteError
from tests.waiting import until
from tests.workbench.tui.driving import Driven, screen_text, terminal, toasts
from tests.workbench.tui.fakes import FakeLink, conversation
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens import capture_menu
from workbench.tui.screens.dialogs import ChoiceScreen, PromptScreen
from workbench.tui.screens.sessions_pane import SessionsPane, age


@asynccontextmanager
async def sessions(link: FakeLink) -> AsyncIterator[Driven]:
    async with terminal(link, pane="sessions") as (pilot, app):
        await until(lambda: "workbench 0.1.0" in screen_text(app))
        yield pilot, app


def row(app: WorkbenchApp, part: str) -> str:
    return next(line for line in screen_text(app).splitlines() if part in line)


async def test_each_session_shows_its_client_its_transport_and_the_negotiated_revision() -> None:
    async with sessions(FakeLink()) as (_, app):
        assert all(part in row(app, "claude-code 3.0.1") for part in ("s2", "http", "2025-06-18", "1,204", "2 h"))
        assert "closed" in row(app, "stdio")


async def test_the_session_under_the_cursor_shows_its_capabilities_and_open_requests() -> None:
    async with sessions(FakeLink()) as (_, app):
        assert "elicitation, sampling, roots" in screen_text(app)
        assert "… tools/call roast  id 13, for 4 s" in screen_text(app)


async def test_the_session_under_the_cursor_shows_its_user() -> None:
    link = FakeLink()
    mine, *others = link.answers["sessions/list"]["sessions"]
    link.answers["sessions/list"] = {"sessions": [{**mine, "user": "https://as.example.com ada"}, *others]}
    async with sessions(link) as (_, app):
        assert "for  https://as.example.com ada" in screen_text(app)


async def test_captures_are_listed_and_an_unreadable_capture_shows_why() -> None:
    async with sessions(FakeLink()) as (pilot, app):
        assert all(part in row(app, "demo-2027-01-15.capture  ") for part in ("1,234", "470.8 KB", "●"))
        assert "cannot be read" in row(app, "newer.capture")
        assert "workbench replay /captures/demo-2027-01-15.capture" in screen_text(app)
        await pilot.press("tab", "G")
        assert "written by a newer version (format 7" in screen_text(app)


async def test_the_core_shows_its_id_and_the_path_of_its_capture() -> None:
    async with sessions(FakeLink()) as (_, app):
        assert "core k7  pid 4242" in screen_text(app)
        assert "recording to  /home/ada" in screen_text(app)


async def test_http_is_started_with_a_key_that_asks_first_and_its_url_copied_with_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    link = FakeLink()
    async with sessions(link) as (pilot, app):
        copied: list[str] = []
        monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
        await pilot.press("Y")
        await until(lambda: "press H" in toasts(app))
        await pilot.press("H")
        await until(lambda: isinstance(app.screen, PromptScreen))
        assert "The core opens http://127.0.0.1:" in screen_text(app)
        assert "core/http" not in link.methods
        app.screen.query_one(Input).value = "8123"
        link.info["http_url"] = "http://127.0.0.1:8123/mcp"
        await pilot.press("enter")
        await until(lambda: ("core/http", {"port": 8123}) in link.asked)
        await until(lambda: "HTTP  http://127.0.0.1:8123/mcp" in screen_text(app))
        await pilot.press("Y")
        assert copied == ["http://127.0.0.1:8123/mcp"]


async def test_nothing_is_opened_when_the_question_is_left() -> None:
    link = FakeLink()
    async with sessions(link) as (pilot, app):
        await pilot.press("H")
        await until(lambda: isinstance(app.screen, PromptScreen))
        await pilot.press("escape")
        await until(lambda: not app.screen.is_modal)
        assert "core/http" not in link.methods


@pytest.mark.parametrize("text", ["", "70000", "http", "-1", "²", "9" * 5000])
async def test_what_is_no_port_is_reported_in_the_question(text: str) -> None:
    link = FakeLink()
    async with sessions(link) as (pilot, app):
        await pilot.press("H")
        await until(lambda: isinstance(app.screen, PromptScreen))
        app.screen.query_one(Input).value = text
        await pilot.press("enter")
        await until(lambda: "a number from 0 to 65535" in screen_text(app))


async def test_the_key_that_starts_http_also_stops_it_and_asks_first() -> None:
    link = FakeLink()
    link.info["http_url"] = "http://127.0.0.1:8000/mcp"
    async with sessions(link) as (pilot, app):
        await pilot.press("H")
        await until(lambda: isinstance(app.screen, ChoiceScreen))
        await pilot.press("enter")
        await until(lambda: not app.screen.is_modal)
        assert "core/stop_http" not in link.methods
        await pilot.press("H")
        await until(lambda: isinstance(app.screen, ChoiceScreen))
        link.info["http_url"] = None
        await pilot.press("s")
        await until(lambda: "core/stop_http" in link.methods)
        await until(lambda: "HTTP  not served" in screen_text(app))
        assert "does not serve HTTP at http://127.0.0.1:8000/mcp any more" in toasts(app)


async def test_a_port_in_use_is_reported_with_the_message_of_the_core() -> None:
    link = FakeLink()
    link.answers["core/http"] = RemoteError(-32004, "port 8000 is in use; choose another")
    async with sessions(link) as (pilot, app):
        await pilot.press("H")
        await until(lambda: isinstance(app.screen, PromptScreen))
        await pilot.press("enter")
        await until(lambda: "port 8000 is in use" in toasts(app))


async def test_the_core_has_one_row_in_a_low_terminal_from_the_first_paint_on_and_scrolls_to_the_others() -> None:
    async with terminal(FakeLink(), pane="sessions", size=(60, 15)) as (pilot, app):
        assert app.query_one(SessionsPane).has_class("-low")
        await until(lambda: "claude-code" in screen_text(app) and "↓ more (shift+tab, j)" in screen_text(app))
        await pilot.press("shift+tab")
        await until(lambda: app.focused is not None and app.focused.id == "core-note")
        await pilot.press("j")
        await until(lambda: "not served" in screen_text(app))
        await pilot.press("G")
        await until(lambda: ".capture" in row(app, "▌"))


async def test_the_pane_requests_its_data_again_when_it_is_shown() -> None:
    link = FakeLink()
    async with sessions(link) as (pilot, _app):
        await pilot.press("5")
        link.asked.clear()
        await pilot.press("6")
        await until(lambda: ("sessions/list", {}) in link.asked)


async def test_traffic_has_the_counts_fetched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.tui.screens.sessions_pane.REFRESH_S", 0.01)
    link = FakeLink()
    async with sessions(link) as (_, app):
        await until(lambda: not list(app.workers))
        link.asked.clear()
        link.arrive(conversation()[3:5])
        await until(lambda: ("sessions/list", {}) in link.asked)


@pytest.mark.parametrize(
    ("seconds", "text"), [(-1, "0 s"), (4, "4 s"), (59, "59 s"), (180, "3 min"), (7200, "2 h"), (200_000, "2 d")]
)
def test_an_age_is_shown_in_its_largest_unit(seconds: float, text: str) -> None:
    assert age(seconds) == text


async def test_clients_and_the_paths_of_captures_are_copied_and_with_enter_the_replay_command() -> None:
    async with sessions(FakeLink()) as (pilot, app):
        await pilot.press("y")
        await until(lambda: "as JSON, is in the clipboard" in toasts(app))
        assert '"transport"' in app.clipboard
        await pilot.press("tab", "y")
        await until(lambda: app.clipboard == "/captures/demo-2027-01-15.capture")
        await pilot.press("enter")
        await until(lambda: "1,234 messages" in screen_text(app))
        await pilot.press("r")
        await until(lambda: app.clipboard == "workbench replay /captures/demo-2027-01-15.capture")


async def test_a_capture_is_deleted_after_a_question() -> None:
    deleted: list[str] = []

    async def delete(path: str) -> None:
        deleted.append(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(capture_menu, "delete_capture", delete)
        async with sessions(FakeLink()) as (pilot, app):
            for answer, expected in (("k", []), ("d", ["/captures/demo-2027-01-15.capture"])):
                app.query_one("#capture-table").focus()
                await pilot.press("enter")
                await until(lambda: "Delete it" in screen_text(app))
                await pilot.press("d")
                await until(lambda: "Delete the capture?" in screen_text(app))
                await pilot.press(answer)
                await until(lambda: not app.screen.is_modal)
                await until(lambda expected=expected: deleted == expected)  # type: ignore[misc]
            await until(lambda: "Deleted demo-2027-01-15.capture." in toasts(app))


async def test_a_long_command_leaves_room_for_the_names_of_the_captures() -> None:
    link = FakeLink()
    first, *others = link.answers["captures/list"]["captures"]
    link.answers["captures/list"] = {"captures": [{**first, "project": "x" * 120}, *others]}
    async with sessions(link) as (_, app):
        assert "470.8 KB" in row(app, "demo-2027-01-15.capture  ")
