"""A workspace without a screen: its records are read as they arrive, and a command waits for its states."""

import asyncio
from collections.abc import Callable

from workbench.workspace.workspace import Workspace


class UnattendedWorkspace:
    """Waits for states of a workspace that nothing else shows."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._changed = asyncio.Event()
        workspace.on_change = lambda part: self._changed.set()
        workspace.link.on_records = self._read_soon
        self._read_soon()

    async def until(self, is_reached: Callable[[], bool]) -> bool:
        """Wait for a state of the workspace; return False if the core was lost meanwhile."""
        while not is_reached():
            if not self._workspace.connected:
                return False
            self._changed.clear()
            await self._changed.wait()
        return True

    def _read_soon(self) -> None:
        asyncio.get_running_loop().call_soon(self._read)

    def _read(self) -> None:
        # The rest of many records is read in the next turn.
        if self._workspace.poll():
            self._read_soon()
