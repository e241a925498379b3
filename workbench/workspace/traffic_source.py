"""Where the inspector gets its messages from: the core of this terminal, or a capture that was opened."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from workbench.model.history import CallRun
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.run_records import run_of
from workbench.model.traffic.timeline import Timeline

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace


class TrafficSource(Protocol):
    @property
    def timeline(self) -> Timeline: ...

    async def body(self, entry: Entry) -> bytes:
        """Return the bytes of a record that the timeline no longer stores; WorkbenchError if it is stored nowhere."""

    def run_of(self, entry: Entry) -> CallRun | None:
        """Return the run of this terminal that a message belongs to; None if there is none."""

    def original_of(self, request: Entry) -> Entry | None:
        """Return the request that the user has sent again as this one; None if there is none."""

    def tool(self, name: str) -> dict[str, Any]:
        """Return the definition of a tool at the time; empty if it is unknown."""


class LiveTraffic:
    """The messages of the core that a workspace is attached to."""

    def __init__(self, workspace: "Callable[[], Workspace]") -> None:
        self._workspace = workspace

    @property
    def timeline(self) -> Timeline:
        return self._workspace().timeline

    async def body(self, entry: Entry) -> bytes:
        return await self._workspace().body(entry)

    def run_of(self, entry: Entry) -> CallRun | None:
        return run_of(self.timeline, entry, self._workspace().history)

    def original_of(self, request: Entry) -> Entry | None:
        return self._workspace().sent_messages.original_of(request)

    def tool(self, name: str) -> dict[str, Any]:
        return self._workspace().core.tool(name)
