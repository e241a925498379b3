"""One call of a tool: its progress while it runs, and its result."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from server_core.errors import WorkbenchError
from server_core.protocol.jsonrpc import Params, RequestId
from server_core.runtime.background import spawn
from workbench.client.multi_round_request import MultiRoundRequest
from workbench.client.tasks import OnState
from workbench.model.json_members import finite

# A tool may report progress for hours; older reports contain nothing that newer reports lack.
MAX_PROGRESS = 1000


class CallCancelled(WorkbenchError): ...


@dataclass(frozen=True, slots=True)
class CallProgress:
    """The progress of a call; the tool need not know the total, nor describe the current step."""

    progress: float
    total: float | None = None
    message: str | None = None

    @classmethod
    def from_params(cls, params: Params) -> "CallProgress | None":
        """Return the params of a `notifications/progress`; None when they do not fit the schema."""
        progress, message = finite(params.get("progress")), params.get("message")
        if progress is None:
            return None
        return cls(progress, finite(params.get("total")), message if isinstance(message, str) else None)


class ToolCall:
    """A call of a tool, already sent; made by :meth:`ClientSession.call_tool`, which describes the callbacks."""

    def __init__(
        self,
        name: str,
        arguments: dict[str, Any],
        rounds: MultiRoundRequest,
        on_progress: Callable[[CallProgress], None] | None = None,
        on_task: OnState | None = None,
    ) -> None:
        self.name = name
        self.arguments = arguments
        self.progress: list[CallProgress] = []  # oldest first; a long call stores only the latest
        self._rounds = rounds
        rounds.on_task = on_task
        self._on_progress = on_progress
        self._answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        # Retrieve the exception, so that the event loop does not log it when no task awaits the call.
        self._answer.add_done_callback(lambda answer: answer.cancelled() or answer.exception())
        self._running = spawn(self._run(), f"call {name}")

    @property
    def id(self) -> RequestId:
        """The id on the wire of the current or last round."""
        return self._rounds.id

    @property
    def first_id(self) -> RequestId:
        """The id of the first round; server requests during the call refer to it."""
        return self._rounds.first_id

    @property
    def done(self) -> bool:
        return self._answer.done()

    async def result(self) -> dict[str, Any]:
        """Return the CallToolResult, to any number of tasks; a result with `isError` is returned, and not raised.

        CallCancelled if the call was cancelled here; the other errors are those of :meth:`MultiRoundRequest.result`.
        """
        # Shielded: one awaiter that is cancelled must not cancel the future for the others.
        return await asyncio.shield(self._answer)

    def cancel(self, reason: str = "cancelled by the user") -> None:
        """Stop waiting and notify the server; no effect on a call that is done."""
        if not self._answer.done():
            self._answer.set_exception(CallCancelled(f"The call of {self.name} was cancelled: {reason}."))
            self._rounds.cancel(reason)
            self._running.cancel()

    def paused(self) -> AbstractContextManager[None]:
        """Suspend the idle timeout meanwhile: the user is asked for input, perhaps for this call."""
        return self._rounds.deadline.paused()

    def on_done(self, then: Callable[[], object]) -> None:
        """Register a function that is called once the call is answered, failed or cancelled."""
        self._answer.add_done_callback(lambda _: then())

    def report(self, progress: CallProgress) -> None:
        self._rounds.deadline.extend()
        self.progress.append(progress)
        del self.progress[:-MAX_PROGRESS]
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
