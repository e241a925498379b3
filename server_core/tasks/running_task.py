"""A task whose tool runs in this process: its input requests, their responses, and its end.

Rule 1: the state here is the current one; the store is updated afterwards, in order, and may skip intermediate states.
Rule 2: a task ends once; a later outcome of a stopped tool is ignored.
Rule 3: everything here runs on the event loop's thread.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from server_core.errors import ContextError, ProtocolError, RemoteError
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
"""Sends an input request to the client as a request (method, params, seconds), and returns the response."""


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
    # Sends it to the client, in a revision in which it is sent as a request.
    sending: "asyncio.Task[None] | None" = None

    def drop(self) -> None:
        """Cancel the request to the client, if it was sent as a request."""
        if self.sending is not None:
            self.sending.cancel()
            self.sending = None


class RunningTask:
    """One task, as long as its tool runs.

    Args:
        task: the new task.
        revision: the revision of its call, which decides how errors are encoded.
        store: where it is stored.
        on_changed: called with the task whenever its status or its input requests change.
        on_saved: called when the task has ended and its final state is stored.
        clock: seconds since the epoch.
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
        """Stops the tool."""
        self._revision = revision
        self._store = store
        self._on_changed = on_changed
        self._on_saved = on_saved
        self._clock = clock
        self._keys = InputRequestKeys()
        self._open: dict[str, OpenRequest] = {}
        self._senders: list[Sender] = []
        self._is_saved = True
        self._saving: asyncio.Task[None] | None = None

    # For the tool.

    async def ask(self, method: str, params: Params, timeout: float, key: str = "") -> Json:
        """Send an input request to any client that fetches it, and return the response.

        Raises:
            RemoteError: when the client responds with an error.
            ContextError: on a timeout.
        """
        request = OpenRequest(method, params, timeout)
        key = self._keys.new(method, key)
        self._open[key] = request
        self._requests_changed()
        if self._senders:
            self._send(request, self._senders[-1])
        try:
            async with asyncio.timeout(timeout):
                return await request.response
        except TimeoutError:
            raise ContextError(f"The client did not respond to {method} within {timeout:g} s.") from None
        finally:
            request.drop()
            if self._open.pop(key, None) is not None:
                self._requests_changed()

    def conclude(self, outcome: Json | bytes | BaseException) -> None:
        """End the task with the outcome of its call: the result, or the exception that it raised."""
        outcome = _encodable(outcome)
        if isinstance(outcome, dict):
            self._end("completed", result=outcome)
            return
        from server_core.execution.wire_errors import rpc_error

        refusal = rpc_error(outcome, self._revision)
        error: Json = {"code": refusal.code, "message": refusal.message}
        if refusal.data is not None:
            error["data"] = refusal.data
        self._end("failed", message=refusal.message, error=error)

    # For its client.

    def answer(self, key: str, response: Any, fits: Callable[[Json, Any], Json | None]) -> None:
        """Receive the input response for a key.

        It is ignored where no input request has this key, or where `fits` returns None: it has the wrong shape.
        """
        request = self._open.get(key)
        if request is None or request.response.done():
            return
        answer = fits({"method": request.method, "params": request.params}, response)
        if answer is None:
            return
        request.response.set_result(answer)
        del self._open[key]
        self._requests_changed()

    async def wait(self, sender: Sender) -> None:
        """Wait until the task has ended; meanwhile its input requests are sent to the client through this sender.

        Requests that were sent through another sender are cancelled there and sent again: a client that fetches the
        result a second time has lost its first connection.
        """
        self._senders.append(sender)
        try:
            for request in list(self._open.values()):
                request.drop()
                self._send(request, sender)
            await self.ended.wait()
        finally:
            self._senders.remove(sender)

    # Ending it from outside.

    def cancel(self) -> None:
        """Stop the tool, because the client has cancelled the task."""
        self._end("cancelled", message=CANCELLED)
        self.stop()

    def fail(self, message: str) -> None:
        """Stop the tool, because it cannot continue."""
        self._end("failed", message=message, error={"code": INTERNAL_ERROR, "message": message})
        self.stop()

    async def saved(self) -> None:
        """Wait until the current state is stored."""
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
            # Repeated, since the task may change while its state is written.
            while not self._is_saved:
                self._is_saved = True
                await self._store.update(self.task)
        except Exception:
            # The task stays in memory, for as long as it would have been stored.
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
            answer = await sender(request.method, request.params, request.timeout)
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
                request.response.set_result(answer)


def _encodable(outcome: Json | bytes | BaseException) -> Json | BaseException:
    if isinstance(outcome, BaseException):
        return outcome
    try:
        # Copied through JSON, so that the tool cannot change it later.
        result: Json = parse_json(jsonrpc.encode(outcome) if isinstance(outcome, dict) else outcome)
    except ValueError as error:
        return ProtocolError(INTERNAL_ERROR, f"The result cannot be serialized to JSON: {error}")
    return result
