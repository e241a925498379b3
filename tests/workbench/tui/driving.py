"""Steps that the tests of the terminal share."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot

from tests.waiting import until
from tests.workbench.tui.fakes import FakeLink, opener
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.inspector_pane import InspectorPane

Driven = tuple[Pilot[Any], WorkbenchApp]


@asynccontextmanager
async def terminal(*links: FakeLink, pane: str, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Driven]:
    """An open terminal that shows a pane; each restart of its core uses the next link."""
    app = WorkbenchApp(opener(*links), place=pane)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, pane)
        yield pilot, app


def screen_text(app: WorkbenchApp) -> str:
    """Return the text on the screen."""
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips)


async def opened(pilot: Pilot[Any], place: str = "tools") -> WorkbenchApp:
    """Wait until the workspace is open, show a pane, and return the app."""
    app = pilot.app
    assert isinstance(app, WorkbenchApp)
    await until(lambda: app.pane is not None)
    # Their warnings are marked in the list of tools.
    await until(lambda: not app.workspace.core.checks.is_running)
    await app.show(place)
    await pilot.pause()
    return app


async def settled(pilot: Pilot[Any]) -> None:
    """Wait until the records that have arrived are on the screen."""
    app = pilot.app
    assert isinstance(app, WorkbenchApp)
    await until(lambda: not app.workspace.poll())
    app._polling.show_records()
    await pilot.pause()
    if isinstance(app.pane, InspectorPane) and app.pane.traffic.entry is not None and app.pane.detail.display:
        detail = app.pane.detail
        await until(lambda: detail.line_count)
    await pilot.pause()


def toasts(app: WorkbenchApp) -> str:
    """Return the notices that are still true, a line each."""
    return "\n".join(app.notices.texts)
