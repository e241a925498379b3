"""The server itself, in the Sessions pane: ping and roots."""

from tests.waiting import until
from tests.workbench.tui.driving import screen_text, terminal, toasts
from tests.workbench.tui.fakes import FakeLink
from workbench.tui.screens.server_dialogs import RootsScreen
from workbench.tui.widgets.steady import TextArea


async def test_a_ping_shows_the_time_until_the_answer() -> None:
    link = FakeLink()
    link.server.replies["ping"] = {"": ""}
    async with terminal(link, pane="sessions") as (pilot, app):
        await pilot.press("P")
        await until(lambda: "The server answered ping after" in toasts(app))
        await until(lambda: " ms  (P)" in screen_text(app))


async def test_a_ping_that_is_refused_shows_the_reason() -> None:
    link = FakeLink()
    link.server.replies["ping"] = {"error": {"code": -32601, "message": "No ping here."}}
    async with terminal(link, pane="sessions") as (pilot, app):
        await pilot.press("P")
        await until(lambda: "No ping here." in toasts(app))


async def test_the_roots_are_shown_and_edited_and_the_server_is_notified() -> None:
    link = FakeLink()
    async with terminal(link, pane="sessions") as (pilot, app):
        assert "roots none (f)" in screen_text(app)
        await pilot.press("f")
        await until(lambda: isinstance(app.screen, RootsScreen) and app.screen.query(TextArea))
        app.screen.query_one(TextArea).text = "tea\n"
        await pilot.press("ctrl+j")
        await until(lambda: "Line 1 is neither an absolute path" in screen_text(app))
        app.screen.query_one(TextArea).text = "/home/ada/tea\nfile:///srv\n"
        await pilot.press("ctrl+j")
        await until(lambda: "The server gets 2 roots from now on." in toasts(app))
        roots = [{"uri": "file:///home/ada/tea", "name": "tea"}, {"uri": "file:///srv", "name": "srv"}]
        assert app.workspace.roots == roots
        await until(lambda: link.server.received[-1]["method"] == "notifications/roots/list_changed")
        link.server.ask(7, "roots/list")
        await until(lambda: link.server.received[-1].get("result") == {"roots": roots})
        await until(lambda: "file:///home/ada/tea, file:///srv (f)" in screen_text(app))


async def test_esc_in_the_roots_changes_nothing() -> None:
    link = FakeLink()
    async with terminal(link, pane="sessions") as (pilot, app):
        await pilot.press("f")
        await until(lambda: isinstance(app.screen, RootsScreen) and app.screen.query(TextArea))
        await pilot.press("x", "escape")
        await until(lambda: not app.screen.is_modal)
        assert app.workspace.roots == []
        assert all("roots" not in message.get("method", "") for message in link.server.received)
