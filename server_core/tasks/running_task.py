"""A task whose tool runs in this process: its input requests, their responses, and its end.

Rule 1: the state here is the current one; the store is updated afterwards, in order, and may skip intermediate states.
Rule 2: a task ends once; an outcome that a stopped tool has later is ignored.
Rule 3: everything here runs on the event loop's thread.

An input request is always part of the state of the task, which clients can fetch. In 2025-11-25 it is also sent to the
client that waits for the result; from 2026-07-28 on, the client sends the response in a request of its own.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from server_core.errors import ClientTimeout, ContextError, ProtocolError, RemoteError
from server_core.execution.context.client_port import InputRequestKeys
from server_core.protocol import jsonrpc
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.protocol.jsonrpc import Params
from server_core.protocol.revisions import Revision
from server_core.runtime.background import spawn
from server_core.runtime.safe_json import parse_json
from server_core.tasks.task import Json, Status, TaskState
from server_core.tasks.task_store import TaskStore

Sender: TypeAlias = Callable[[str, Params, float], Awaitable[Json]]
"""Sends an input request to the client as a JSON-RPC request: method, params, timeout; returns the result."""

CANCELLED = "The task was cancelled by request."

_log = logging.getLogger(__name__)


class ClientDisconnected(ContextError):
    """The client of an input request has disconnected; another may still answer the request."""


@dataclass(slots=True, eq=False)
class OpenRequest:
    """An input request without a response."""

    method: str
    params: Params
    timeout: float  # In seconds.
    response: "asyncio.Future[Json]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    # Sends it to the client that waits for the result of the task; None while no client does.
    sending: "asyncio.Task[None] | None" = None

    def cancel_sending(self) -> None:
        """Cancel the JSON-RPC request to the client, if there is one; the input request stays open."""
        if self.sending is not None:
            self.sending.cancel()
            self.sending = None


class RunningTask:
    """One task, as long as its tool runs, in the revision of its call, which decides how errors are encoded.

    `on_changed` is called on each change of its status or input requests, `on_saved` when its end is stored.
    """

    def __init__(
        self,
        task: TaskState,
        revision: Revision,
        store: TaskStore,
        on_changed: Callable[[TaskState], None],
        on_saved: Callable[["RunningTask"], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.task = task
        self.ended = asyncio.Event()
        """Set when the task has ended."""
        self.stop: Callable[[], None] = lambda: None
        """Stops the tool; set when the tool has been started."""
        self._revision = revision
        self._store = store
        self._on_changed = on_changed
        self._on_saved = on_saved
        self._clock = clock
        self._keys = InputRequestKeys()
        self._open: dict[str, OpenRequest] = {}
        self._senders: list[Sender] = []
        # Whether the store has the current state, or is about to receive it.
        self._is_saved = True
        self._saving: asyncio.Task[None] | None = None

    # For the tool.

    async def ask(self, method: str, params: Params, timeout: float, key: str = "") -> Json:
        """Make an input request, and return the response of the first client that answers it.

        RemoteError when the client responds with an error, ClientTimeout when it does not in time.
        """
        from server_core.execution.time_limits import limited

        request = OpenRequest(method, params, timeout)
        unique_key = self._keys.new(method, key)
        self._open[unique_key] = request
        self._requests_changed()
        if self._senders:
            self._send(request, self._senders[-1])
        try:
            async with limited(timeout) as limit:
                return await request.response
        except TimeoutError:
            raise ClientTimeout(method, limit.seconds) from None
        finally:
            request.cancel_sending()
            if self._open.pop(unique_key, None) is not None:
                self._requests_changed()

    def conclude(self, outcome: Json | bytes | BaseException) -> None:
        """End the task with the outcome of its call: the result, or the exception that it raised."""
        outcome = _encodable(outcome)
        if isinstance(outcome, dict):
            self._end("completed", result=outcome)
            return
        from server_core.execution.wire_errors import rpc_error

        wire_error = rpc_error(outcome, self._revision)
        error: Json = {"code": wire_error.code, "message": wire_error.message}
        if wire_error.data is not None:
            error["data"] = wire_error.data
        self._end("failed", message=wire_error.message, error=error)

    # For its client.

    def answer(self, key: str, response: Any, validate: Callable[[Json, Any], Json | None]) -> None:
        """Receive the response to an input request; without one, or if `validate` returns None, it is ignored."""
        request = self._open.get(key)
        if request is None or request.response.done():
            return
        valid_response = validate({"method": request.method, "params": request.params}, response)
        if valid_response is None:
            return
        request.response.set_result(valid_response)
        del self._open[key]
        self._requests_changed()

    async def wait(self, sender: Sender) -> None:
        """Wait until the task has ended; meanwhile its input requests are sent to the client through this sender.

        Input requests that were sent through another sender are cancelled there and sent again, because a client that
        waits a second time has probably lost its first connection.
        """
        self._senders.append(sender)
        try:
            for request in list(self._open.values()):
                request.cancel_sending()
                self._send(request, sender)
            await self.ended.wait()
        finally:
            self._senders.remove(sender)

    # For the registry, and for a client that cancels it.

    def cancel(self) -> None:
        """Stop the tool, because the client has cancelled the task."""
        self._end("cancelled", message=CANCELLED)
        self.stop()

    def fail(self, message: str) -> None:
        """Stop the tool, because it cannot continue."""
        self._end("failed", message=message, error={"code": INTERNAL_ERROR, "message": message})
        self.stop()

    async def saved(self) -> None:
        """Wait until the current state is stored, or cannot be stored."""
        if self._saving is not None:
            await asyncio.wait([self._saving])

    # Internals.

    def _end(self, status: Status, *, message: str = "", result: Json | None = None, error: Json | None = None) -> None:
        if self.task.is_ended:
            return
        self.task = self.task.with_status(status, self._clock(), message=message, result=result, error=error)
        self._changed()
        self.ended.set()

    def _requests_changed(self) -> None:
        if self.task.is_ended:
            return
        requests = {key: {"method": request.method, "params": request.params} for key, request in self._open.items()}
        self.task = self.task.with_requests(requests, self._clock())
        self._changed()

    def _changed(self) -> None:
        self._is_saved = False
        if self._saving is None:
            self._saving = spawn(self._save(), f"save task {self.task.id}")
        self._on_changed(self.task)

    async def _save(self) -> None:
        try:
            # Repeated, and marked before it is written, since the task may change while its state is written.
            while not self._is_saved:
                self._is_saved = True
                await self._store.update(self.task)
        except Exception:
            # `on_saved` is not called, so the registry has the task in memory until it expires.
            _log.exception("The state of task %s cannot be stored", self.task.id)
        else:
            if self.task.is_ended:
                self._on_saved(self)
        finally:
            self._saving = None

    def _send(self, request: OpenRequest, sender: Sender) -> None:
        request.sending = spawn(self._wait_for_response(request, sender), f"request of task {self.task.id}")

    async def _wait_for_response(self, request: OpenRequest, sender: Sender) -> None:
        try:
            response = await sender(request.method, request.params, request.timeout)
        except ClientDisconnected:
            request.sending = None
            others = [other for other in self._senders if other is not sender]
            if others:
                self._send(request, others[-1])
        except (RemoteError, ContextError) as error:
            if not request.response.done():
                request.response.set_exception(error)
        else:
            if not request.response.done():
                request.response.set_result(response)


def _encodable(outcome: Json | bytes | BaseException) -> Json | BaseException:
    """Return a copy of a result, or an exception: that of the call, or an error if the result is not valid JSON."""
    if isinstance(outcome, BaseException):
        return outcome
    try:
        # Copied through JSON, so that the tool cannot change it later.
        result: Json = parse_json(jsonrpc.encode(outcome) if isinstance(outcome, dict) else outcome)
    except ValueError as error:
        return ProtocolError(INTERNAL_ERROR, f"The result cannot be serialized to JSON: {error}")
    return result
