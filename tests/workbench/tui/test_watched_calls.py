"""Watched calls in the terminal, on a real core whose files change."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from server_core.core import Core
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.screens.tools_pane import choose, fill
from tests.workbench.tui.working import terminal_on
from workbench.model.terminal_memory import TerminalMemory
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.dialogs import ChoiceScreen
from workbench.tui.screens.watch_screen import WatchScreen
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.offer_tree import OfferTree

TOOLS = '''
from server_core import tool
from server_core.types import ToolAnnotations


@tool
def greet(name: str) -> str:
    """Greet."""
    return f"Hello, {name}!"


@tool(annotations=ToolAnnotations(destructiveHint=True, readOnlyHint=False))
def clear() -> str:
    """Clear."""
    return "cleared"
'''
CALLS = "calls:\n  ada:\n    tool: {tool}\n    arguments: {{name: Ada}}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    folder = tmp_path / "cafe"
    folder.mkdir()
    (folder / "tools.py").write_text(TOOLS)
    return folder


@asynccontextmanager
async def opened_on(folder: Path) -> AsyncIterator[tuple[Pilot[int], WorkbenchApp]]:
    async with terminal_on(Core(project=folder, reload=True, link=False)) as (pilot, app):
        await until(lambda: app.tools)
        tree = app.query_one(OfferTree)
        await until(lambda: any(tree.offer_at(row) for row in range(tree.line_count)))
        yield pilot, app


async def watch_greet(pilot: Pilot[int], app: WorkbenchApp) -> None:
    """Watch a call from the list, with the values in its form."""
    await choose(pilot, app, next(tool["name"] for tool in app.tools if "greet" in tool["name"].lower()))
    await fill(pilot, app, name="Ada")
    await until(lambda: (form := app.query_one(OfferForm).editor.form) is not None and form.value() == {"name": "Ada"})
    app.query_one(OfferTree).focus()
    await pilot.pause()
    await pilot.press("w")
    await until(lambda: "✓ 1 watched" in screen_text(app))


async def test_a_watched_call_becomes_red_after_a_save_and_the_table_shows_the_difference(folder: Path) -> None:
    async with opened_on(folder) as (pilot, app):
        await watch_greet(pilot, app)
        (folder / "tools.py").write_text(TOOLS.replace("Hello", "Welcome"))
        await until(lambda: "✗ 1 of 1 watched" in screen_text(app))
        await pilot.press("W")
        await until(lambda: "1 difference" in screen_text(app) and "Welcome, Ada!" in screen_text(app))
        await pilot.press("a")
        await until(lambda: "1 difference" not in screen_text(app) and "same" in screen_text(app))
        await pilot.press("delete")
        await until(lambda: "No call is watched" in screen_text(app))
        await pilot.press("escape")
        await until(lambda: "watched" not in screen_text(app).splitlines()[0])


async def test_after_a_reload_that_failed_no_watched_call_is_run_and_the_table_states_it(folder: Path) -> None:
    async with opened_on(folder) as (pilot, app):
        await watch_greet(pilot, app)
        (watched,) = app.workspace.watched_calls.calls
        await until(lambda: watched.result is not None)
        before = watched.result
        (folder / "tools.py").write_text(TOOLS.replace("Hello", "Welcome").replace("def greet(", "def greet(("))
        await until(lambda: "✗ reload failed" in screen_text(app) and "· 1 watched" in screen_text(app))
        await pilot.press("W")
        await until(lambda: "The reload failed: no call was run" in screen_text(app))
        assert watched.result is before
        (folder / "tools.py").write_text(TOOLS.replace("Hello", "Welcome"))
        await until(lambda: "1 difference" in screen_text(app) and "The reload failed" not in screen_text(app))


async def test_the_same_key_ends_watching(folder: Path) -> None:
    async with opened_on(folder) as (pilot, app):
        await watch_greet(pilot, app)
        await pilot.press("w")
        await until(lambda: "no longer watched" in toasts(app))
        assert app.workspace.watched_calls.calls == []


async def test_a_destructive_call_is_watched_only_after_a_question(folder: Path) -> None:
    async with opened_on(folder) as (pilot, app):
        await choose(pilot, app, next(tool["name"] for tool in app.tools if "clear" in tool["name"].lower()))
        app.query_one(OfferTree).focus()
        await pilot.pause()
        await pilot.press("w")
        await until(lambda: isinstance(app.screen, ChoiceScreen) and "destructiveHint" in screen_text(app))
        await pilot.press("l")
        await until(lambda: not isinstance(app.screen, ChoiceScreen))
        await pilot.pause()
        assert not app.workspace.is_watching
        await pilot.press("w")
        await until(lambda: isinstance(app.screen, ChoiceScreen))
        await pilot.press("w")
        await until(lambda: "✓ 1 watched" in screen_text(app))


async def test_watched_saved_calls_are_remembered_and_watched_again(folder: Path) -> None:
    async with opened_on(folder) as (_, app):
        tool = next(tool["name"] for tool in app.tools if "greet" in tool["name"].lower())
    (folder / "workbench.yaml").write_text(CALLS.format(tool=tool))
    async with opened_on(folder) as (pilot, app):
        tree = app.query_one(OfferTree)
        await until(lambda: app.saved_calls and tree.line_count > 3)
        tree.focus()
        tree.move_to(1)
        await until(lambda: tree.saved_call is not None and tree.has_focus)
        await pilot.press("w")
        await until(lambda: "✓ 1 watched" in screen_text(app))
        app.exit(0)
    async with opened_on(folder) as (pilot, app):
        await until(lambda: "✓ 1 watched" in screen_text(app))
        await until(lambda: app.workspace.watched_calls.calls[0].result is not None)
        await pilot.press("W")
        await until(lambda: isinstance(app.screen, WatchScreen) and "The result is the same" in screen_text(app))


async def test_the_table_has_a_reason_while_no_call_is_watched(folder: Path) -> None:
    async with opened_on(folder) as (pilot, app):
        app.query_one(OfferTree).focus()
        await pilot.pause()
        await pilot.press("W")
        await until(lambda: "No call is watched" in toasts(app))


def test_a_memory_keeps_the_names_of_watched_calls() -> None:
    assert TerminalMemory.from_json(TerminalMemory(watched=["ada"]).to_json()).watched == ["ada"]
