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
from server_core.tasks.store import TaskStore
from server_core.tasks.task import Json, Status, TaskState

Messenger: TypeAlias = Callable[[str, Params, float], Awaitable[Json]]
"""Sends an input request to the client as a request (method, params, seconds), and returns the response."""


CANCELLED = "The task was cancelled by request."

_log = logging.getLogger(__name__)


class ClientLeft(ContextError):
    """The client of an input request has disconnected; another may still answer the request."""


@dataclass(slots=True, eq=False)
class OpenQuestion:
    """An input request without a response.

    Attributes:
        method: its method.
        params: its params.
        timeout: its timeout in seconds.
        answer: the future response.
        carrying: the task that sends it to the client, where it is sent as a request.
    """

    method: str
    params: Params
    timeout: float
    answer: "asyncio.Future[Json]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    carrying: "asyncio.Task[None] | None" = None

    def drop(self) -> None:
        """Cancel the request to the client, if it was sent as such."""
        if self.carrying is not None:
            self.carrying.cancel()
            self.carrying = None


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
        self._open: dict[str, OpenQuestion] = {}
        self._messengers: list[Messenger] = []
        self._is_saved = True
        self._saving: asyncio.Task[None] | None = None

    # For the tool.

    async def ask(self, method: str, params: Params, timeout: float, key: str = "") -> Json:
        """Send an input request to whichever client fetches it, and return the response.

        Args:
            method: its method.
            params: its params.
            timeout: the timeout in seconds.
            key: its key; derived from its order when not given.

        Raises:
            RemoteError: when the client responds with an error.
            ContextError: on a timeout.
        """
        question = OpenQuestion(method, params, timeout)
        key = self._keys.new(method, key)
        self._open[key] = question
        self._questions_changed()
        if self._messengers:
            self._carry(question, self._messengers[-1])
        try:
            async with asyncio.timeout(timeout):
                return await question.answer
        except TimeoutError:
            raise ContextError(f"The client did not respond to {method} within {timeout:g} s.") from None
        finally:
            question.drop()
            if self._open.pop(key, None) is not None:
                self._questions_changed()

    def conclude(self, outcome: Json | bytes | BaseException) -> None:
        """End the task with the outcome of its call.

        Args:
            outcome: the result, or the exception that it raised.
        """
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
        """Receive an input response; it is ignored where no such request is open or where it has the wrong shape.

        Args:
            key: the key of the input request.
            response: the response of the client.
            fits: returns the response if it has the right shape, else None.
        """
        question = self._open.get(key)
        if question is None or question.answer.done():
            return
        answer = fits({"method": question.method, "params": question.params}, response)
        if answer is None:
            return
        question.answer.set_result(answer)
        del self._open[key]
        self._questions_changed()

    async def wait(self, messenger: Messenger) -> None:
        """Wait until the task has ended; meanwhile its input requests are sent to the waiting client.

        Requests that were sent through another messenger are cancelled there and sent again: a client that fetches the
        result a second time has lost its first connection.

        Args:
            messenger: sends them.
        """
        self._messengers.append(messenger)
        try:
            for question in list(self._open.values()):
                question.drop()
                self._carry(question, messenger)
            await self.ended.wait()
        finally:
            self._messengers.remove(messenger)

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
        self.task = self.task.moved(status, self._clock(), message=message, result=result, error=error)
        self._changed()
        self.ended.set()

    def _questions_changed(self) -> None:
        if self.task.is_ended:
            return
        questions = {
            key: {"method": question.method, "params": question.params} for key, question in self._open.items()
        }
        self.task = self.task.asking(questions, self._clock())
        self._changed()

    def _changed(self) -> None:
        self._is_saved = False
        if self._saving is None:
            self._saving = spawn(self._save(), f"save task {self.task.id}")
        self._on_changed(self.task)

    async def _save(self) -> None:
        try:
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

    def _carry(self, question: OpenQuestion, messenger: Messenger) -> None:
        question.carrying = spawn(self._carried(question, messenger), f"question of task {self.task.id}")

    async def _carried(self, question: OpenQuestion, messenger: Messenger) -> None:
        try:
            answer = await messenger(question.method, question.params, question.timeout)
        except ClientLeft:
            question.carrying = None
            others = [other for other in self._messengers if other is not messenger]
            if others:
                self._carry(question, others[-1])
        except (RemoteError, ContextError) as error:
            if not question.answer.done():
                question.answer.set_exception(error)
        else:
            if not question.answer.done():
                question.answer.set_result(answer)


def _encodable(outcome: Json | bytes | BaseException) -> Json | BaseException:
    if isinstance(outcome, BaseException):
        return outcome
    try:
        # Copied through JSON, so that the tool cannot change it later.
        result: Json = parse_json(jsonrpc.encode(outcome) if isinstance(outcome, dict) else outcome)
    except ValueError as error:
        return ProtocolError(INTERNAL_ERROR, f"The result cannot be serialized to JSON: {error}")
    return result
