"""A task whose tool runs in this process: its questions, its answers, its end.

Rule 1: what it is now is known here first; the store hears of it behind that, in order, and the last word wins.
Rule 2: whoever ends it first has ended it: what a stopped tool still comes to is dropped.
Rule 3: everything here runs on the event loop's thread.
"""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from server_core.errors import ContextError, ProtocolError, RemoteError
from server_core.execution.context.input_request_keys import InputRequestKeys
from server_core.protocol import jsonrpc
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.protocol.jsonrpc import Params
from server_core.protocol.revisions import Revision
from server_core.runtime.background import spawn
from server_core.tasks.store import TaskStore
from server_core.tasks.task import Json, Status, Task

Messenger: TypeAlias = Callable[[str, Params, float], Awaitable[Json]]
"""Takes a question to the client as a request of its own (method, params, seconds), and returns the answer."""


CANCELLED = "The task was cancelled by request."

_log = logging.getLogger(__name__)


class ClientLeft(ContextError):
    """The client that a question was taken to has gone; another may still answer it."""


@dataclass(slots=True, eq=False)
class OpenQuestion:
    """Something that the client has not answered yet.

    Attributes:
        method: of the question.
        params: its params.
        timeout: how many seconds the answer may take.
        answer: where it comes.
        carrying: takes it to the client, where it goes there as a request.
    """

    method: str
    params: Params
    timeout: float
    answer: "asyncio.Future[Json]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    carrying: "asyncio.Task[None] | None" = None

    def drop(self) -> None:
        """Withdraw the question from where it was taken."""
        if self.carrying is not None:
            self.carrying.cancel()
            self.carrying = None


class RunningTask:
    """One task, as long as its tool runs.

    Args:
        task: as it was created.
        revision: the one that its call was made in; errors are told in its words.
        store: keeps it.
        on_changed: told of the task whenever its status or its questions change.
        on_saved: called when it has ended and the store knows.
        clock: seconds since the epoch.
    """

    def __init__(
        self,
        task: Task,
        revision: Revision,
        store: TaskStore,
        on_changed: Callable[[Task], None],
        on_saved: Callable[["RunningTask"], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.task = task
        self.ended = asyncio.Event()
        """Set when it has come to its end."""
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

    # What the tool does.

    async def ask(self, method: str, params: Params, timeout: float, key: str = "") -> Json:
        """Ask the client, whoever comes to answer, and return the answer.

        Args:
            method: of the question.
            params: its params.
            timeout: seconds to wait for the answer.
            key: a name for the question; made from its order when not given.

        Raises:
            RemoteError: when the client answers with an error.
            ContextError: when it does not answer in time.
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
            raise ContextError(f"The client did not answer {method} within {timeout:g} s.") from None
        finally:
            question.drop()
            if self._open.pop(key, None) is not None:
                self._questions_changed()

    def conclude(self, outcome: Json | bytes | BaseException) -> None:
        """Take what the call of the tool came to.

        Args:
            outcome: its result, or what it raised.
        """
        outcome = _keepable(outcome)
        if isinstance(outcome, dict):
            self._end("completed", result=outcome)
            return
        from server_core.execution.wire_errors import rpc_error

        refusal = rpc_error(outcome, self._revision)
        error: Json = {"code": refusal.code, "message": refusal.message}
        if refusal.data is not None:
            error["data"] = refusal.data
        self._end("failed", message=refusal.message, error=error)

    # What its client does.

    def answer(self, key: str, response: Any, fits: Callable[[Json, Any], Json | None]) -> None:
        """Take an answer; one to a question that is not open, or that cannot be its answer, is ignored.

        Args:
            key: of the question.
            response: what the client sent.
            fits: returns the response where it can answer the question, else None.
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
        """Wait until the task has ended; meanwhile its questions go to the client that waits.

        What another messenger has taken is withdrawn there and goes out again: whoever asks for the result once more
        has lost the connection on which it was asked before.

        Args:
            messenger: takes them there.
        """
        self._messengers.append(messenger)
        try:
            for question in list(self._open.values()):
                question.drop()
                self._carry(question, messenger)
            await self.ended.wait()
        finally:
            self._messengers.remove(messenger)

    # Its end by somebody else.

    def cancel(self) -> None:
        """Stop the tool, because the client wants no result any more."""
        self._end("cancelled", message=CANCELLED)
        self.stop()

    def fail(self, message: str) -> None:
        """Stop the tool, because it cannot go on."""
        self._end("failed", message=message, error={"code": INTERNAL_ERROR, "message": message})
        self.stop()

    async def saved(self) -> None:
        """Wait until the store knows what the task is now."""
        if self._saving is not None:
            await asyncio.wait([self._saving])

    # How.

    def _end(self, status: Status, *, message: str = "", result: Json | None = None, error: Json | None = None) -> None:
        if self.task.is_ended:
            return
        self.task = self.task.moved(status, self._clock(), message=message, result=result, error=error)
        self._changed()
        self.ended.set()

    def _questions_changed(self) -> None:
        if self.task.is_ended:
            return
        questions = {key: {"method": one.method, "params": one.params} for key, one in self._open.items()}
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
            # It is still known here, for as long as it would have been kept.
            _log.exception("task %s cannot be kept as it is now", self.task.id)
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
            others = [one for one in self._messengers if one is not messenger]
            if others:
                self._carry(question, others[-1])
        except (RemoteError, ContextError) as error:
            if not question.answer.done():
                question.answer.set_exception(error)
        else:
            if not question.answer.done():
                question.answer.set_result(answer)


def _keepable(outcome: Json | bytes | BaseException) -> Json | BaseException:
    if isinstance(outcome, BaseException):
        return outcome
    try:
        # As a client will read it: nothing that a tool keeps hold of can change it later.
        result: Json = json.loads(jsonrpc.encode(outcome) if isinstance(outcome, dict) else outcome)
    except (TypeError, ValueError, RecursionError) as error:
        return ProtocolError(INTERNAL_ERROR, f"The result cannot be written as JSON: {error}")
    return result
