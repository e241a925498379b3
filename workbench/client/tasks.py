"""A task that a server runs for a request: its state is polled until there is a result.

There are two kinds. Tasks of 2025-11-25 are part of the protocol, are requested by the client, and have a request for
the result. Tasks of the extension `io.modelcontextprotocol/tasks` are the server's choice, and their state contains the
requests for input and, in the end, the result.

Source: 2025-11-25, basic/utilities/tasks; the tasks extension of 2026-07-28.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from server_core.errors import ConnectionFailed, ProtocolError, RemoteError, WorkbenchError
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.protocol.jsonrpc import RequestId
from server_core.runtime.background import spawn
from workbench.client.deadline import Deadline
from workbench.client.requester import Refused, Requester

# The interval between polls: the default, the minimum and the maximum.
USUAL_MS, SHORTEST_MS, LONGEST_MS = 1000, 20, 60_000

WORKING, INPUT_REQUIRED = "working", "input_required"
COMPLETED, FAILED, CANCELLED = "completed", "failed", "cancelled"
_OVER = frozenset({COMPLETED, FAILED, CANCELLED})
_STATUSES = _OVER | {WORKING, INPUT_REQUIRED}

State = dict[str, Any]
OnState = Callable[[State], None]


class TaskCancelled(WorkbenchError): ...


@dataclass(frozen=True, slots=True)
class TaskKind:
    """The wire format of one kind of task."""

    interval: str  # the member of a state with the interval between polls in milliseconds
    is_inline: bool  # whether a state contains the requests for input and the result; else there is a request for them


CORE = TaskKind("pollInterval", is_inline=False)
EXTENSION = TaskKind("pollIntervalMs", is_inline=True)


class RemoteTask:
    """One task; ProtocolError if its first state has no id. Each state counts as a sign of life for the deadline.

    `call` is the id of the first round of its call; `on_state` must not block or raise.
    """

    def __init__(
        self,
        requester: Requester,
        kind: TaskKind,
        created: State,
        call: RequestId,
        deadline: Deadline,
        on_state: OnState | None = None,
    ) -> None:
        self._requester = requester
        self._kind = kind
        self._call = call
        self._deadline = deadline
        self._on_state = on_state
        self._params = {"taskId": created.get("taskId")}
        self._is_over = False
        self._answering: asyncio.Task[WorkbenchError | None] | None = None
        self._known: set[str] = set()
        self._state = self._checked(created)

    async def result(self) -> dict[str, Any]:
        """Return the result of the request that became the task; the errors are those of the request."""
        try:
            while (outcome := await self._next()) is None:
                await self._pause()
            return outcome
        except (Refused, ProtocolError):
            self.cancel()
            raise
        finally:
            if self._answering is not None:
                self._answering.cancel()

    def cancel(self) -> None:
        """Send a request to cancel the task; its response is not awaited."""
        if not self._is_over:
            self._is_over = True
            # A closed connection has no task that could be cancelled.
            with suppress(ConnectionFailed):
                self._requester.start_request("tasks/cancel", self._params)

    async def _next(self) -> State | None:
        """Process the latest state; return the result of the task if it has ended."""
        status = self._state["status"]
        self._is_over = status in _OVER
        if status == CANCELLED:
            raise TaskCancelled("The server has cancelled the task.")
        if self._kind.is_inline:
            return self._inlined(status)
        # Here, input is requested by separate requests while `tasks/result` is pending.
        return None if status == WORKING else await self._requester.request_once("tasks/result", self._params)

    def _inlined(self, status: str) -> State | None:
        if status == COMPLETED:
            return self._member("result")
        if status == FAILED:
            error = self._member("error")
            code, message = error.get("code"), error.get("message")
            raise RemoteError(code if isinstance(code, int) else INTERNAL_ERROR, str(message), error.get("data"))
        if status == INPUT_REQUIRED:
            self._start_answering(self._member("inputRequests"))
        return None

    def _start_answering(self, requests: dict[str, Any]) -> None:
        # The state is still polled meanwhile: the task may end without the input.
        fresh = {key: request for key, request in requests.items() if key not in self._known}
        # One set at a time: `tasks/update` carries all responses of a set together.
        if fresh and self._answering is None:
            self._known |= fresh.keys()
            self._answering = spawn(self._answer(fresh), "answer a task")

    async def _answer(self, requests: dict[str, Any]) -> WorkbenchError | None:
        # Returned, not raised: `_pause` raises it for the caller that waits for the result.
        try:
            with self._deadline.paused():
                answers = await self._requester.request_input(requests, self._call)
            await self._requester.request_once("tasks/update", self._params | {"inputResponses": answers})
        except WorkbenchError as error:
            return error
        return None

    async def _pause(self) -> None:
        """Wait for the server's interval, or until the input is sent, and get the next state."""
        seconds = poll_seconds(self._state.get(self._kind.interval))
        if self._answering is None:
            await self._requester.pause(seconds)
        else:
            await asyncio.wait({self._answering}, timeout=seconds)
            if self._answering.done():
                answering, self._answering = self._answering, None
                if (error := answering.result()) is not None:
                    raise error
        self._state = self._checked(await self._requester.request_once("tasks/get", self._params))
        self._deadline.extend()

    def _member(self, name: str) -> dict[str, Any]:
        member = self._state.get(name)
        if not isinstance(member, dict):
            raise _invalid(f"is {self._state['status']} and has no {name}")
        return member

    def _checked(self, state: State) -> State:
        if not isinstance(self._params["taskId"], str):
            raise _invalid("has no id")
        if not isinstance(status := state.get("status"), str) or status not in _STATUSES:
            raise _invalid(f"is {status!r}, which is not a task status")
        if self._on_state is not None:
            self._on_state(state)
        return state


def poll_seconds(interval_ms: Any) -> float:
    """Return the seconds until the next poll, for the interval that a server requests."""
    is_number = isinstance(interval_ms, int | float) and not isinstance(interval_ms, bool)
    return min(max(interval_ms if is_number else USUAL_MS, SHORTEST_MS), LONGEST_MS) / 1000


def _invalid(how: str) -> ProtocolError:
    return ProtocolError(INTERNAL_ERROR, f"The server sent a task that {how}.")
