"""Sessions, the core and the captures."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from server_core.errors import RemoteError
from server_core.records.capture.capture_store import CaptureStore
from server_core.records.tap import Kind, Tap
from tests.waiting import until
from tests.workbench.tui.driving import Driven, screen_text, terminal, toasts
from tests.workbench.tui.fakes import CAPTURES, NOON, FakeLink, conversation
from workbench.model.describe import age
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens import capture_labels, capture_menu
from workbench.tui.screens.capture_search import CaptureSearchScreen
from workbench.tui.screens.dialogs import ChoiceScreen, PromptScreen
from workbench.tui.screens.inspector_pane import InspectorPane
from workbench.tui.screens.sessions_pane import SessionsPane


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


async def test_captures_are_listed_with_their_counts_and_an_unreadable_capture_shows_why() -> None:
    async with terminal(FakeLink(), pane="sessions", size=(160, 40)) as (pilot, app):
        await until(lambda: "★ the slow order" in screen_text(app))
        parts = ("01-15 11:59:00 ●", "demo 1.2.0", "workbench, claude-code", " 310 ", " 4 ", "470.8 KB")
        assert all(part in row(app, "★ the slow order  ") for part in parts)
        assert all(part in row(app, " grind, pour  ") for part in (" 7 ", " 0 ", "40.0 KB"))
        assert "cannot be read" in row(app, "newer.capture")
        assert "1,234 messages of workbench, claude-code" in screen_text(app)
        assert "For the next release." in screen_text(app)
        await pilot.press("G")
        assert "written by a newer version (format 7" in screen_text(app)
        await pilot.press("n")
        await until(lambda: "The capture cannot be read; its detail shows why." in toasts(app))


@pytest.mark.parametrize(("size", "least"), [((80, 24), 8), ((120, 40), 14), ((200, 60), 35)])
async def test_the_captures_have_most_of_the_rows_of_a_terminal(size: tuple[int, int], least: int) -> None:
    link = FakeLink()
    _, template, _ = CAPTURES
    captures = [{**template, "path": f"/captures/{number}.capture", "name": f"nr{number}x"} for number in range(60)]
    link.answers["captures/list"] = {"captures": captures}
    async with terminal(link, pane="sessions", size=size) as (_, app):
        await until(lambda: screen_text(app).count(".0 KB") >= least)
        assert "claude-code 3.0.1" in screen_text(app)


async def test_a_narrow_list_of_captures_keeps_the_name_and_the_counts() -> None:
    async with terminal(FakeLink(), pane="sessions", size=(80, 24)) as (_, app):
        await until(lambda: "★ the slow order" in screen_text(app))
        assert row(app, "started").split() == ["started", "name", "or", "tools", "server", "calls", "errors", "size"]


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """The changes of labels, with the paths of their captures."""
    made: list[tuple[str, dict[str, Any]]] = []

    async def change(path: str, **labels: Any) -> None:
        made.append((path, labels))

    monkeypatch.setattr(capture_labels, "change_capture", change)
    return made


async def test_a_capture_is_named_pinned_and_noted_with_keys(changes: list[tuple[str, dict[str, Any]]]) -> None:
    first, second = "/captures/demo-2027-01-15.capture", "/captures/demo-2027-01-14.capture"
    async with sessions(FakeLink()) as (pilot, app):
        await pilot.press("n")
        await until(lambda: isinstance(app.screen, PromptScreen))
        assert app.screen.query_one(Input).value == "the slow order"
        app.screen.query_one(Input).value = "x" * 81
        await pilot.press("enter")
        await until(lambda: "81 characters; at most 80" in screen_text(app))
        app.screen.query_one(Input).value = ""
        await pilot.press("enter")
        await until(lambda: changes == [(first, {"name": ""})])
        await until(lambda: "The capture has no name any more." in toasts(app))
        await pilot.press("p")
        await until(lambda: changes[-1] == (first, {"pinned": False}))
        await pilot.press("j", "p")
        await until(lambda: changes[-1] == (second, {"pinned": True}))
        await until(lambda: "demo-2027-01-14.capture is pinned" in toasts(app))
        await pilot.press("N")
        await until(lambda: isinstance(app.screen, PromptScreen))
        await pilot.press(*"Slow.", "enter")
        await until(lambda: changes[-1] == (second, {"note": "Slow."}))


async def test_the_footer_names_the_keys_of_the_list_with_the_focus() -> None:
    async with sessions(FakeLink()) as (_, app):
        await until(lambda: "n name  p pin  d delete  / search  tab next list" in screen_text(app))
        app.query_one("#session-table").focus()
        await until(lambda: "enter its messages  tab next list" in screen_text(app))
        assert "p pin" not in screen_text(app).splitlines()[-1]
        assert "P ping" in screen_text(app).splitlines()[-1]


async def test_a_text_is_searched_in_all_captures_and_its_message_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tap = Tap()
    store = CaptureStore(tap, core_id="c1", project="demo", server="1.0", started=NOON)
    for text in (b"a coffee", b"A COFFEE and a cake", b"tea"):
        tap.emit(Kind.STDOUT, text)
    store.start()
    store.close()
    broken = tmp_path / "broken.capture"
    broken.write_text("no database")
    link = FakeLink()
    known, *_ = link.answers["captures/list"]["captures"]
    paths = (store.path, broken)
    unnamed = known | {"name": "", "clients": ["inspector"]}
    link.answers["captures/list"] = {"captures": [unnamed | {"path": str(path)} for path in paths]}
    async with sessions(link) as (pilot, app):
        await pilot.press("slash")
        await until(lambda: isinstance(app.screen, CaptureSearchScreen))
        await pilot.press(*"coffee", "enter")
        await until(lambda: "2 messages in all 2 captures" in screen_text(app))
        await until(lambda: "broken.capture is not a capture" in screen_text(app))
        assert "A COFFEE and a cake" in screen_text(app)
        # A capture without a name is shown with its clients.
        match = next(row for row in screen_text(app).splitlines() if "A COFFEE" in row)
        assert "inspector" in match
        await pilot.press("j", "enter")
        await until(lambda: app.place == "inspector")
        await until(lambda: app.query_one(InspectorPane).entry is not None)
        pane = app.query_one(InspectorPane)
        await until(lambda: pane.entry is not None and pane.entry.seq == 2)
        await until(lambda: pane.detail.has_focus)


def stored(text: bytes, project: str) -> str:
    """The path of a new capture of a server that has printed a text."""
    tap = Tap()
    store = CaptureStore(tap, core_id=f"c{project}", project=project, server="1.0", started=NOON)
    tap.emit(Kind.STDOUT, text)
    store.start()
    store.close()
    return str(store.path)


async def test_the_search_covers_the_captures_of_this_server_and_with_a_key_all() -> None:
    link = FakeLink()
    known, *_ = link.answers["captures/list"]["captures"]
    paths = {project: stored(b"coffee", project) for project in ("demo", "other")}
    captures = [known | {"path": path, "project": project} for project, path in paths.items()]
    link.answers["captures/list"] = {"captures": captures}
    link.info["capture"] = paths["demo"]
    async with sessions(link) as (pilot, app):
        await pilot.press("slash")
        await until(lambda: "in 1 capture of demo (^t: all 2 captures)" in screen_text(app))
        await pilot.press(*"coffee", "enter")
        await until(lambda: "1 message in 1 capture of demo" in screen_text(app))
        await pilot.press("ctrl+t")
        await until(lambda: "2 messages in all 2 captures (^t: 1 capture of demo)" in screen_text(app))
        await until(lambda: "other the slow order" in screen_text(app))
        await pilot.press("ctrl+t")
        await until(lambda: "1 message in 1 capture of demo" in screen_text(app))


async def test_captures_of_single_commands_are_one_row_until_it_is_opened() -> None:
    link = FakeLink()
    _, known, _ = CAPTURES
    runs = [
        known | {"path": f"/captures/run{i}.capture", "of_command": True, "tools": [f"tool{i}"], "calls": 1}
        for i in range(3)
    ]
    link.answers["captures/list"] = {"captures": [*runs, known]}
    async with terminal(link, pane="sessions", size=(160, 40)) as (pilot, app):
        await until(lambda: "▸ 3 runs of workbench call" in screen_text(app))
        assert " 3 " in row(app, "▸ 3 runs")
        await until(lambda: "Captures · 4" in screen_text(app))
        await pilot.press("n")
        await until(lambda: "This row has several captures: press enter to list them." in toasts(app))
        await pilot.press("enter")
        await until(lambda: "▾ 3 runs of workbench call" in screen_text(app))
        await until(lambda: all(f"tool{i}" in screen_text(app) for i in range(3)))
        await pilot.press("j", "y")
        await until(lambda: app.clipboard == "/captures/run0.capture")
        await pilot.press("k", "enter")
        await until(lambda: "▸ 3 runs of workbench call" in screen_text(app))
        await until(lambda: "tool0" not in screen_text(app))
        app.query_one(SessionsPane).open_item("/captures/run2.capture")
        await until(lambda: "tool2" in screen_text(app))


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
        app.query_one("#session-table").focus()
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


async def test_the_captures_are_listed_again_until_the_core_has_counted_all_of_them() -> None:
    link = FakeLink()
    counted, other, newer = link.answers["captures/list"]["captures"]
    answer, left = link.request, [None] * 4

    async def count(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        if method == "captures/list":
            # One more each time.
            captures = [{**other, "path": f"/captures/{number}.capture", "calls": None} for number in range(len(left))]
            link.answers[method] = {"captures": [counted, *captures, newer]}
            del left[:1]
        return await answer(method, params)

    link.request = count  # type: ignore[method-assign]
    async with sessions(link) as (_, app):
        await until(lambda: not left and "Captures · 2" in screen_text(app))


async def test_traffic_has_the_counts_fetched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.tui.screens.sessions_pane.REFRESH_S", 0.01)
    link = FakeLink()
    async with sessions(link) as (_, app):
        await until(lambda: not list(app.workers))
        link.asked.clear()
        link.arrive(conversation()[3:5])
        await until(lambda: ("sessions/list", {}) in link.asked)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_enter_opens_a_capture_at_first_and_at_a_client_its_messages(size: tuple[int, int]) -> None:
    async with terminal(FakeLink(conversation()), pane="sessions", size=size) as (pilot, app):
        await until(lambda: "enter open  n name" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ChoiceScreen))
        await pilot.press("escape")
        await until(lambda: not app.screen.is_modal)
        app.query_one("#session-table").focus()
        await until(lambda: "enter its messages" in screen_text(app))
        await pilot.press("j", "enter")
        await until(lambda: app.place == "inspector" and app.focused is app.query_one(InspectorPane).traffic)
        await until(lambda: "session:s2" in screen_text(app))


async def test_without_captures_the_clients_have_the_focus() -> None:
    link = FakeLink()
    link.answers["captures/list"] = {"captures": []}
    async with sessions(link) as (_, app):
        assert app.query_one("#session-table").has_focus


@pytest.mark.parametrize(
    ("seconds", "text"), [(-1, "0 s"), (4, "4 s"), (59, "59 s"), (180, "3 min"), (7200, "2 h"), (200_000, "2 d")]
)
def test_an_age_is_shown_in_its_largest_unit(seconds: float, text: str) -> None:
    assert age(seconds) == text


async def test_clients_and_the_paths_of_captures_are_copied_and_with_enter_the_replay_command() -> None:
    async with sessions(FakeLink()) as (pilot, app):
        app.query_one("#session-table").focus()
        await pilot.press("y")
        await until(lambda: "as JSON, is in the clipboard" in toasts(app))
        assert '"transport"' in app.clipboard
        app.query_one("#capture-table").focus()
        await pilot.press("y")
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
            await until(lambda: "Deleted the slow order." in toasts(app))


async def test_a_long_name_of_a_server_leaves_room_for_the_names_of_the_captures() -> None:
    link = FakeLink()
    first, *others = link.answers["captures/list"]["captures"]
    link.answers["captures/list"] = {"captures": [{**first, "project": "x" * 120}, *others]}
    async with sessions(link) as (_, app):
        assert "470.8 KB" in row(app, "the slow order  ")
