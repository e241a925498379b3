"""The frame: connecting, the tabs, leaving, the loss of the core, and the start screen."""

import asyncio
import os
from typing import Any

import pytest
from textual import events
from textual.widgets import Static

from server_core.errors import ConfigurationError, ConnectionFailed
from tests.waiting import until, within
from tests.workbench.tui.driving import opened, screen_text, settled, toasts
from tests.workbench.tui.fakes import CATALOG, SESSIONS, FakeLink, conversation, open_fixed_workspace, opener
from tests.workbench.tui.kitchen import kitchen_app, kitchen_link
from workbench.tui.actions import PLACES, actions_of
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.help import HelpLines
from workbench.tui.widgets.form.text import LineEditor
from workbench.workspace.open_request import Wanted
from workbench.workspace.workspace import Workspace

SIZE = (120, 40)
NOTHING: dict[str, Any] = {part: [] for part in ("tools", "resources", "templates", "prompts", "problems")}


async def test_the_frame_is_painted_before_the_workspace_is_open() -> None:
    gate = asyncio.Event()

    async def open_workspace(wanted: Wanted | None = None) -> Workspace:
        await gate.wait()
        return await open_fixed_workspace(FakeLink())

    app = WorkbenchApp(open_workspace, place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        text = screen_text(app)
        assert "… connecting" in text
        assert "1 Tools" in text
        assert "Starting the core" in text
        gate.set()
        await until(lambda: app.state == "ready")


async def test_the_header_shows_the_server_its_url_and_counts() -> None:
    link = FakeLink(conversation())
    link.info["http_url"] = "http://127.0.0.1:8000/mcp"
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "inspector")
        await settled(pilot)
        header = screen_text(app).splitlines()[0]
        for part in ("Demo 1.2.0", "MCP 2025-11-25", "✓ ready", "http://127.0.0.1:8000/mcp", "● rec", "16 messages"):
            assert part in header


@pytest.mark.parametrize(
    ("key", "place"),
    [("2", "inspector"), ("4", "secrets"), ("5", "problems"), ("6", "sessions"), ("3", "requests"), ("1", "tools")],
)
async def test_each_pane_has_its_number_as_its_key(key: str, place: str) -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "problems" if place != "problems" else "sessions")
        await pilot.press(key)
        assert app.place == place
        assert [pane.id for pane in app.query("#body > *") if pane.display] == [place]


async def test_a_tab_is_clicked_to_show_its_pane() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "problems")
        column = screen_text(app).splitlines()[1].index("Secrets")
        await pilot.click("#tabs", offset=(column, 0))
        assert app.place == "secrets"


@pytest.mark.parametrize("place", ["inspector", "secrets", "problems", "sessions"])
async def test_the_count_of_waiting_questions_is_on_every_pane(place: str) -> None:
    link = FakeLink()
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, place)
        assert "Requests (" not in screen_text(app)
        link.server.ask(7, "sampling/createMessage", messages=[], maxTokens=10)
        await until(lambda: app.workspace.questions.waiting)
        await pilot.pause()
        assert "3 Requests (1)" in screen_text(app)


async def test_a_pane_asked_for_while_another_is_being_made_wins() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "problems")
        await asyncio.gather(app.show("sessions"), app.show("secrets"))
        assert [pane.id for pane in app.query("#body > *") if pane.display] == ["secrets"]
        await until(lambda: app.focused is not None and app.focused.id == "secret-table")


async def test_escape_never_quits() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "inspector")
        for _ in range(3):
            await pilot.press("escape")
        assert app.is_running
        assert app.return_value is None


async def test_quitting_asks_and_can_stop_the_core() -> None:
    link = FakeLink()
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "problems")
        await pilot.press("q")
        assert "Leave the workbench" in screen_text(app)
        await pilot.press("s")
        await until(lambda: app.return_value is not None)
    assert app.return_value == 0
    assert ("core/stop", {}) in link.asked


async def test_quitting_can_leave_the_core_running_and_prints_how_to_attach() -> None:
    link = FakeLink()
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "problems")
        await pilot.press("ctrl+q")
        await pilot.press("l")
        await until(lambda: app.return_value is not None)
    assert ("core/stop", {}) not in link.asked
    assert "workbench attach k7" in app.farewell


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
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "problems")
        await pilot.press("q")
        assert text in screen_text(app)
        await pilot.press("enter")
        await until(lambda: app.return_value is not None)
    asked = [method for method, _ in link.asked]
    assert ("core/stop" in asked, "core/keep" in asked) == (default == "stop", default == "detach")
    assert "core/http" not in asked


async def test_a_port_is_opened_on_leaving_only_where_that_is_chosen() -> None:
    link = FakeLink()
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "problems")
        await pilot.press("q")
        assert "opens a port on 127.0.0.1" in screen_text(app)
        await pilot.press("h")
        await until(lambda: app.return_value is not None)
    assert "http://127.0.0.1:8000/mcp" in app.farewell


async def test_a_core_in_this_process_cannot_be_left_running() -> None:
    link = FakeLink()
    link.info["pid"] = os.getpid()
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "problems")
        await pilot.press("q")
        assert "ends when you leave" in screen_text(app)
        assert "Leave it running" not in screen_text(app)
        await pilot.press("l")
        assert app.is_running
        await pilot.press("s")
        await until(lambda: app.return_value is not None)
    assert ("core/stop", {}) in link.asked


@pytest.mark.parametrize("key", ["escape", "c"])
async def test_quitting_can_be_thought_better_of(key: str) -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "problems")
        await pilot.press("q")
        await pilot.press(key)
        assert not app.screen.is_modal
        assert app.return_value is None


async def test_asking_to_quit_twice_asks_once() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "problems")
        await pilot.press("ctrl+q")
        await pilot.press("ctrl+q")
        assert len(app.screen_stack) == 2


async def test_a_lost_core_leaves_a_post_mortem_and_can_be_started_again() -> None:
    links = [FakeLink(conversation()), FakeLink()]
    waiting = iter(links)

    async def open_workspace(wanted: Wanted | None = None) -> Workspace:
        return await open_fixed_workspace(next(waiting))

    app = WorkbenchApp(open_workspace, place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "inspector")
        await settled(pilot)
        links[0].closed.set()
        await until(lambda: app.screen.is_modal)
        await pilot.pause()
        assert "The core is gone" in screen_text(app)
        assert "✗ core lost" in screen_text(app)
        await pilot.press("r")
        await until(lambda: app.state == "ready")
        await settled(pilot)
        assert not app.screen.is_modal
        assert app.workspace.link is links[1]
        assert "0 messages" in screen_text(app)


async def test_after_a_loss_the_panes_stay_readable_and_the_core_can_be_restarted() -> None:
    links = [FakeLink(conversation()), FakeLink()]
    waiting = iter(links)

    async def open_workspace(wanted: Wanted | None = None) -> Workspace:
        return await open_fixed_workspace(next(waiting))

    app = WorkbenchApp(open_workspace, place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "inspector")
        await settled(pilot)
        links[0].closed.set()
        await until(lambda: app.screen.is_modal)
        await pilot.press("escape")
        assert app.state == "lost"
        assert "tools/call greet" in screen_text(app)
        await pilot.press("f5")
        await until(lambda: app.state == "ready")


@pytest.mark.parametrize("width", [60, 120])
async def test_after_a_loss_nothing_is_shown_that_is_no_longer_true(width: int) -> None:
    link = FakeLink(conversation())
    link.info["http_url"] = "http://127.0.0.1:8000/mcp"
    link.answers["catalog/get"]["identity"] = {"name": "a server whose name is as long as a path of a program"}
    app = WorkbenchApp(opener(link), place="sessions")
    async with app.run_test(size=(width, 40)) as pilot:
        await opened(pilot, "sessions")
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
        assert [session["closed"] is None for session in app.workspace.sessions] == [False] * 3
        await pilot.press("1", "6", "h")
        await until(lambda: "The core is lost: press f5 to restart it." in toasts(app))
        assert len(app._notifications) == 1


async def test_quitting_after_a_loss_ends_with_the_code_for_no_connection() -> None:
    link = FakeLink()
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "inspector")
        link.closed.set()
        await until(lambda: app.screen.is_modal)
        await pilot.press("q")
        await until(lambda: app.return_value is not None)
    assert app.return_value == 3


async def test_the_message_of_a_core_that_does_not_start_is_shown() -> None:
    async def open_workspace(wanted: Wanted | None = None) -> Workspace:
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
        assert "Press f5 to restart it" in text
        await pilot.press("q")
    assert app.return_value == 3


async def test_a_second_attempt_that_fails_is_reported_too() -> None:
    tries = iter([True, False])
    link = FakeLink()

    async def open_workspace(wanted: Wanted | None = None) -> Workspace:
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


async def test_a_terminal_that_is_too_small_shows_a_message_and_recovers() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=(50, 12)) as pilot:
        await opened(pilot, "inspector")
        assert "This terminal is 50 x 12." in screen_text(app)
        assert "Inspector" not in screen_text(app)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "Inspector" in screen_text(app)
        assert not app.query_one("#too-small", Static).display


async def test_records_that_arrive_are_counted_without_a_key() -> None:
    link = FakeLink()
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "inspector")
        await until(lambda: "0 messages" in screen_text(app))
        link.arrive(conversation())
        await until(lambda: "16 messages" in screen_text(app))


async def test_a_reload_is_reported_over_every_pane_and_once() -> None:
    link = FakeLink()
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "inspector")
        assert toasts(app) == ""
        link.answers["catalog/get"] = {**CATALOG, "generation": 3}
        await app.workspace.refresh("catalog")
        await app.workspace.refresh("catalog")
        await until(lambda: toasts(app))
        await pilot.pause()
        assert toasts(app).count("Reloaded in 42 ms") == 1


async def test_the_palette_shows_panes_and_does_their_actions() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "inspector")
        await app.action_do("sessions", "copy_http_url")
        assert app.place == "sessions"
        await until(lambda: "press h" in toasts(app))


async def test_help_shows_the_keys_of_the_pane_and_closes_again() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "secrets")
        await pilot.press("question_mark")
        assert "Write the value of this secret to .env" in screen_text(app)
        await pilot.press("escape")
        assert not app.screen.is_modal


async def test_a_message_that_is_shown_already_is_not_shown_twice_and_escape_dismisses_it() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="tools")
    app.NOTIFICATION_TIMEOUT = 600
    async with app.run_test(size=SIZE) as pilot:
        for place in ("tools", "secrets"):
            await opened(pilot, place)
            for message in ("It is late.", "It is late.", "It is later."):
                app.notify(message, severity="warning")
            await until(lambda: toasts(app) == "It is late.\nIt is later.")
            await pilot.press("escape")
            await until(lambda: toasts(app) == "")


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
async def test_the_help_shows_every_word_in_a_narrow_terminal(size: tuple[int, int]) -> None:
    app = WorkbenchApp(opener(FakeLink()))
    async with app.run_test(size=size) as pilot:
        await opened(pilot, "tools")
        await pilot.press("f1")
        seen = ""
        lines = app.screen.query_one(HelpLines)
        for at in range(0, lines.line_count, 5):
            lines.scroll_to(y=at, animate=False, immediate=True)
            await pilot.pause()
            seen += screen_text(app).replace("│", " ")
        words = " ".join(seen.split())
        assert all(word in words for action in actions_of("tools") for word in action.help.split())
        assert "…" not in words


@pytest.mark.parametrize("place", PLACES)
async def test_a_narrow_footer_shows_the_whole_way_to_the_help(place: str) -> None:
    app = WorkbenchApp(opener(FakeLink()))
    async with app.run_test(size=(60, 20)) as pilot:
        await opened(pilot, place)
        assert screen_text(app).splitlines()[-1].endswith(("? help", "? help  ^p palette"))


async def test_a_narrow_footer_shows_the_way_to_the_help_to_whoever_writes() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(60, 20)) as pilot:
        await opened(pilot)
        await until(lambda: app.query(LineEditor))
        await pilot.press("j", "enter")
        await until(lambda: screen_text(app).splitlines()[-1].endswith("f1 help"))


async def test_the_footer_shows_no_keys_for_questions_where_there_are_none() -> None:
    app = WorkbenchApp(opener(FakeLink()))
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "requests")
        assert screen_text(app).splitlines()[-1].split() == ["?", "help", "^p", "palette"]


async def test_the_footer_shows_the_key_for_new_lines_in_texts_alone() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot)
        await pilot.press("slash")
        await until(lambda: "esc back" in screen_text(app))
        assert "new line" not in screen_text(app)
        await until(lambda: app.query(LineEditor))
        await pilot.press("escape", "enter")
        await until(lambda: "^l new line" in screen_text(app))


class TestWithoutTools:
    """The start screen."""

    def app(self, wanted: list[Wanted | None]) -> WorkbenchApp:
        async def open_workspace(want: Wanted | None = None) -> Workspace:
            wanted.append(want)
            link = FakeLink()
            if want is None:
                link.answers["catalog/get"] = {**CATALOG, **NOTHING}
                link.info["project"] = "/home/ada/empty"
            return await open_fixed_workspace(link)

        return WorkbenchApp(open_workspace, place="inspector")

    async def test_it_shows_that_there_are_none_and_the_choices(self) -> None:
        app = self.app([])
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: app.screen.is_modal)
            await pilot.pause()
            text = screen_text(app)
            for part in ("no tools in /home/ada/empty", "Open the demo", "Create a project", "Connect to a server"):
                assert part in text

    async def test_it_opens_also_where_the_folder_is_loaded_after_the_terminal_has_opened(self) -> None:
        link = FakeLink()
        link.answers["catalog/get"] = {**CATALOG, **NOTHING, "generation": 0}
        app = WorkbenchApp(opener(link), place="inspector")
        async with app.run_test(size=(80, 24)) as pilot:
            await opened(pilot, "inspector")
            assert not app.screen.is_modal
            link.answers["catalog/get"] = {**CATALOG, **NOTHING}
            await app.workspace.refresh("catalog")
            await until(lambda: "Welcome" in screen_text(app))

    async def test_a_key_opens_the_demo(self) -> None:
        wanted: list[Wanted | None] = []
        app = self.app(wanted)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: app.screen.is_modal)
            await pilot.press("d")
            await until(lambda: len(wanted) == 2)
            assert wanted[1] == Wanted(demo=True)
            await until(lambda: app.state == "ready")
            await pilot.pause()
            assert not app.screen.is_modal

    async def test_staying_shows_the_empty_panes_and_does_not_ask_again(self) -> None:
        app = self.app([])
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: app.screen.is_modal)
            await pilot.press("s")
            await app.workspace.refresh("catalog")
            await pilot.pause()
            assert not app.screen.is_modal
            await pilot.press("5")
            assert app.place == "problems"

    async def test_leaving_the_prompt_leads_back_to_the_choices(self) -> None:
        app = self.app([])
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: app.screen.is_modal)
            await pilot.press("c")
            await until(lambda: "Connect to a server" in screen_text(app) and "Welcome" not in screen_text(app))
            await pilot.press("escape")
            await until(lambda: "Welcome" in screen_text(app))


def unused(name: str) -> events.Key:
    """Return a key that bubbles up from the focused widget unhandled."""
    key = events.Key(name, None)
    key._set_forwarded()
    return key


async def test_keys_typed_ahead_of_the_end_open_nothing() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="problems")
    async with app.run_test() as pilot:
        await opened(pilot, "problems")
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

    app = WorkbenchApp(opener(link), place="problems")
    async with app.run_test() as pilot:
        await opened(pilot, "problems")
        link.request = slow  # type: ignore[method-assign]
        await pilot.press("q")
        await until(lambda: app.screen.is_modal)
        app.screen.post_message(events.Key(choice, choice))
        await within(ordered.wait())
        app.workspace.connected, app.workspace.post_mortem = False, "It has ended."
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
