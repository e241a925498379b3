"""The requests from a session to its client, up to 2025-11-25.

Rule 1: a request whose response is no longer awaited, for whatever reason, is cancelled by `notifications/cancelled`.
Rule 2: a response that arrives after that is recorded and ignored.
Rule 3: no request is sent before the client's `notifications/initialized`; requests wait for it.

Source: basic/utilities/cancellation; basic/lifecycle, initialization.
"""

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

from server_core.errors import ClientTimeout, ContextError, RemoteError
from server_core.execution.time_limits import limited
from server_core.protocol.jsonrpc import ErrorResponse, Message, Notification, Params, Request, RequestId, id_text
from server_core.protocol.peer import AnswerReceived, Peer
from server_core.records.tap import Kind

Send: TypeAlias = Callable[[Kind, bytes, RequestId | None], None]
"""Sends a message that belongs to the client's request with this id."""
OpenRequest: TypeAlias = tuple[asyncio.Future[dict[str, Any]], RequestId]
"""The future result of a request to the client, and the id of the client's request that it belongs to."""


class ServerRequests:
    """The open requests of one session to its client; its peer assigns the ids."""

    def __init__(self, peer: Peer, send: Send) -> None:
        self._peer = peer
        self._send = send
        self._open: dict[RequestId, OpenRequest] = {}
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
        self._open[request_id] = future, related
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
        future, _ = self._open[event.id]
        if future.done():
            return
        answer = event.answer
        if isinstance(answer, ErrorResponse):
            future.set_exception(RemoteError(answer.code, answer.message, answer.data))
        else:
            future.set_result(answer.result)

    def call_of(self, message: Message) -> str:
        """Return the JSON text of the id of the call that a response belongs to; empty for any other message."""
        if self._open and not isinstance(message, Request | Notification) and message.id in self._open:
            return id_text(self._open[message.id][1])
        return ""

    def fail_all(self, reason: str) -> None:
        """Fail all open and future requests, and cancel the open requests at the client."""
        self._end_reason = reason
        self._may_begin.set()
        for request_id, (future, related) in self._open.items():
            if not future.done():
                self._abandon(request_id, related, "Session closed")
                future.set_exception(ContextError(f"No answer: {reason}."))
                # The waiting task may be cancelled first; then asyncio must not warn of an unretrieved exception.
                future.exception()

    async def _wait_until_allowed(self, method: str, timeout: float) -> None:
        try:
            async with asyncio.timeout(timeout):
                await self._may_begin.wait()
        except TimeoutError:
            raise ContextError(f"{method} was not sent: the client was not initialized within {timeout:g} s.") from None

    def _abandon(self, request_id: RequestId, related: RequestId, reason: str) -> None:
        if (data := self._peer.abandon(request_id, reason)) is not None:
            self._send(Kind.NOTIFICATION, data, related)
