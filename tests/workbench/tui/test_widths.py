"""Every screen is opened at every width, with real traffic in its rows; those that show the era, in both eras."""

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, settled
from tests.workbench.tui.fakes import FakeLink, opener
from tests.workbench.tui.working import in_both_eras, working
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.core_dialogs import lost_screen, no_core_screen, no_server_screen, stopped_screen
from workbench.tui.screens.session_dialogs import log_level_screen, revision_screen
from workbench.tui.screens.start import StartScreen, prompt_for

WIDTHS = (60, 80, 120, 170, 200, 260)

STEPS = {
    "tools": [("print_receipt", "enter"), ("", "ctrl+t"), ("", "escape h"), ("", "h escape")],
    "inspector": [("name_dish", "enter"), ("", "slash"), ("", "escape")],
    "requests": [("accept", "ctrl+t"), ("", "escape")],
    "secrets": [("SUPPLIER_KEY", "enter"), ("Set SUPPLIER_KEY", "escape")],
    "problems": [
        ("syntax error", "question_mark"),
        ("Open $EDITOR", "escape"),
        ("", "ctrl+p"),
        ("Find anything", "escape"),
    ],
    "sessions": [(".capture", "q"), ("Leave the workbench", "escape")],
}
"""The texts of each pane at any width, and the keys that show the next: its forms, details and dialogs."""


@pytest.mark.parametrize(
    ("place", "revision"),
    [(place, LATEST_STATELESS) for place in STEPS] + [(place, LATEST) for place in ("inspector", "sessions")],
    ids=lambda value: value.date if isinstance(value, Revision) else value,
)
async def test_every_pane_is_shown_at_every_width(project: Path, place: str, revision: Revision) -> None:
    (project / "tools" / "broken.py").write_text("from server_core import tool\n\n\n@tool\ndef broken(:\n")
    async with working(project, "tools", revision) as (pilot, app):
        await make_traffic(app)
        await app.show(place)
        await settled(pilot)
        for mark, keys in STEPS[place]:
            await show_at_every_width(pilot, app, mark)
            await pilot.press(*keys.split())


async def test_every_dialog_is_shown_at_every_width() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="problems")
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot, "problems")
        for screen in other_dialogs(LATEST_STATELESS):
            await app.push_screen(screen)
            await show_at_every_width(pilot, app, "")
            await app.pop_screen()


@in_both_eras
async def test_the_widest_inspector_has_a_column_for_the_revision(project: Path, revision: Revision) -> None:
    async with working(project, "tools", revision) as (pilot, app):
        await make_traffic(app)
        await pilot.resize_terminal(max(WIDTHS), 40)
        await app.show("inspector")
        await settled(pilot)
        assert f"{revision.date} " in screen_text(app).partition("revision")[2]


async def show_at_every_width(pilot: Pilot[Any], app: WorkbenchApp, mark: str) -> None:
    """Resize the terminal, and check for a text at each width."""
    for width in WIDTHS:
        await pilot.resize_terminal(width, 40)
        assert mark in screen_text(app), (mark, width)


async def make_traffic(app: WorkbenchApp) -> None:
    """Make calls that succeed, fail and print, and two that wait for an answer."""
    workspace = app.workspace
    runs = [
        workspace.call("greet", {"name": "Ada"}),
        workspace.call("order_dish", {"dish": "cheesecake"}),
        workspace.call("add", {"a": "two"}),
        workspace.call("print_receipt", {"items": ["soup"], "price": 6.9}),
    ]
    await until(lambda: not any(run.is_running for run in runs))
    workspace.call("choose_dessert", {})
    workspace.call("name_dish", {"ingredients": ["leek"]})
    await until(lambda: len(workspace.questions.waiting) == 2)


def other_dialogs(revision: Revision) -> list[Screen[Any]]:
    """Return the dialogs that open when they are due."""
    prompts = [prompt for choice in ("new", "connect") if (prompt := prompt_for(choice)) is not None]
    dialogs = [
        revision_screen(revision, is_relay=True),
        log_level_screen("error"),
        *(make("It ended.\n" * 20) for make in (lost_screen, stopped_screen, no_core_screen, no_server_screen)),
    ]
    return [StartScreen("demo"), *prompts, *dialogs]
