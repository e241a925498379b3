"""A request that may take several rounds: the server asks for input, and the request is sent again with the responses.

Rule 1: every round is a separate request, with the same method and params and a new id.
Rule 2: `requestState` is sent back unchanged, and only with the request that it was received for.
Rule 3: when a request for input is refused, the request is not sent again: the server holds no state for it.

Source: 2026-07-28, basic/patterns/mrtr.
"""

import asyncio
from collections import Counter
from typing import Any

from server_core.errors import ProtocolError, RemoteError
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.protocol.jsonrpc import Params, RequestId
from server_core.protocol.methods import METHODS
from server_core.transports.channel import SessionGone
from workbench.client.deadline import Deadline, Limits, TimedOut
from workbench.client.requester import RecoverableError, Requester
from workbench.client.tasks import CORE, EXTENSION, OnState, RemoteTask
from workbench.client.url_elicitations import elicitation_urls

MAX_ROUNDS = 32  # For servers that keep asking for input without ever answering.

COMPLETE, INPUT_REQUIRED, TASK = "complete", "input_required", "task"

# The methods whose result may be a task, by the tasks extension of 2026-07-28.
MAY_BECOME_TASKS = frozenset({"tools/call"})


class MultiRoundRequest:
    """One request, from its first round to its result; it is sent at once, and all rounds together have its limits."""

    def __init__(self, requester: Requester, method: str, params: Params | None, limits: Limits) -> None:
        self.deadline = Deadline(limits)
        # called with each state of the task that the server creates for the request, if any
        self.on_task: OnState | None = None
        self._requester = requester
        self._method = method
        self._params = params
        self._task: RemoteTask | None = None
        self.id: RequestId  # of the current or last round
        self._send(params)
        self.first_id: RequestId = self.id  # of the first round

    async def result(self) -> dict[str, Any]:
        """Return the result, after as many rounds as needed; cancelling the awaiting task cancels the request.

        Raises:
            RemoteError: when the server answered with a JSON-RPC error.
            TaskCancelled: when the server cancelled the task for the request.
            ProtocolError: when the server's response is invalid.
            ConnectionFailed, TimedOut, Refused: when there was no response, or a request for input was refused.
        """
        try:
            async with self.deadline:
                return await self._run_rounds()
        except TimedOut as error:
            self.cancel(str(error))
            raise TimedOut(f"The server gave {error} to {self._method}.") from None
        except asyncio.CancelledError:
            self.cancel("the client timed out")
            raise

    def cancel(self, reason: str) -> None:
        """Notify the server that the result is no longer needed; no effect once the result was received."""
        if not self._answer.done():
            self._requester.abandon(self.id, reason)
            self._answer.cancel()
        if self._task is not None:
            # A task is cancelled by a request, never by the notification (tasks, cancellation).
            self._task.cancel()

    async def _run_rounds(self) -> dict[str, Any]:
        params, error_counts = self._params, Counter[str]()
        for _ in range(MAX_ROUNDS):
            try:
                # Shielded: `cancel` has to know whether a response is still pending.
                result = await asyncio.shield(self._answer)
            except (RemoteError, SessionGone) as error:
                if not await self._recover(error, error_counts[_name(error)]):
                    raise
                error_counts[_name(error)] += 1
            else:
                kind = self._kind(result)
                if kind == COMPLETE:
                    return result
                if kind == TASK:
                    return await self._run_task(result)
                params = await self._params_with_input(result)
            self._send(params)
        raise self._invalid(f"with a request for more input, {MAX_ROUNDS} times")

    def _send(self, params: Params | None) -> None:
        # Stored now: if the session is lost, `recover` has to know which one it was.
        self._handshake = self._requester.handshake
        self.id, self._answer = self._requester.start_request(self._method, params)

    async def _recover(self, error: RecoverableError, attempts: int) -> bool:
        with self.deadline.paused():
            return await self._requester.recover(self._method, error, attempts, self._handshake, self.first_id)

    async def _params_with_input(self, result: dict[str, Any]) -> Params:
        """Ask for the input that a result requests, and return the params of the next round."""
        requests, state = result.get("inputRequests"), result.get("requestState")
        is_valid = isinstance(requests, dict | None) and isinstance(state, str | None)
        if not is_valid or (requests is None and state is None):
            raise self._invalid("with a request for more input that does not name any")
        params = dict(self._params or {})
        if requests is not None:
            with self.deadline.paused():
                params["inputResponses"] = await self._requester.request_input(requests, self.first_id)
        if state is not None:
            params["requestState"] = state
        return params

    async def _run_task(self, result: dict[str, Any]) -> dict[str, Any]:
        form, state = (EXTENSION, result) if self._requester.handshake.revision.stateless else (CORE, result["task"])
        self._task = RemoteTask(self._requester, form, state, self.first_id, self.deadline, self.on_task)
        return await self._task.result()

    def _kind(self, result: dict[str, Any]) -> str:
        if not self._requester.handshake.revision.stateless:
            became_task = "task" in (self._params or {}) and isinstance(result.get("task"), dict)
            return TASK if became_task else COMPLETE
        # basic, responses: a missing type is "complete", and an unknown type is invalid.
        kind = result.get("resultType", COMPLETE)
        method = METHODS.get(self._method)
        if kind == INPUT_REQUIRED and method is not None and method.multi_round:
            return INPUT_REQUIRED
        if kind == COMPLETE or (kind == TASK and self._method in MAY_BECOME_TASKS):
            return str(kind)
        raise self._invalid(f"with a result of type {kind!r}, which is not valid for it")

    def _invalid(self, how: str) -> ProtocolError:
        return ProtocolError(INTERNAL_ERROR, f"The server answered {self._method} {how}.")


def _name(error: RecoverableError) -> str:
    """Return a key for an error; elicitation ids are left out, since they may differ for the same URL."""
    if not isinstance(error, RemoteError):
        return type(error).__name__
    return f"{error.code} {elicitation_urls(error.data) or error.data}"
