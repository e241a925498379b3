"""The connection of the terminal to a core: opened after the first paint, and again after a loss."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.model.catalog import load_state
from workbench.tui.header import WITHOUT_CORE

if TYPE_CHECKING:
    from workbench.workspace.open_request import OpenWorkspace, StartChoice
    from workbench.workspace.workspace import Workspace


class CoreConnection:
    """Opens the workspace that the terminal shows; `on_change` is called when connecting begins and ends."""

    def __init__(self, open_workspace: "OpenWorkspace", on_change: Callable[[], None]) -> None:
        self.workspace: Workspace | None = None
        """The current workspace: the previous one while another is opened."""
        self.choice: StartChoice | None = None
        """What is opened; None for the target of the command line."""
        self._opened: StartChoice | None = None
        """The choice of the current workspace."""
        self._open_workspace = open_workspace
        self._on_change = on_change
        self._is_connecting = True

    @property
    def state(self) -> str:
        """The state of the core and its server: a key of the header's table of states, such as "ready" or "lost"."""
        workspace = self.workspace
        if workspace is None or self._is_connecting:
            return "connecting" if self._is_connecting else "lost"
        if not workspace.connected:
            return "stopped" if workspace.end.announced else "lost"
        if workspace.restarting:
            return "connecting"
        if workspace.server_lost:
            return "server lost"
        if workspace.core.reloading:
            return "reloading"
        return load_state(workspace.core.catalog) if workspace.core.is_loaded else "loading"

    @property
    def opening(self) -> str:
        """The title of another server that is being opened; empty if none is."""
        if self.choice is None or self.choice == self._opened:
            return ""
        return self.choice.title if self._is_connecting else ""

    @property
    def can_return(self) -> bool:
        """Whether another server was opened before the choice that could not be opened."""
        return self.workspace is not None and self.choice != self._opened

    def return_to_opened(self) -> None:
        """Choose again what was opened last."""
        self.choice = self._opened

    def release(self) -> tuple[str, bool]:
        """End the updates of a terminal that failed; return the core's id, if any, and whether it is in-process."""
        workspace = self.workspace
        if workspace is None:
            return "", False
        workspace.on_change = workspace.link.on_records = None
        continues = workspace.connected and not self._is_connecting
        return str(workspace.core.info.get("id") or "") if continues else "", workspace.core.is_in_process

    async def open(self) -> "Workspace":
        self._is_connecting = True
        self._on_change()
        try:
            if self.workspace is not None:
                await self.workspace.close()
            workspace = await (self._open_workspace() if self.choice is None else self._open_workspace(self.choice))
            if self.workspace is not None:
                await workspace.continue_from(self.workspace)
        finally:
            self._is_connecting = False
            self._on_change()
        self.workspace, self._opened = workspace, self.choice
        return workspace

    def why_not(self, action: str) -> str | None:
        """Return why the restart of a core or a relayed server, or its end, is not possible now; None if it is."""
        workspace = self.workspace
        if action == "stop_restarts":
            is_due = workspace is not None and workspace.restarts.seconds_left is not None
            return None if is_due else "No restart of the server is due."
        if action == "open_server":
            return self._why_no_other_server()
        if self.state == "connecting":
            return "Already connecting."
        if self.state in WITHOUT_CORE:
            return None
        if workspace is not None and workspace.core.is_relay and workspace.session is not None:
            return None
        if workspace is not None and workspace.server_lost:
            return None
        return "No restart is needed: the core runs, and reloads on save."

    def _why_no_other_server(self) -> str | None:
        if self.workspace is None or self._is_connecting:
            return "Not connected yet."
        if self.workspace.running:
            return "A call runs: wait for the result, or cancel it first."
        return None
