"""A client of a server with Streamable HTTP, with and without sessions.

Each message is a POST; the HTTP response contains the JSON-RPC response, as JSON, or as server-sent events together
with the messages before it. The rest depends on the message:

* In a session (up to 2025-11-25) every request has the session id. Messages that belong to no call arrive on a GET
  stream, if the server has one. A broken stream is resumed if the server sent event ids.
* A stateless request (from 2026-07-28 on) is self-contained: its headers repeat parts of its body, a broken stream is
  lost, and a request is cancelled by closing its stream.

Specification: basic/transports, Streamable HTTP.
"""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from server_core.errors import ConnectionFailed, MessageFailed
from server_core.oauth.authorization import CHALLENGE_STATUSES, TransportAuthorization
from server_core.protocol import jsonrpc
from server_core.protocol.batches import is_batch, parse_batch
from server_core.protocol.envelope import is_stateless
from server_core.protocol.framing import DEFAULT_LIMIT
from server_core.protocol.headers import message_headers
from server_core.protocol.jsonrpc import ErrorResponse, Message, Notification, Request, RequestId, Response
from server_core.protocol.sse import EventReader
from server_core.runtime.background import spawn
from server_core.transports.channel import SessionGone
from server_core.transports.http_client.get_stream import MAX_ATTEMPTS, GetStream, reconnect_delay
from server_core.transports.http_client.http_requests import REFUSAL_LIMIT, HttpRefused, HttpRequests
from server_core.transports.http_client.tool_parameters import ToolParameters
from server_core.transports.message_queue import Inbox
from server_core.transports.streamable.checks import EVENTS, JSON

if TYPE_CHECKING:
    import httpx

# Seconds for ending the session when the channel is closed.
DELETE_TIMEOUT = 2.0
# The maximum number of messages in a batch of the server.
MAX_IN_BATCH = 10_000


class HttpChannel:
    """A connection to a server over Streamable HTTP; the parameters are those of :class:`HttpRequests`."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        *,
        limit: int = DEFAULT_LIMIT,
        transport: "httpx.AsyncBaseTransport | None" = None,
        authorization: TransportAuthorization | None = None,
    ) -> None:
        self.url = url
        self.session_id: str | None = None
        self._http = HttpRequests(url, headers, limit=limit, transport=transport, authorization=authorization)
        self._inbox = Inbox()
        self._parameters = ToolParameters()
        # The requests whose responses have not arrived completely.
        self._pending: dict[RequestId, _PendingRequest] = {}
        # Of the session; sent with every request after `initialize`.
        self._revision = ""
        self._is_expired = False
        self._listener: asyncio.Task[None] | None = None

    @property
    def refused_tools(self) -> Mapping[str, str]:
        return self._parameters.refused

    async def send(self, message: bytes) -> None:
        """Send one message, a request until its response; MessageFailed if it is refused, or the connection breaks."""
        self._inbox.check()
        parsed = jsonrpc.parse(message)
        if isinstance(parsed, Request):
            await self._send_request(message, parsed)
        elif not self._cancel_stateless(parsed):
            await self._post_notification(message, parsed)

    async def receive(self) -> bytes | None:
        return await self._inbox.next()

    async def close(self) -> None:
        if self._inbox.closed:
            return
        self._inbox.close()
        tasks = [pending.task for pending in self._pending.values()]
        if self._listener is not None:
            tasks.append(self._listener)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self._delete_session()
        await self._http.close()

    # Requests and their responses.

    async def _send_request(self, message: bytes, request: Request) -> None:
        pending = self._pending[request.id] = _PendingRequest(request)
        pending.task = spawn(self._catch_failure(message, pending), f"http {request.method}")
        try:
            # `wait`, not `await`: when a notification cancels the request, its task ends, but this one continues.
            await asyncio.wait({pending.task})
        finally:
            pending.task.cancel()
            self._pending.pop(request.id, None)
        if not pending.task.cancelled() and (error := pending.task.result()) is not None:
            raise error

    async def _catch_failure(self, message: bytes, pending: "_PendingRequest") -> ConnectionFailed | None:
        # Returned, not raised: a failed task is logged as a bug, and an unreachable server is not a bug.
        try:
            await self._post_request(message, pending)
        except ConnectionFailed as error:
            return error
        return None

    async def _post_request(self, message: bytes, pending: "_PendingRequest") -> None:
        headers = self._headers_of(pending)
        async with self._http.stream("POST", {**_POST_HEADERS, **headers}, message) as response:
            if response.status_code >= 400:
                await self._handle_refusal(response, pending)
            elif (kind := _content_type(response)) == EVENTS:
                self._begin_session(response, pending)
                await self._read_response_events(response, pending)
            elif kind == JSON:
                self._begin_session(response, pending)
                await self._read_response_body(response, pending)
            elif response.status_code != 202:
                reason = f"{self.url} answered with {kind or 'nothing'}; is it an MCP server?"
                raise HttpRefused(reason, response.status_code)

    def _headers_of(self, pending: "_PendingRequest") -> dict[str, str]:
        request = pending.request
        if pending.stateless:
            repeated = self._parameters.headers(request.params) if request.method == "tools/call" else {}
            return message_headers(request.method, request.params) | repeated
        if request.method == "initialize":
            return {}
        # Without its id, the server would refuse the request with a status that does not explain why.
        if self._is_expired:
            raise self._drop_session(None)
        return self._session_headers()

    async def _handle_refusal(self, response: "httpx.Response", pending: "_PendingRequest") -> None:
        error, refusal = await self._read_refusal(response)
        if error is None or _is_http_refusal(pending.request.method, response.status_code):
            raise refusal
        # The body of a refusal need not have the id of the request.
        await self._deliver(jsonrpc.error(pending.request.id, error.code, error.message, error.data), pending)

    async def _read_refusal(self, response: "httpx.Response") -> tuple[ErrorResponse | None, ConnectionFailed]:
        """Return the JSON-RPC error in a response, if there is one, and the exception for the caller."""
        text = await self._http.body(response, REFUSAL_LIMIT)
        # 404 for a request with a session id means that the session has expired (basic/transports, sessions).
        if response.status_code == 404 and "mcp-session-id" in response.request.headers:
            return None, self._drop_session(response.request.headers["mcp-session-id"])
        message = jsonrpc.parse(text)
        if isinstance(message, ErrorResponse):
            return message, self._http.refusal_of(response, message.message)
        return None, self._http.refusal_of(response, text.decode("utf-8", "replace"))

    async def _read_response_body(self, response: "httpx.Response", pending: "_PendingRequest") -> None:
        await self._deliver(await self._http.body(response), pending)
        if not pending.is_answered:
            reason = f"{self.url} sent an invalid response to {pending.request.method}."
            raise HttpRefused(reason, response.status_code)

    async def _read_response_events(self, response: "httpx.Response", pending: "_PendingRequest") -> None:
        reader = EventReader(self._http.limit)
        await self._read(response, reader, pending)
        attempts = 0
        while not pending.is_answered:
            if pending.stateless or reader.last_id is None or attempts == MAX_ATTEMPTS:
                raise MessageFailed(
                    f"{self.url} closed the connection before the response to {pending.request.method}."
                )
            await asyncio.sleep(reconnect_delay(reader))
            attempts += 1
            if await self._resume(reader, pending):
                attempts = 0

    async def _resume(self, reader: EventReader, pending: "_PendingRequest") -> bool:
        try:
            async with self._http.stream("GET", self._stream_headers(reader)) as response:
                if response.status_code == 200:
                    await self._read(response, reader, pending)
                return response.status_code == 200
        except ConnectionFailed:
            return False

    # Notifications and responses.

    async def _post_notification(self, message: bytes, parsed: Message) -> None:
        async with self._http.stream("POST", {**_POST_HEADERS, **self._session_headers()}, message) as response:
            if response.status_code >= 400:
                raise (await self._read_refusal(response))[1]
        # Not before: a session accepts a GET stream only once it is initialized, and its revision is in the headers.
        if isinstance(parsed, Notification) and parsed.method == "notifications/initialized":
            self._restart_listening()
        elif (pending := self._request_cancelled_by(parsed)) is not None:
            pending.task.cancel()

    def _cancel_stateless(self, message: Message) -> bool:
        """Close the HTTP response of a stateless request if the message cancels it; return whether it did.

        Source: 2026-07-28, basic/patterns/cancellation: over HTTP, closing the stream cancels, not a notification.
        """
        pending = self._request_cancelled_by(message)
        if pending is None or not pending.stateless:
            return False
        pending.task.cancel()
        return True

    def _request_cancelled_by(self, message: Message) -> "_PendingRequest | None":
        if not isinstance(message, Notification) or message.method != "notifications/cancelled":
            return None
        return self._pending.get(message.params.get("requestId", ""))

    # The session, if there is one.

    def _begin_session(self, response: "httpx.Response", pending: "_PendingRequest") -> None:
        if pending.request.method == "initialize":
            self.session_id = response.headers.get("mcp-session-id")
            self._is_expired = False

    def _session_headers(self) -> dict[str, str]:
        named = {"Mcp-Session-Id": self.session_id, "MCP-Protocol-Version": self._revision}
        return {name: value for name, value in named.items() if value}

    def _stream_headers(self, reader: EventReader) -> dict[str, str]:
        after = {} if reader.last_id is None else {"Last-Event-ID": reader.last_id}
        return {"Accept": EVENTS, **self._session_headers(), **after}

    def _drop_session(self, lost: str | None) -> SessionGone:
        # A message of an older session may be refused when there is a new session already.
        if lost == self.session_id:
            self.session_id, self._revision, self._is_expired = None, "", True
            if self._listener is not None:
                self._listener.cancel()
        return SessionGone(f"{self.url} no longer knows this session: it was closed or has expired. Connect again.")

    def _restart_listening(self) -> None:
        if self._listener is not None:
            self._listener.cancel()
        self._listener = spawn(self._listen(), "http listen")

    async def _listen(self) -> None:
        stream = GetStream(self._http, self._stream_headers, lambda message: self._deliver(message, None))
        if reason := await stream.listen():
            self._inbox.fail(reason)

    async def _delete_session(self) -> None:
        if self.session_id is None or self._inbox.failure:
            return
        try:
            async with asyncio.timeout(DELETE_TIMEOUT):
                async with self._http.stream("DELETE", {"Accept": JSON, **self._session_headers()}):
                    pass  # 405 means that clients cannot end sessions.
        except (ConnectionFailed, TimeoutError):
            pass  # Without a DELETE the session expires later.

    # Received messages.

    async def _read(self, response: "httpx.Response", reader: EventReader, pending: "_PendingRequest | None") -> None:
        async for event in self._http.events(response, reader):
            if event.kind == "message":
                await self._deliver(event.data, pending)

    async def _deliver(self, message: bytes, pending: "_PendingRequest | None") -> None:
        if pending is not None and not pending.is_answered:
            for response in _messages(message):
                if isinstance(response, Response | ErrorResponse) and response.id == pending.request.id:
                    pending.is_answered = True
                    self._learn(response, pending)
        await self._inbox.put(message)

    def _learn(self, response: Response | ErrorResponse, pending: "_PendingRequest") -> None:
        if not isinstance(response, Response):
            return
        if pending.request.method == "initialize":
            self._revision = str(response.result.get("protocolVersion", ""))
        elif pending.request.method == "tools/list" and pending.stateless:
            self._parameters.learn(response.result)


class _PendingRequest:
    task: asyncio.Task[ConnectionFailed | None]

    def __init__(self, request: Request) -> None:
        self.request = request
        self.stateless = is_stateless(request.params)
        self.is_answered = False


_POST_HEADERS = {"Accept": f"{JSON}, {EVENTS}", "Content-Type": JSON}


def _messages(data: bytes) -> list[Message]:
    # Servers of 2025-03-26 may send batches.
    pieces = parse_batch(data, MAX_IN_BATCH) if is_batch(data) else None
    return [piece.message for piece in pieces] if isinstance(pieces, list) else [jsonrpc.parse(data)]


def _is_http_refusal(method: str, status: int) -> bool:
    """Return whether a status refuses the first request for a reason of HTTP, unrelated to the protocol revision."""
    return status != 400 if method == "initialize" else method == "server/discover" and status in CHALLENGE_STATUSES


def _content_type(response: "httpx.Response") -> str:
    kind: str = response.headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower()
