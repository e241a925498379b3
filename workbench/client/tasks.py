"""A task that a server runs for a request of ours: asked for its state until there is a result.

There are two kinds. The one of 2025-11-25 is part of the protocol, is asked for by the client, and has a request for
its result. The one of the extension `io.modelcontextprotocol/tasks` is the server's choice, and its state holds what
the server wants to know and, in the end, the result.

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

USUAL_MS, SHORTEST_MS, LONGEST_MS = 1000, 20, 60_000
"""How long to wait before a state is asked for again: when the server does not say, at least, and at most."""

WORKING, INPUT_REQUIRED = "working", "input_required"
COMPLETED, FAILED, CANCELLED = "completed", "failed", "cancelled"
_OVER = frozenset({COMPLETED, FAILED, CANCELLED})
_STATUSES = _OVER | {WORKING, INPUT_REQUIRED}

State = dict[str, Any]
OnState = Callable[[State], None]


class TaskCancelled(WorkbenchError):
    """The server cancelled the task."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of task is written.

    Attributes:
        interval: the member of a state that says how many milliseconds to wait.
        inlines: whether a state holds the questions and the result; else there is a request for it.
    """

    interval: str
    inlines: bool


CORE = Kind("pollInterval", inlines=False)
EXTENSION = Kind("pollIntervalMs", inlines=True)


class Task:
    """One task.

    Args:
        requester: sends the requests.
        kind: how it is written.
        created: its first state, as the server told it.
        call: the id with which the call began that the task is for.
        deadline: of the call; each state that comes is a sign of life.
        on_state: called with each state that comes; it must not wait or raise.

    Raises:
        ProtocolError: when the state names no task.
    """

    def __init__(
        self,
        requester: Requester,
        kind: Kind,
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
        """Return the result of the request that became the task.

        Raises:
            RemoteError: when the request failed, or the server does not know the task any more.
            TaskCancelled: when the server cancelled it.
            ProtocolError: when the server's states make no sense.
            Refused: when something that it asked for was refused.
            ConnectionFailed: when the server is gone.
        """
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
        """Ask the server to stop; what comes of that is not waited for."""
        if not self._is_over:
            self._is_over = True
            with suppress(ConnectionFailed):
                self._requester.begin("tasks/cancel", self._params)

    async def _next(self) -> State | None:
        """Look at the latest state; return what the task came to, if it has."""
        status = self._state["status"]
        self._is_over = status in _OVER
        if status == CANCELLED:
            raise TaskCancelled("The server has cancelled the task.")
        if self._kind.inlines:
            return self._inlined(status)
        # What it wants to know comes as requests while the result is waited for.
        return None if status == WORKING else await self._requester.once("tasks/result", self._params)

    def _inlined(self, status: str) -> State | None:
        if status == COMPLETED:
            return self._member("result")
        if status == FAILED:
            error = self._member("error")
            code, message = error.get("code"), error.get("message")
            raise RemoteError(code if isinstance(code, int) else INTERNAL_ERROR, str(message), error.get("data"))
        if status == INPUT_REQUIRED:
            self._answer_in_time(self._member("inputRequests"))
        return None

    def _answer_in_time(self, requests: dict[str, Any]) -> None:
        # The state is asked for meanwhile: what was asked may no longer be wanted.
        fresh = {key: request for key, request in requests.items() if key not in self._known}
        if fresh and self._answering is None:
            self._known |= fresh.keys()
            self._answering = spawn(self._answer(fresh), "answer a task")

    async def _answer(self, requests: dict[str, Any]) -> WorkbenchError | None:
        # Returned, not raised: whoever waits for the result is told.
        try:
            with self._deadline.paused():
                answers = await self._requester.inquire(requests, self._call)
            await self._requester.once("tasks/update", self._params | {"inputResponses": answers})
        except WorkbenchError as error:
            return error
        return None

    async def _pause(self) -> None:
        """Wait as long as the server wants, or until it has its answers, and get the next state."""
        seconds = self._seconds()
        if self._answering is None:
            await self._requester.pause(seconds)
        else:
            await asyncio.wait({self._answering}, timeout=seconds)
            if self._answering.done():
                answering, self._answering = self._answering, None
                if (error := answering.result()) is not None:
                    raise error
        self._state = self._checked(await self._requester.once("tasks/get", self._params))
        self._deadline.extend()

    def _seconds(self) -> float:
        given = self._state.get(self._kind.interval)
        wanted = given if isinstance(given, int | float) and not isinstance(given, bool) else USUAL_MS
        return min(max(wanted, SHORTEST_MS), LONGEST_MS) / 1000

    def _member(self, name: str) -> dict[str, Any]:
        member = self._state.get(name)
        if not isinstance(member, dict):
            raise _invalid(f"is {self._state['status']} and has no {name}")
        return member

    def _checked(self, state: State) -> State:
        if not isinstance(self._params["taskId"], str):
            raise _invalid("has no id")
        if not isinstance(status := state.get("status"), str) or status not in _STATUSES:
            raise _invalid(f"is {status!r}, which no task can be")
        if self._on_state is not None:
            self._on_state(state)
        return state


def _invalid(how: str) -> ProtocolError:
    return ProtocolError(INTERNAL_ERROR, f"The server tells of a task that {how}.")
