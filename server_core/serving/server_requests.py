"""The requests from a session to its client, up to 2025-11-25.

Rule 1: a request whose response is no longer awaited, for whatever reason, is cancelled by `notifications/cancelled`.
Rule 2: a response that arrives after that is recorded and ignored.
Rule 3: no request is sent before the client's `notifications/initialized`; requests wait for it.

Source: basic/utilities/cancellation; basic/lifecycle, initialization.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from server_core.errors import ClientTimeout, ContextError, RemoteError
from server_core.execution.time_limits import limited
from server_core.protocol.jsonrpc import ErrorResponse, Message, Notification, Params, Request, RequestId, id_text
from server_core.protocol.peer import AnswerReceived, Peer
from server_core.records.tap import Kind
from server_core.transports.open_questions import ANSWERED, Answer, OpenQuestion

Send: TypeAlias = Callable[[Kind, bytes, RequestId | None], None]
"""Sends a message that belongs to the client's request with this id."""


class RequestToClient(NamedTuple):
    """A request to the client: its future result, and the id of the client's request that it belongs to."""

    future: asyncio.Future[dict[str, Any]]
    related: RequestId
    method: str
    params: Params
    sent: float  # In seconds since the epoch.


class ServerRequests:
    """The open requests of one session to its client; its peer assigns the ids."""

    def __init__(self, peer: Peer, send: Send) -> None:
        self._peer = peer
        self._send = send
        self._open: dict[RequestId, RequestToClient] = {}
        self._may_begin = asyncio.Event()
        # Why no more responses are expected; empty while they are.
        self._end_reason = ""

    def begin(self) -> None:
        """Send requests from now on: the client is initialized."""
        self._may_begin.set()

    async def ask(self, method: str, params: Params, related: RequestId, timeout: float) -> dict[str, Any]:
        """Send a request during one of the client's requests, and return its result; see :meth:`ClientPort.request`."""
        if not self._may_begin.is_set():
            await self._wait_until_allowed(method, timeout)
        if self._end_reason:
            raise ContextError(f"No answer: {self._end_reason}.")
        request_id, data = self._peer.request(method, params)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._open[request_id] = RequestToClient(future, related, method, params, time.time())
        self._send(Kind.REQUEST, data, related)
        try:
            async with limited(timeout) as limit:
                return await future
        except TimeoutError:
            self._abandon(request_id, related, f"no answer within {limit.seconds:g} s")
            raise ClientTimeout(method, limit.seconds) from None
        except asyncio.CancelledError:
            self._abandon(request_id, related, "the call was cancelled")
            raise
        finally:
            self._open.pop(request_id, None)

    def receive(self, event: AnswerReceived) -> None:
        """Pass a response to the request that waits for it."""
        future, answer = self._open[event.id].future, event.answer
        if isinstance(answer, ErrorResponse):
            _settle(future, RemoteError(answer.code, answer.message, answer.data))
        else:
            _settle(future, answer.result)

    def questions(self) -> Iterator[OpenQuestion]:
        """Yield the open requests, which another than the client may answer; its request is cancelled then."""
        for request_id, request in self._open.items():
            if not request.future.done():
                answer = partial(self._answer_elsewhere, request_id)
                yield OpenQuestion(
                    request_id, request.related, "", request.method, request.params, answer, request.sent
                )

    def _answer_elsewhere(self, request_id: RequestId, answer: Answer) -> bool:
        request = self._open.get(request_id)
        if request is None or not _settle(request.future, answer):
            return False
        self._abandon(request_id, request.related, ANSWERED)
        return True

    def call_of(self, message: Message) -> str:
        """Return the JSON text of the id of the call that a response belongs to; empty for any other message."""
        if self._open and not isinstance(message, Request | Notification) and message.id in self._open:
            return id_text(self._open[message.id].related)
        return ""

    def fail_all(self, reason: str) -> None:
        """Fail all open and future requests, and cancel the open requests at the client."""
        self._end_reason = reason
        self._may_begin.set()
        for request_id, request in self._open.items():
            if not request.future.done():
                self._abandon(request_id, request.related, "Session closed")
                _settle(request.future, ContextError(f"No answer: {reason}."))

    async def _wait_until_allowed(self, method: str, timeout: float) -> None:
        try:
            async with asyncio.timeout(timeout):
                await self._may_begin.wait()
        except TimeoutError:
            raise ContextError(f"{method} was not sent: the client was not initialized within {timeout:g} s.") from None

    def _abandon(self, request_id: RequestId, related: RequestId, reason: str) -> None:
        if (data := self._peer.abandon(request_id, reason)) is not None:
            self._send(Kind.NOTIFICATION, data, related)


def _settle(future: asyncio.Future[dict[str, Any]], outcome: dict[str, Any] | Exception) -> bool:
    """Set the result of a request; return False if it is done already."""
    if future.done():
        return False
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
        # The waiting task may be cancelled first; then asyncio must not warn of an unretrieved exception.
        future.exception()
    else:
        future.set_result(outcome)
    return True
