"""One call of a tool: its progress while it runs, and its result."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from server_core.errors import WorkbenchError
from server_core.protocol.jsonrpc import Params, RequestId

# A tool may report progress for hours; older reports tell nothing that newer ones do not.
MOST_PROGRESS = 1000


class CallCancelled(WorkbenchError):
    """The call was cancelled by this client before it was answered."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call has come.

    Attributes:
        progress: a number that grows.
        total: where it will end, if the tool knows.
        message: what the tool is doing, if it says.
    """

    progress: float
    total: float | None = None
    message: str | None = None

    @classmethod
    def from_params(cls, params: Params) -> "Progress | None":
        """Return what `notifications/progress` says; None when it says nothing that fits its schema."""
        progress, message = _number(params.get("progress")), params.get("message")
        if progress is None:
            return None
        return cls(progress, _number(params.get("total")), message if isinstance(message, str) else None)


class Call:
    """One call of a tool.

    Args:
        id: the id of its request.
        name: the tool.
        arguments: what was sent.
        answer: resolves to the result.
        on_cancel: tells the server, when the call is cancelled; given the reason.
        on_progress: called with each progress report.
    """

    def __init__(
        self,
        id: RequestId,
        name: str,
        arguments: dict[str, Any],
        answer: asyncio.Future[dict[str, Any]],
        on_cancel: Callable[[str], None],
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self.id = id
        self.name = name
        self.arguments = arguments
        self.progress: list[Progress] = []
        """What the tool reported so far, oldest first; only the latest reports of a long call."""
        self._answer = answer
        self._on_cancel = on_cancel
        self._on_progress = on_progress

    @property
    def done(self) -> bool:
        """Whether the call is answered, failed or cancelled."""
        return self._answer.done()

    async def result(self) -> dict[str, Any]:
        """Return the CallToolResult; may be awaited by many, and again.

        A result with `isError` is a result: only what is wrong with the call itself is raised.

        Raises:
            RemoteError: when the server answered with a JSON-RPC error.
            ConnectionFailed: when the server went away before it answered.
            CallCancelled: when the call was cancelled here.
        """
        # Shielded: one reader that gives up must not take the answer from the others.
        return await asyncio.shield(self._answer)

    def cancel(self, reason: str = "cancelled by the user") -> None:
        """Stop waiting and tell the server so; no effect on a call that is done."""
        if not self._answer.done():
            self._answer.set_exception(CallCancelled(f"The call of {self.name} was cancelled: {reason}."))
            self._on_cancel(reason)

    def report(self, progress: Progress) -> None:
        """Take one progress report of the tool."""
        self.progress.append(progress)
        del self.progress[:-MOST_PROGRESS]
        if self._on_progress is not None:
            self._on_progress(progress)


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
