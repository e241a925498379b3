"""The endpoint: POST brings a message, GET listens, DELETE ends the session.

Rule 1: JSON or server-sent events is decided as late as possible: an answer that comes first goes out as JSON.
Rule 2: what is refused says why, in a JSON-RPC error without an id, and is recorded.

Source: basic/transports, Streamable HTTP.
"""

import json
from collections.abc import Collection
from typing import TYPE_CHECKING

from server_core.background import spawn
from server_core.errors import SERVER_BUSY
from server_core.protocol import jsonrpc
from server_core.protocol.jsonrpc import Malformed, Message, Request
from server_core.serving import SessionSource
from server_core.tap import Direction, Kind
from server_core.transports.streamable import checks
from server_core.transports.streamable.checks import EVENTS, JSON, HostRule, Refusal
from server_core.transports.streamable.exchange import Exchange, Receive, Scope, Send
from server_core.transports.streamable.sessions import HttpSession, HttpSessions
from server_core.transports.streamable.sse import COMMENT, encode_event
from server_core.transports.streamable.streams import Stream, StreamReader, parse_event_id

if TYPE_CHECKING:
    from server_core.settings import Settings

PATH = "/mcp"
TOO_MANY = Refusal(429, "Too many requests of this session wait; send more when some are answered.", SERVER_BUSY)
HINT = b"This is an MCP server. Its endpoint is /mcp (Streamable HTTP): point an MCP client there.\n"


class StreamableHttp:
    """The ASGI application.

    Args:
        source: who serves: a server, a relay, or the core around one.
        settings: limits.
        hosts: the names and addresses under which people reach us, besides the loopback ones.
    """

    def __init__(self, source: SessionSource, settings: "Settings", hosts: Collection[str] = ()) -> None:
        self.sessions = HttpSessions(source, settings)
        self._tap = source.tap
        self._limit = settings.max_message_bytes
        self._hosts = HostRule(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, as ASGI calls for it."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._serve(Exchange(scope, receive, send))
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def _serve(self, exchange: Exchange) -> None:
        if (refusal := self._hosts.check(exchange.headers, exchange.repeated)) is not None:
            await self._refuse(exchange, refusal)
        elif exchange.path.rstrip("/") == PATH:
            await self._serve_endpoint(exchange)
        elif exchange.path in ("", "/") and exchange.method in ("GET", "HEAD"):
            self._record(exchange, 200)
            await exchange.respond(200, HINT, "text/plain; charset=utf-8")
        else:
            await self._refuse(exchange, Refusal(404, f"Not found: the MCP endpoint is {PATH}."))

    async def _serve_endpoint(self, exchange: Exchange) -> None:
        if exchange.method == "POST":
            await self._post(exchange)
        elif exchange.method == "GET":
            await self._get(exchange)
        elif exchange.method == "DELETE":
            await self._delete(exchange)
        else:
            await self._refuse(exchange, Refusal(405, "Method not allowed: use POST, GET or DELETE."))

    # POST: one message of the client.

    async def _post(self, exchange: Exchange) -> None:
        headers = exchange.headers
        refusal = checks.check_accepts(headers, JSON, EVENTS) or checks.check_content_type(headers)
        if refusal is not None:
            return await self._refuse(exchange, refusal)
        body = await exchange.body(self._limit)
        if body is None:
            return await self._refuse(exchange, Refusal(413, f"The message is longer than {self._limit:,} bytes."))
        message = jsonrpc.parse(body)
        session = self._session_for(exchange, message)
        if isinstance(session, Refusal):
            if isinstance(message, Malformed):
                self._tap.emit(Kind.MALFORMED, body, direction=Direction.IN)
                session = Refusal(400, message.message, message.code)
            return await self._refuse(exchange, session)
        if isinstance(message, Request) and session.serving.full:
            # Each request has a connection of its own, so that there is nothing to stop reading from.
            return await self._refuse(exchange, TOO_MANY, session)
        if isinstance(message, Request | Malformed):
            await self._answer(exchange, session, session.post(body, message, message.id), message)
        else:
            session.receive(body, message)
            await exchange.respond(202)

    def _session_for(self, exchange: Exchange, message: Message) -> HttpSession | Refusal:
        if "mcp-session-id" in exchange.headers:
            return self._known_session(exchange)
        if not isinstance(message, Request) or message.method != "initialize":
            return Refusal(
                400, "Missing Mcp-Session-Id: send initialize first, and the id it answers with from then on."
            )
        session = self.sessions.open(exchange.peer_name)
        return session or Refusal(503, "Too many sessions are open and in use; try again later.")

    async def _answer(self, exchange: Exchange, session: HttpSession, stream: Stream, message: Message) -> None:
        reader = StreamReader(stream, 0)
        try:
            first = await reader.next()
            headers = {"mcp-session-id": session.id}
            if isinstance(message, Request) and message.method == "initialize" and not session.serving.negotiated:
                # A handshake that failed leaves no session behind.
                if stream.complete:
                    self.sessions.close(session)
                headers = {}
            if first is None:
                # It was cancelled, or the session was closed: nothing will come.
                await exchange.respond(202)
            elif len(first) == 1 and stream.complete:
                await exchange.respond(400 if isinstance(message, Malformed) else 200, first[0][1], JSON, headers)
            else:
                session.keep(stream)
                await self._send_events(exchange, session, reader, first, headers)
        finally:
            reader.stop()

    # GET: what belongs to no call, or the rest of a stream that broke.

    async def _get(self, exchange: Exchange) -> None:
        refusal = checks.check_accepts(exchange.headers, EVENTS)
        session = refusal or self._known_session(exchange)
        if isinstance(session, Refusal):
            return await self._refuse(exchange, session)
        last = exchange.headers.get("last-event-id")
        if last is None and session.standing.reader is not None:
            return await self._refuse(exchange, Refusal(409, "This session has a GET stream already."), session)
        stream, position = session.standing, session.standing.taken
        if last is not None:
            number, position = parse_event_id(last) or (-1, 0)
            if (found := session.find_stream(number)) is None:
                return await self._refuse(exchange, Refusal(400, "The events behind this id are not kept."), session)
            stream = found
        self._record(exchange, 200, session)
        reader = StreamReader(stream, position)
        try:
            await self._send_events(exchange, session, reader, [], {}, resumed=last is not None)
        finally:
            reader.stop()

    async def _send_events(
        self,
        exchange: Exchange,
        session: HttpSession,
        reader: StreamReader,
        batch: list[tuple[str, bytes]],
        headers: dict[str, str],
        *,
        resumed: bool = False,
    ) -> None:
        await exchange.start_events(headers)
        if session.primes and not resumed:
            first_id = f"{reader.stream.number}-0" if batch else reader.event_id
            await exchange.send_piece(encode_event(first_id, b""))
        watching = spawn(_stop_when_gone(exchange, reader), "watch for the end of a connection")
        try:
            more: list[tuple[str, bytes]] | None = batch
            while more is not None:
                await exchange.send_piece(b"".join(encode_event(id, data) for id, data in more) or COMMENT)
                more = await reader.next()
            await exchange.finish()
        finally:
            watching.cancel()

    # DELETE: the client is done.

    async def _delete(self, exchange: Exchange) -> None:
        session = self._known_session(exchange)
        if isinstance(session, Refusal):
            return await self._refuse(exchange, session)
        self._record(exchange, 204, session)
        self.sessions.close(session)
        await exchange.respond(204)

    # What all have in common.

    def _known_session(self, exchange: Exchange) -> HttpSession | Refusal:
        id = exchange.headers.get("mcp-session-id")
        if id is None:
            return Refusal(400, "Missing Mcp-Session-Id.")
        session = self.sessions.find(id)
        if session is None:
            return Refusal(
                404, "Session not found: it was closed or has expired; send initialize without a session id."
            )
        return checks.check_version(exchange.headers, session.serving.negotiated) or session

    async def _refuse(self, exchange: Exchange, refusal: Refusal, session: HttpSession | None = None) -> None:
        self._record(exchange, refusal.status, session, reason=refusal.reason)
        allow = {"allow": "GET, POST, DELETE"} if refusal.status == 405 else {}
        await exchange.respond(refusal.status, jsonrpc.error(None, refusal.code, refusal.reason), JSON, allow)

    def _record(self, exchange: Exchange, status: int, session: HttpSession | None = None, reason: str = "") -> None:
        """Record an exchange that carries no message; headers stay out, since they may hold credentials."""
        facts = {"method": exchange.method, "path": exchange.path, "status": status}
        data = json.dumps(facts | {"reason": reason} if reason else facts).encode()
        key = session.serving.key if session is not None else ""
        self._tap.emit(Kind.HTTP, data, session=key, direction=Direction.IN)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while (await receive())["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        self.sessions.close_all()
        await send({"type": "lifespan.shutdown.complete"})


async def _stop_when_gone(exchange: Exchange, reader: StreamReader) -> None:
    await exchange.disconnected()
    reader.stop()
