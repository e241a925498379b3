"""The terminal on a real core that serves a real project, in this process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from server_core.core import Core
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from tests.waiting import until
from tests.workbench.tui.driving import opened
from workbench.link.local import LocalLink
from workbench.tui.app import WorkbenchApp
from workbench.workspace.open_request import StartChoice
from workbench.workspace.workspace import Workspace

in_both_eras = pytest.mark.parametrize("revision", [LATEST, LATEST_STATELESS], ids=["session", "stateless"])


@asynccontextmanager
async def working(
    project: Path, place: str, revision: Revision | None = None
) -> AsyncIterator[tuple[Pilot[Any], WorkbenchApp]]:
    """Open the terminal on a core in this process, and wait for the tools."""
    async with terminal_on(Core(project=project, reload=True, link=False), place, revision) as (pilot, app):
        await until(lambda: app.state in ("ready", "partial") and app.tools)
        yield pilot, app


@asynccontextmanager
async def terminal_on(
    core: Core, place: str = "tools", revision: Revision | None = None
) -> AsyncIterator[tuple[Pilot[Any], WorkbenchApp]]:
    """Start a core, and open the terminal on it."""
    await core.start()

    async def open_workspace(wanted: StartChoice | None = None) -> Workspace:
        workspace = Workspace(LocalLink(core), revision=revision)
        await workspace.open()
        return workspace

    app = WorkbenchApp(open_workspace, place=place)
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            await opened(pilot, place)
            yield pilot, app
            await app.workspace.close()
    finally:
        await core.stop()
