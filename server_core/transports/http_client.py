"""The client's end of a server that is reached over Streamable HTTP.

Each message is a POST; its response holds the answer, as JSON or as server-sent events with what comes before it. What
belongs to no call comes on a GET stream, where the server has one. A stream that breaks is taken up again where the
server gave it event ids.

Specification: basic/transports, Streamable HTTP.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from server_core.background import spawn
from server_core.errors import ConnectionFailed
from server_core.protocol import jsonrpc
from server_core.protocol.envelope import is_stateless
from server_core.protocol.framing import DEFAULT_LIMIT
from server_core.protocol.headers import message_headers
from server_core.protocol.jsonrpc import ErrorResponse, Message, Notification, Request, RequestId, Response
from server_core.transports.authorization import ASKS_FOR_AUTHORIZATION, MOST_CHALLENGES, Authorization, Refusal
from server_core.transports.streamable.checks import EVENTS, JSON, LOOPBACK
from server_core.transports.streamable.sse import EventReader, EventTooLong

if TYPE_CHECKING:
    import httpx

HIGH_WATER = 4 * 1024 * 1024
CONNECT_SECONDS = 10.0
GOODBYE_SECONDS = 2.0
RETRY_MS = 1000
"""How long to wait before a stream is taken up again, unless the server says otherwise."""
MOST_ATTEMPTS = 5


class HttpChannel:
    """A session with a server over Streamable HTTP.

    Args:
        url: the address of the endpoint.
        headers: sent with every request, such as `Authorization`.
        limit: how long a message may be, in bytes.
        transport: carries the requests; the network when not given.
        authorization: gives each request what shows that it may be sent, and is asked when the server refuses one.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        *,
        limit: int = DEFAULT_LIMIT,
        transport: "httpx.AsyncBaseTransport | None" = None,
        authorization: Authorization | None = None,
    ) -> None:
        self.url = url
        self.session_id: str | None = None
        self._headers = dict(headers or {})
        self._limit = limit
        self._transport = transport
        self._authorization = authorization
        self._client: httpx.AsyncClient | None = None
        self._messages: deque[bytes] = deque()
        self._size = 0
        self._filled = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._initialize_id: RequestId | None = None
        self._exchanges: dict[RequestId, asyncio.Task[None]] = {}
        self._stateless: set[RequestId] = set()
        self._listening: asyncio.Task[None] | None = None
        self._failure = ""
        self._closed = False

    async def send(self, message: bytes) -> None:
        """Send one message; for a request, return when its answer is there.

        Raises:
            ConnectionFailed: when the server cannot be reached, refuses the message, or breaks off before the answer.
        """
        if self._closed or self._failure:
            raise ConnectionFailed(self._failure or "The connection to the server is closed.")
        parsed = jsonrpc.parse(message)
        if self._ends_exchange(parsed):
            return
        if not isinstance(parsed, Request):
            await self._exchange(message, parsed)
            self._noted(parsed)
            return
        exchange = spawn(self._outcome(message, parsed), f"http {parsed.method}")
        self._exchanges[parsed.id] = exchange
        if is_stateless(parsed.params):
            self._stateless.add(parsed.id)
        try:
            await asyncio.wait({exchange})
        finally:
            exchange.cancel()
            self._exchanges.pop(parsed.id, None)
            self._stateless.discard(parsed.id)
        if not exchange.cancelled() and (error := exchange.result()) is not None:
            raise error

    async def receive(self) -> bytes | None:
        """Return the next message, or None when the channel is closed.

        Raises:
            ConnectionFailed: when the server ended the session, or is gone.
        """
        while not self._messages:
            if self._closed:
                return None
            if self._failure:
                raise ConnectionFailed(self._failure)
            self._filled.clear()
            await self._filled.wait()
        message = self._messages.popleft()
        self._size -= len(message)
        if self._size <= HIGH_WATER:
            self._has_room.set()
        return message

    async def close(self) -> None:
        """End the session and free what it holds; safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self._filled.set()
        self._has_room.set()
        tasks = [task for task in (self._listening, *self._exchanges.values()) if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        if self._client is not None:
            await self._say_goodbye()
            await self._client.aclose()

    # One message and what comes back for it.

    async def _outcome(self, message: bytes, parsed: Message) -> ConnectionFailed | None:
        # Returned, not raised: a task that fails is told as a bug, and a server that is away is none.
        try:
            await self._exchange(message, parsed)
        except ConnectionFailed as error:
            return error
        return None

    async def _exchange(self, message: bytes, parsed: Message) -> None:
        headers = self._headers_of(parsed)
        async with self._request("POST", f"{JSON}, {EVENTS}", headers=headers, content=message) as response:
            if response.status_code >= 400:
                await self._refused(response, parsed)
                return
            if isinstance(parsed, Request) and parsed.method == "initialize":
                self.session_id = response.headers.get("mcp-session-id")
                self._initialize_id = parsed.id
            content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if content_type == EVENTS:
                await self._answer_from_events(response, parsed)
            elif content_type == JSON and isinstance(parsed, Request):
                await self._deliver(await self._body(response, self._limit))
            elif isinstance(parsed, Request) and response.status_code != 202:
                raise ConnectionFailed(f"{self.url} answered with {content_type or 'nothing'}; is it an MCP server?")

    async def _refused(self, response: "httpx.Response", parsed: Message) -> None:
        status = f"{response.status_code} {response.reason_phrase}".strip()
        text = await self._body(response, 64 * 1024)
        if response.status_code == 404 and "mcp-session-id" in response.request.headers:
            self._fail(f"{self.url} no longer knows this session: it was closed or has expired. Connect again.")
            raise ConnectionFailed(self._failure)
        answer = jsonrpc.parse(text)
        if not isinstance(answer, ErrorResponse):
            line = text.decode("utf-8", "replace").strip().partition("\n")[0][:200]
            raise ConnectionFailed(f"{self.url} answered {status}{': ' if line else ''}{line}{_advice(response)}")
        shaking_hands = isinstance(parsed, Request) and parsed.method == "initialize" and response.status_code != 400
        if not isinstance(parsed, Request) or shaking_hands:
            raise ConnectionFailed(f"{self.url} answered {status}: {answer.message}{_advice(response)}")
        # Whose answer it is says the exchange, where the body does not.
        await self._deliver(jsonrpc.error(parsed.id, answer.code, answer.message, answer.data))

    async def _answer_from_events(self, response: "httpx.Response", parsed: Message) -> None:
        if not isinstance(parsed, Request):
            return
        place = EventReader(self._limit)
        answered = await self._read(response, place, parsed.id)
        attempts = 0
        while not answered:
            if place.last_id is None or attempts == MOST_ATTEMPTS:
                raise ConnectionFailed(f"{self.url} broke off before the answer to {parsed.method} was there.")
            await asyncio.sleep(_pause(place))
            attempts += 1
            with contextlib.suppress(ConnectionFailed):
                async with self._request("GET", EVENTS, last_id=place.last_id) as again:
                    if again.status_code != 200:
                        continue
                    attempts = 0
                    answered = await self._read(again, place, parsed.id)

    def _headers_of(self, message: Message) -> dict[str, str]:
        if isinstance(message, Request) and is_stateless(message.params):
            return message_headers(message.method, message.params)
        return self._session_headers()

    def _session_headers(self) -> dict[str, str]:
        return {} if self.session_id is None else {"Mcp-Session-Id": self.session_id}

    def _ends_exchange(self, message: Message) -> bool:
        """Close the response that a client no longer wants; True when that says it all.

        Source: 2026-07-28, basic/patterns/cancellation: over HTTP no notification tells it, the closed stream does.
        """
        if not isinstance(message, Notification) or message.method != "notifications/cancelled":
            return False
        id = message.params.get("requestId", "")
        if id not in self._stateless:
            return False
        self._exchanges[id].cancel()
        return True

    # What belongs to no call.

    def _noted(self, sent: Message) -> None:
        if not isinstance(sent, Notification):
            return
        if sent.method == "notifications/initialized" and self._listening is None:
            self._listening = spawn(self._listen(), "http listen")
        elif sent.method == "notifications/cancelled":
            exchange = self._exchanges.get(sent.params.get("requestId", ""))
            if exchange is not None:
                exchange.cancel()

    async def _listen(self) -> None:
        place = EventReader(self._limit)
        failures = 0
        while True:
            try:
                async with self._request("GET", EVENTS, last_id=place.last_id) as response:
                    if response.status_code == 404 and self.session_id is not None:
                        await self._refused(response, Notification("", {}))
                    if response.status_code != 200:
                        return  # 405: this server has nothing to say but answers.
                    failures = 0
                    await self._read(response, place, None)
            except ConnectionFailed as error:
                failures += 1
                if failures == MOST_ATTEMPTS or self._failure:
                    self._fail(str(error))
                    return
            await asyncio.sleep(_pause(place))

    # Bytes and messages.

    async def _read(self, response: "httpx.Response", place: EventReader, awaited: RequestId | None) -> bool:
        """Deliver the messages of a stream to its end; return whether the awaited answer was among them."""
        import httpx

        place.reconnected()
        answered = False
        try:
            async for data in response.aiter_bytes():
                for event in place.receive_data(data):
                    if event.kind == "message":
                        await self._deliver(event.data)
                        answered = answered or (awaited is not None and _answers(event.data, awaited))
        except httpx.TransportError:
            return answered  # It broke; the caller knows whether that matters.
        except EventTooLong as error:
            raise ConnectionFailed(f"{self.url} sent too much at once: {error}.") from error
        return answered

    async def _body(self, response: "httpx.Response", limit: int) -> bytes:
        pieces: list[bytes] = []
        size = 0
        async for piece in response.aiter_bytes():
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                raise ConnectionFailed(f"{self.url} sent a message that is longer than {limit:,} bytes.")
        return b"".join(pieces)

    async def _deliver(self, message: bytes) -> None:
        if self._initialize_id is not None and _answers(message, self._initialize_id):
            self._initialize_id = None
            answer = jsonrpc.parse(message)
            if isinstance(answer, Response):
                self._headers["MCP-Protocol-Version"] = str(answer.result.get("protocolVersion", ""))
        await self._has_room.wait()
        self._messages.append(message)
        self._size += len(message)
        if self._size > HIGH_WATER:
            self._has_room.clear()
        self._filled.set()

    def _fail(self, reason: str) -> None:
        self._failure = self._failure or reason
        self._filled.set()

    @contextlib.asynccontextmanager
    async def _request(
        self,
        method: str,
        accept: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        last_id: str | None = None,
    ) -> "AsyncIterator[httpx.Response]":
        import httpx

        headers = {**self._headers, **(self._session_headers() if headers is None else headers), "Accept": accept}
        if content is not None:
            headers["Content-Type"] = JSON
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        try:
            async with self._authorized(method, headers, content) as response:
                yield response
        except httpx.ConnectError as error:
            raise ConnectionFailed(f"Cannot connect to {self.url}: {error}. Is the server running?") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ConnectionFailed(f"{self.url}: {str(error) or type(error).__name__}.") from error

    @contextlib.asynccontextmanager
    async def _authorized(
        self, method: str, headers: Mapping[str, str], content: bytes | None
    ) -> "AsyncIterator[httpx.Response]":
        for attempt in range(MOST_CHALLENGES + 1):
            shown = {} if self._authorization is None else await self._authorization.headers(method, self.url)
            request = {**headers, **shown}
            async with self._connected().stream(method, self.url, headers=request, content=content) as response:
                if attempt == MOST_CHALLENGES or not await self._challenged(method, response, attempt, shown):
                    yield response
                    return

    async def _challenged(
        self, method: str, response: "httpx.Response", attempt: int, shown: Mapping[str, str]
    ) -> bool:
        if self._authorization is None or response.status_code not in ASKS_FOR_AUTHORIZATION:
            return False
        refusal = Refusal(method, self.url, response.status_code, response.headers, attempt, shown)
        return await self._authorization.challenged(refusal)

    def _connected(self) -> "httpx.AsyncClient":
        if self._client is None:
            import httpx

            # A call may take as long as it takes, and there may be many at once.
            self._client = httpx.AsyncClient(
                timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=10),
                follow_redirects=True,
                transport=self._transport,
                trust_env=httpx.URL(self.url).host not in LOOPBACK,
            )
        return self._client

    async def _say_goodbye(self) -> None:
        if self.session_id is None or self._failure:
            return
        with contextlib.suppress(ConnectionFailed, TimeoutError):
            async with asyncio.timeout(GOODBYE_SECONDS), self._request("DELETE", JSON):
                pass  # 405 says that the server ends its sessions by itself.


def _answers(message: bytes, id: RequestId) -> bool:
    parsed = jsonrpc.parse(message)
    return isinstance(parsed, Response | ErrorResponse) and parsed.id == id


def _pause(place: EventReader) -> float:
    return (RETRY_MS if place.retry is None else place.retry) / 1000


def _advice(response: "httpx.Response") -> str:
    return {
        401: " It wants authorization: give it a header.",
        404: " Check the path, which is often /mcp.",
        405: " Check the path, which is often /mcp.",
    }.get(response.status_code, "")
