"""The terminal on a real core: how it ends, its revision, its log level and its secrets."""

from pathlib import Path

from textual.widgets import Input

from server_core.core import Core
from server_core.protocol.revisions import LATEST_STATELESS, REVISIONS
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.working import terminal_on, working
from workbench.link.local import LocalLink


async def test_a_core_that_another_user_stops_is_shown_as_stopped_and_is_no_error(project: Path) -> None:
    core = Core(project=project, link=False)
    async with terminal_on(core) as (pilot, app):
        await until(lambda: app.tools)
        await LocalLink(core).request("core/stop")
        await core.stop()
        await until(lambda: "The core was stopped" in screen_text(app))
        assert "with `workbench stop` or from another terminal" in screen_text(app)
        await pilot.press("l")
        await until(lambda: not app.screen.is_modal)
        await pilot.pause()
        assert "core stopped – f5 restarts it" in screen_text(app)
        assert "✗" not in screen_text(app)
        assert toasts(app) == "The core has ended: press f5 to restart it."
        await pilot.press("q")
        await until(lambda: app._exit)
        assert app.return_value == 0


async def test_a_core_that_a_signal_ends_is_shown_as_ended_in_order(project: Path) -> None:
    core = Core(project=project, link=False)
    async with terminal_on(core) as (_, app):
        await until(lambda: app.tools)
        await core.stop()
        await until(lambda: "The core has ended:" in screen_text(app))
        assert app.state == "stopped"


async def test_the_revision_is_chosen_in_a_dialog_and_calls_continue_in_it(project: Path) -> None:
    async with working(project, "sessions") as (pilot, app):
        await until(lambda: "2026-07-28 stateless" in screen_text(app))
        await pilot.press("f6")
        await until(lambda: app.screen.is_modal)
        assert "2026-07-28 ← now" in screen_text(app)
        await pilot.press("2")
        await until(lambda: "MCP 2025-03-26" in screen_text(app))
        assert "Your calls now use revision 2025-03-26." in toasts(app)
        run = app.workspace.call("greet", {"name": "Ada"})
        await until(lambda: not run.is_running)
        await until(
            lambda: any(entry.revision == "2025-03-26" and entry.name == "greet" for entry in app.workspace.timeline)
        )


async def test_the_revision_stays_while_a_call_runs(project: Path) -> None:
    async with working(project, "requests") as (pilot, app):
        app.workspace.call("choose_dessert", {})
        await until(lambda: app.workspace.questions.waiting)
        await pilot.press("f6")
        assert "A call runs in this session: wait for the result, or cancel it first." in toasts(app)
        app.switch_revision("2025-11-25")
        assert app.workspace.session is not None
        assert app.workspace.session.revision is LATEST_STATELESS


async def test_the_log_level_is_chosen_in_a_dialog(project: Path) -> None:
    async with working(project, "inspector", REVISIONS["2025-06-18"]) as (pilot, app):
        await pilot.press("f7")
        await until(lambda: app.screen.is_modal)
        await pilot.press("5")
        await until(lambda: "Log level: error." in toasts(app))
        assert app.workspace.log_level == "error"
        await until(lambda: any(entry.method == "logging/setLevel" for entry in app.workspace.timeline))


async def test_a_secret_is_set_through_the_screen_and_stays_out_of_every_record(project: Path) -> None:
    async with working(project, "secrets") as (pilot, app):
        await until(lambda: "✗ missing" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: app.screen.is_modal)
        app.screen.query_one(Input).value = "s3cret-value"
        await pilot.press("enter")
        await until(lambda: "✓ set" in screen_text(app))
        assert "s3cret-value" in (project / ".env").read_text()
        app.workspace.poll()
        assert all(b"s3cret-value" not in (entry.data or b"") for entry in app.workspace.timeline)
        assert "s3cret-value" not in screen_text(app)
