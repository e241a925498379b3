"""The frame around the panes: header, tabs, footer and help."""

import pytest
from textual.widgets import Static

from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, settled, toasts
from tests.workbench.tui.fakes import FakeLink, conversation, opener
from tests.workbench.tui.kitchen import kitchen_app, kitchen_link
from workbench.tui.actions import PLACES, actions_of
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.help import HelpLines
from workbench.tui.widgets.form.text import LineEditor

SIZE = (120, 40)


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


async def test_a_capture_that_cannot_be_written_is_no_recording() -> None:
    link = FakeLink()
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "inspector")
        for problem, shown, notice in (
            ("disk is full", "! not recorded", "Messages are not recorded: disk is full."),
            ("", "● rec", "Messages are recorded again."),
        ):
            link.answers["core/info"] = link.info | {"capture_problem": problem}
            app.workspace.core.handle_event("capture_failed" if problem else "capture_resumed", b"{}")
            await until(lambda notice=notice: notice in toasts(app))  # type: ignore[misc]
            await until(lambda shown=shown: shown in screen_text(app).splitlines()[0])  # type: ignore[misc]


async def test_a_tab_is_clicked_to_show_its_pane() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "problems")
        column = screen_text(app).splitlines()[1].index("Secrets")
        await pilot.click("#tabs", offset=(column, 0))
        assert app.place == "secrets"


async def test_a_narrow_terminal_has_short_titles_for_all_tabs_but_the_one_in_front() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="secrets")
    async with app.run_test(size=(60, 15)) as pilot:
        await opened(pilot, "secrets")
        tabs = screen_text(app).splitlines()[1].split()
        titles = [tab for tab in tabs if tab.isalpha()]
        assert titles == ["Tools", "Insp", "Reqs", "Secrets", "Prob", "Sess"]


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


async def test_help_shows_the_keys_of_the_pane_and_closes_again() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "secrets")
        await pilot.press("question_mark")
        assert "Write the value of this secret to .env" in screen_text(app)
        await pilot.press("escape")
        assert not app.screen.is_modal


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
async def test_a_narrow_footer_shows_the_key_of_the_help_in_full(place: str) -> None:
    app = WorkbenchApp(opener(FakeLink()))
    async with app.run_test(size=(60, 20)) as pilot:
        await opened(pilot, place)
        assert screen_text(app).splitlines()[-1].endswith(("? help", "? help  ^p palette"))


async def test_a_narrow_footer_shows_the_key_of_the_help_while_the_user_types() -> None:
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


LOST = "The server was killed by SIGKILL.\n$ brew\nIt wrote nothing to its stderr."
DUE = "✗ server gone – restart in 12 s · f5 now"
DUE_IN_FULL = f"{DUE} · shift+f5 stops this  The server was killed by SIGKILL."
GIVEN_UP = "✗ server gone after 6 restarts – f5 restarts it"


@pytest.mark.parametrize(
    ("width", "due", "given_up"),
    [
        (60, f"Demo  {DUE}", f"Demo 1.2.0  {GIVEN_UP}"),
        (80, f"Demo 1.2.0  {DUE} · shift+f5 stops this", f"Demo 1.2.0  {GIVEN_UP}"),
        (120, f"Demo 1.2.0  {DUE_IN_FULL}", f"Demo 1.2.0  {GIVEN_UP}  The server was killed by SIGKILL."),
        (170, f"Demo 1.2.0  {DUE_IN_FULL}", f"Demo 1.2.0  {GIVEN_UP}  The server was killed by SIGKILL."),
        (240, f"Demo 1.2.0  {DUE_IN_FULL}", f"Demo 1.2.0  {GIVEN_UP}  The server was killed by SIGKILL."),
    ],
)
async def test_a_lost_server_is_in_the_header_at_every_width(width: int, due: str, given_up: str) -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=(width, 24)) as pilot:
        await opened(pilot, "inspector")
        workspace = app.workspace
        workspace._own_session.lost = LOST
        workspace.restarts._due = workspace.clock() + 12
        app._workspace_changed("link")
        await until(lambda: left_of_header(app) == due)
        workspace.restarts._due, workspace.restarts.in_vain = None, 6
        app._workspace_changed("link")
        await until(lambda: left_of_header(app) == given_up)
        assert "f5" in screen_text(app).splitlines()[0]


def left_of_header(app: WorkbenchApp) -> str:
    """Return the left part of the header, without the recording and the count of messages."""
    return screen_text(app).splitlines()[0].partition("●")[0].partition("0 messages")[0].strip()
