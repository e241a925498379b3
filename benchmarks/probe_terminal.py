"""What the probes share: the real terminal, which notices its paints, and a link to no core."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from server_core.records.tap import Record
from workbench.tui import app as app_module
from workbench.tui.app import WorkbenchApp
from workbench.workspace.open_request import StartChoice
from workbench.workspace.workspace import Workspace

PAUSE_S = 0.05
"""The time between two key presses: about the rate of key repeat."""

TOOL = {"name": "greet", "inputSchema": {"type": "object"}, "secrets": []}
ANSWERS: dict[str, dict[str, Any]] = {
    "core/info": {},
    "accounts/list": {"accounts": []},
    "catalog/get": {"generation": 1, "ok": True, "tools": [TOOL]},
    "secrets/list": {"secrets": []},
    "sessions/list": {"sessions": []},
    "captures/list": {"captures": []},
}


class ProbeLink:
    """A fake link to a core with one tool and no records."""

    def __init__(self) -> None:
        self.info = {"id": "bench", "role": "viewer", "mode": "catalog", "project": "bench"}
        self.closed = asyncio.Event()
        self.dropped = 0
        self.on_records: Callable[[], None] | None = None
        self.session_ids: list[str] = []

    def drain(self, most: int) -> list[Record]:
        return []

    async def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        return ANSWERS[method]

    async def subscribe(self, after: int = 0) -> None:
        pass

    async def open_session(self) -> Any:
        """Never called: the link has the role of a viewer."""
        raise NotImplementedError

    async def close(self) -> None:
        self.closed.set()


class ProbeTerminal(WorkbenchApp):
    """The terminal on a fake link, which is measured as soon as it is open; `seen` is called before each paint ends."""

    # Textual searches for style sheets in the folder of the class that names them.
    CSS_PATH = [Path(app_module.__file__).parent / name for name in WorkbenchApp.CSS_PATH]

    def __init__(self, link: ProbeLink) -> None:
        self._probe_link = link
        self._painted = asyncio.Event()
        super().__init__(self._open_link)

    async def _open_link(self, wanted: StartChoice | None = None) -> Workspace:
        workspace = Workspace(self._probe_link)
        await workspace.open()
        self.run_worker(self.measure(workspace))
        return workspace

    def _display(self, screen: Any, renderable: Any) -> None:
        super()._display(screen, renderable)
        self.seen()
        self._painted.set()

    def seen(self) -> None:
        """Note what was painted."""
        raise NotImplementedError

    async def measure(self, workspace: Workspace) -> None:
        """Write the report, and exit."""
        raise NotImplementedError

    async def next_paint(self) -> None:
        """Wait for a paint, or for as long as a pause if there is nothing to paint: the caller checks again."""
        self._painted.clear()
        try:
            async with asyncio.timeout(PAUSE_S):
                await self._painted.wait()
        except TimeoutError:
            return
