"""A `Peer` on a channel: responses are matched with their requests, and server messages dispatched to a handler.

One task reads; every sent message has a separate task, so that a slow channel never delays the reader or a
cancellation. All of these tasks end with the connection. Handlers run in the reader's task: they must not block or
raise.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Protocol

from server_core.errors import ConnectionFailed, ProtocolError, RemoteError, WorkbenchError
from server_core.protocol import jsonrpc
from server_core.protocol.batches import is_batch, parse_batch
from server_core.protocol.codes import INVALID_REQUEST
from server_core.protocol.framing import TruncatedMessage
from server_core.protocol.jsonrpc import ErrorResponse, Notification, Params, Request, RequestId, Response
from server_core.protocol.methods import Side
from server_core.protocol.peer import AnswerReceived, CancelReceived, NotificationReceived, Peer, RequestReceived
from server_core.protocol.revisions import LATEST, Revision
from server_core.protocol.unreadable_responses import find_request_id
from server_core.runtime.background import spawn
from server_core.transports.channel import Channel, PostMortemChannel
from workbench.model.short_text import shortened

Answer = asyncio.Future[dict[str, Any]]

# Seconds to send the last messages before the channel is closed, unless it is stuck.
CLOSE_SECONDS = 1.0

MAX_IN_BATCH = 10_000
MAX_REPLIES = 1000  # How many replies may be waiting to be sent before reading from the server pauses.


class Handler(Protocol):
    """The callbacks of a connection for messages that the server initiates."""

    def handle_request(self, request: Request) -> None:
        """Handle a request; answer with :meth:`PeerConnection.respond` or :meth:`PeerConnection.fail`."""

    def handle_notification(self, notification: Notification) -> None: ...

    def handle_cancellation(self, request_id: RequestId, reason: str) -> None: ...

    def handle_end(self) -> None: ...


class PeerConnection:
    """The client's end of one connection; it owns the channel, and passes the server's messages to the handler."""

    def __init__(self, channel: Channel, handler: Handler) -> None:
        self.closed = asyncio.Event()
        self.message_failures = 0
        self.last_message_failure = ""
        self._channel = channel
        self._handler = handler
        self._peer = Peer(Side.CLIENT)
        self._revision = LATEST
        self._answers: dict[RequestId, Answer] = {}
        self._sending: set[asyncio.Task[Any]] = set()
        self._replying: set[asyncio.Task[Any]] = set()
        self._reader = spawn(self._read(), "client: read")

    def set_revision(self, revision: Revision) -> None:
        self._revision = revision

    def start_request(self, method: str, params: Params | None) -> tuple[RequestId, Answer]:
        if self.closed.is_set():
            raise ConnectionFailed("The connection to the server is closed.")
        request_id, message = self._peer.request(method, params)
        answer: Answer = asyncio.get_running_loop().create_future()
        # Retrieve the exception, so that the event loop does not log it when no task awaits the request.
        answer.add_done_callback(lambda future: future.cancelled() or future.exception())
        self._answers[request_id] = answer
        self._start(self._send_request(request_id, message))
        return request_id, answer

    async def request(self, method: str, params: Params | None = None) -> dict[str, Any]:
        """Send a request and return its result; cancelling the awaiting task cancels the request."""
        request_id, answer = self.start_request(method, params)
        try:
            return await answer
        except asyncio.CancelledError:
            self.abandon(request_id, "the client timed out")
            raise

    def abandon(self, request_id: RequestId, reason: str) -> None:
        self._answers.pop(request_id, None)
        self._send_soon(self._peer.abandon(request_id, reason))

    def forget(self, request_id: RequestId) -> None:
        """Stop waiting for a response without a cancellation; a late response is ignored."""
        self._answers.pop(request_id, None)
        self._peer.abandon(request_id, "")  # The cancellation that it returns is not sent.

    async def notify(self, method: str, params: Params | None = None) -> None:
        """Send a notification, and return once the channel has accepted it; ConnectionFailed if it does not."""
        await self._channel.send(jsonrpc.notification(method, params))

    def unused_id(self) -> RequestId:
        """Return an id for a request in :meth:`send_raw`."""
        return self._peer.unused_id()

    async def send_raw(self, data: bytes) -> None:
        """Send bytes as they are; a response to them is recorded, and ignored here like a late one."""
        await self._channel.send(data)

    def respond(self, request_id: RequestId, result: dict[str, Any]) -> None:
        self._send_soon(self._peer.respond(request_id, result))

    def fail(self, request_id: RequestId, code: int, message: str) -> None:
        self._send_soon(self._peer.fail(request_id, code, message))

    async def close(self) -> None:
        """Close the connection; pending requests fail with ConnectionFailed. Safe to call twice."""
        self._end("The session was closed.")
        if self._sending:
            await asyncio.wait(self._sending, timeout=CLOSE_SECONDS)
        # What is left is stuck in the channel, whose other end does not read.
        for task in self._sending:
            task.cancel()
        await self._channel.close()
        self._reader.cancel()
        await asyncio.wait([self._reader])

    def _send_soon(self, message: bytes | None) -> None:
        if message is not None and not self.closed.is_set():
            task = self._start(self._send(message))
            self._replying.add(task)
            task.add_done_callback(self._replying.discard)

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = spawn(coroutine, "client: send")
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return task

    async def _send_request(self, request_id: RequestId, message: bytes) -> None:
        try:
            await self._channel.send(message)
        except WorkbenchError as error:
            self._peer.abandon(request_id, "")
            self._settle(request_id, error)

    async def _send(self, message: bytes) -> None:
        try:
            await self._channel.send(message)
        except WorkbenchError as error:
            # No task awaits this message; if the channel is closed for good, the reader ends as well.
            self._count_failure(str(error))

    async def _read(self) -> None:
        reason = "The server closed the connection."
        try:
            while (data := await self._channel.receive()) is not None:
                self._receive(data)
                while len(self._replying) >= MAX_REPLIES:
                    # The server sends requests without reading the replies: they must not pile up here.
                    await asyncio.wait(self._replying, return_when=asyncio.FIRST_COMPLETED)
            # Only the first line: the last lines of stderr follow, and an error message is short.
            if isinstance(self._channel, PostMortemChannel):
                reason = (await self._channel.post_mortem()).partition("\n")[0]
        except WorkbenchError as error:
            reason = str(error)
        finally:
            self._end(reason)

    def _receive(self, data: bytes) -> None:
        pieces = parse_batch(data, MAX_IN_BATCH) if self._revision.batches and is_batch(data) else None
        if not isinstance(pieces, list):
            self._handle_message(data, jsonrpc.parse(data) if pieces is None else pieces)
            return
        for piece in pieces:
            self._handle_message(piece.data, piece.message)

    def _handle_message(self, data: bytes, message: jsonrpc.Message) -> None:
        if isinstance(message, Request) and self._revision.stateless:
            # basic/patterns/mrtr: servers ask in results; their requests get no response.
            self._count_failure(f"a request, which does not exist in revision {self._revision.date}", data)
            return
        event = self._peer.receive(message)
        if isinstance(event, AnswerReceived):
            self._on_answer(event.id, event.answer)
        elif isinstance(event, RequestReceived):
            self._on_request(event.request)
        elif isinstance(event, NotificationReceived):
            self._handler.handle_notification(event.notification)
        elif isinstance(event, CancelReceived):
            self._handler.handle_cancellation(event.id, event.reason)
        elif not _is_late_answer(message):
            reason = "it is longer than the limit for a message" if isinstance(data, TruncatedMessage) else event.reason
            self._count_failure(reason, data)
            if (request_id := find_request_id(data, self._answers)) is not None:
                self._peer.abandon(request_id, "")
                self._settle(
                    request_id,
                    ProtocolError(INVALID_REQUEST, f"The server sent a response that cannot be read: {reason}."),
                )
            else:
                self._send_soon(event.reply)

    def _on_answer(self, request_id: RequestId, answer: Response | ErrorResponse) -> None:
        if isinstance(answer, Response):
            self._settle(request_id, answer.result)
        else:
            self._settle(request_id, RemoteError(answer.code, answer.message, answer.data))

    def _on_request(self, request: Request) -> None:
        if request.method == "ping":
            self.respond(request.id, {})
        else:
            self._handler.handle_request(request)

    def _settle(self, request_id: RequestId, outcome: dict[str, Any] | WorkbenchError) -> None:
        answer = self._answers.pop(request_id, None)
        if answer is None or answer.done():
            return
        if isinstance(outcome, WorkbenchError):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)

    def _count_failure(self, reason: str, data: bytes = b"") -> None:
        self.message_failures += 1
        text = shortened(data[:400].decode("utf-8", "backslashreplace"))
        self.last_message_failure = f"{reason}, in: {text}" if data else reason

    def _end(self, reason: str) -> None:
        if self.closed.is_set():
            return
        self.closed.set()
        for request_id in self._peer.close():
            self._settle(request_id, ConnectionFailed(reason))
        self._handler.handle_end()


def _is_late_answer(message: jsonrpc.Message) -> bool:
    # A request may be answered although it was cancelled (basic/utilities/cancellation): that is not noise.
    return isinstance(message, Response | ErrorResponse) and message.id is not None
