"""One call of a tool: its progress while it runs, and its result."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from server_core.errors import WorkbenchError
from server_core.protocol.jsonrpc import Params, RequestId
from server_core.runtime.background import spawn
from workbench.client.multi_round_request import Rounds
from workbench.client.tasks import OnState

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
    """A call of a tool; made by :meth:`ClientSession.call_tool`.

    Args:
        name: the tool.
        arguments: what it was called with.
        rounds: the request, sent.
        on_progress: called with each progress report; it must not wait or raise.
        on_task: called with each state of the task that the server makes of the call, if it does; the same holds.
    """

    def __init__(
        self,
        name: str,
        arguments: dict[str, Any],
        rounds: Rounds,
        on_progress: Callable[[Progress], None] | None = None,
        on_task: OnState | None = None,
    ) -> None:
        self.name = name
        self.arguments = arguments
        self.progress: list[Progress] = []
        """What the tool reported so far, oldest first; only the latest reports of a long call."""
        self._rounds = rounds
        rounds.on_task = on_task
        self._on_progress = on_progress
        self._answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        # A call that nobody awaits may fail without a complaint of the event loop.
        self._answer.add_done_callback(lambda answer: answer.cancelled() or answer.exception())
        self._running = spawn(self._run(), f"call {name}")

    @property
    def id(self) -> RequestId:
        """The id on the wire, of the round that is in flight or was last."""
        return self._rounds.id

    @property
    def first_id(self) -> RequestId:
        """The id with which the call began; what the server asks on the way is asked for it."""
        return self._rounds.first_id

    @property
    def done(self) -> bool:
        """Whether the call is answered, failed or cancelled."""
        return self._answer.done()

    async def result(self) -> dict[str, Any]:
        """Return the CallToolResult; may be awaited by many, and again.

        A result with `isError` is a result: only what is wrong with the call itself is raised.

        Raises:
            RemoteError: when the server answered with a JSON-RPC error.
            ProtocolError: when the server answered with what is no result.
            ConnectionFailed: when the server went away before it answered.
            Refused: when something that the tool asked for was refused.
            TimedOut: when it took too long.
            CallCancelled: when the call was cancelled here.
        """
        # Shielded: one reader that gives up must not take the answer from the others.
        return await asyncio.shield(self._answer)

    def cancel(self, reason: str = "cancelled by the user") -> None:
        """Stop waiting and tell the server so; no effect on a call that is done."""
        if not self._answer.done():
            self._answer.set_exception(CallCancelled(f"The call of {self.name} was cancelled: {reason}."))
            self._rounds.cancel(reason)
            self._running.cancel()

    def paused(self) -> AbstractContextManager[None]:
        """Let the patience stand still meanwhile: somebody is asked something, perhaps for this call."""
        return self._rounds.deadline.paused()

    def on_done(self, then: Callable[[], object]) -> None:
        """Call this once the call is answered, failed or cancelled."""
        self._answer.add_done_callback(lambda _: then())

    def report(self, progress: Progress) -> None:
        """Take one progress report of the tool."""
        self._rounds.deadline.extend()
        self.progress.append(progress)
        del self.progress[:-MOST_PROGRESS]
        if self._on_progress is not None:
            self._on_progress(progress)

    async def _run(self) -> None:
        try:
            result = await self._rounds.result()
        except WorkbenchError as error:
            if not self._answer.done():
                self._answer.set_exception(error)
        else:
            self._answer.set_result(result)


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
