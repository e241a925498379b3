"""The persona of the terminal: chosen in a dialog, shown in the header, and seen by the server."""

from pathlib import Path

from textual.widgets import Input

from tests.waiting import until
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.working import working


async def test_a_persona_is_chosen_in_a_dialog_and_the_server_sees_it(project: Path) -> None:
    async with working(project, "sessions") as (pilot, app):
        await until(lambda: "2026-07-28 stateless" in screen_text(app))
        await pilot.press("shift+f6")
        await until(lambda: app.screen.is_modal and "roots, elicitation" in screen_text(app))
        await pilot.press("4")
        await until(lambda: "as cursor" in screen_text(app) and "MCP 2025-06-18" in screen_text(app))
        await until(lambda: "You are now cursor, in revision 2025-06-18: roots, elicitation." in toasts(app))
        await until(lambda: any(entry.client == "cursor-vscode" for entry in app.workspace.timeline))
        await pilot.press("shift+f6")
        await until(lambda: app.screen.is_modal and "cursor ← now" in screen_text(app))
        await pilot.press("1")
        await until(lambda: "as cursor" not in screen_text(app) and "2026-07-28 stateless" in screen_text(app))


async def test_the_palette_switches_the_persona(project: Path) -> None:
    async with working(project, "sessions") as (pilot, app):
        await until(lambda: "2026-07-28 stateless" in screen_text(app))
        await pilot.press("ctrl+p")
        await until(lambda: app.screen.is_modal and app.screen.query(Input))
        await pilot.press(*"persona minimal")
        await until(lambda: "Switch to persona: minimal" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: "as minimal" in screen_text(app))
        assert app.workspace.persona.capabilities == {}
