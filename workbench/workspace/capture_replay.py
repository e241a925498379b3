"""A replay of a capture with the server of a workspace, in sessions of its own."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.errors import ConnectionFailed
from workbench.replay.player import play
from workbench.replay.recording import Sent
from workbench.replay.recording_reader import read_recording
from workbench.replay.report import ReplayOutcome

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace


class CaptureReplay:
    """Sends the requests of a capture again, and collects the outcomes as they become known."""

    def __init__(self, workspace: "Workspace", path: str) -> None:
        self.name = Path(path).name
        self.outcomes: list[ReplayOutcome] = []
        self.notes: list[str] = []
        self.total = 0  # the number of requests; 0 until the capture was read
        self.is_running = True
        self._workspace = workspace
        self._path = path

    async def run(self, on_change: Callable[[], None]) -> None:
        """Replay, and call `on_change` after each outcome and at the end.

        Raises:
            WorkbenchError: when the capture cannot be read, or the server cannot be reached.
        """
        try:
            if not self._workspace.connected:
                raise ConnectionFailed(f"Not connected to the core. {self._workspace.restart_hint}")
            recording = await asyncio.to_thread(read_recording, Path(self._path))
            self.total = sum(isinstance(step, Sent) for step in recording.steps)

            def add(outcome: ReplayOutcome) -> None:
                self.outcomes.append(outcome)
                on_change()

            server = str(self._workspace.identity.get("name") or "the server")
            report = await play(recording, self._workspace.link.open_session, server, on_outcome=add)
            self.outcomes, self.notes = report.outcomes, report.notes
        finally:
            self.is_running = False
            on_change()
