"""Requests of the sessions that `initialize` opens: POST sends a message, GET listens, DELETE ends the session.

Rule 1: a response without earlier messages is sent as JSON; any message before it makes it a stream.
Rule 2: a lost connection cancels nothing: the client may reconnect for the rest.

Source: 2025-03-26 to 2025-11-25, basic/transports, Streamable HTTP.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from server_core.protocol.batches import is_batch, parse_batch
from server_core.protocol.codes import SERVER_BUSY
from server_core.protocol.jsonrpc import MalformedMessage, Message, Request
from server_core.transports.streamable import checks
from server_core.transports.streamable.asgi import Principal
from server_core.transports.streamable.checks import EVENTS, JSON, Refusal
from server_core.transports.streamable.http_exchange import NO_HEADERS, HttpExchange
from server_core.transports.streamable.http_records import HttpRecords
from server_core.transports.streamable.http_session import HttpSession
from server_core.transports.streamable.response_streams import Stream, StreamReader, parse_event_id
from server_core.transports.streamable.responses import DisconnectWatch, send_events, status_of
from server_core.transports.streamable.session_registry import HttpSessions

if TYPE_CHECKING:
    from server_core.settings import Settings

SESSION_HEADER = "mcp-session-id"
LAST_EVENT_HEADER = "last-event-id"

TOO_MANY = Refusal(429, "Too many requests of this session wait; send more when some are answered.", SERVER_BUSY)


class SessionEndpoint:
    """Serve the requests of sessions; a session belongs to one user only."""

    def __init__(
        self, sessions: HttpSessions, settings: "Settings", records: HttpRecords, principal: Principal
    ) -> None:
        self._max_batch = settings.max_batch
        self._principal = principal
        self._sessions = sessions
        self._records = records

    async def post(self, exchange: HttpExchange, body: bytes, message: Message) -> None:
        session = await self._session_for(exchange, message)
        if isinstance(session, Refusal):
            if isinstance(message, MalformedMessage):
                refusal = Refusal(400, message.message, message.code)
                return await self._records.refuse_message(exchange, refusal, body, message)
            await self._records.refuse(exchange, session)
        elif isinstance(message, Request):
            if session.serving.full:
                # Each request has its own connection, so reading less would not slow the client down: it is refused.
                return await self._records.refuse(exchange, TOO_MANY, session.serving)
            stream = session.post([(body, message)])
            await self._send_responses(exchange, session, stream, is_first=message.method == "initialize")
        elif isinstance(message, MalformedMessage):
            await self._post_malformed(exchange, session, body, message)
        else:
            session.receive(body, message)
            await exchange.respond(202)

    async def _post_malformed(
        self, exchange: HttpExchange, session: HttpSession, body: bytes, message: MalformedMessage
    ) -> None:
        """Serve a body that is not a single message: a batch, if the revision has batches, or an invalid message."""
        pieces = parse_batch(body, self._max_batch) if session.supports_batches and is_batch(body) else message
        if isinstance(pieces, MalformedMessage):
            return await self._send_responses(exchange, session, session.post([(body, pieces)]), 400)
        if session.serving.full and any(piece.expects_response for piece in pieces):
            return await self._records.refuse(exchange, TOO_MANY, session.serving)
        stream = session.post(pieces)
        if any(piece.expects_response for piece in pieces):
            await self._send_responses(exchange, session, stream, as_array=True)
        else:
            await exchange.respond(202)

    async def get(self, exchange: HttpExchange) -> None:
        """Send the messages that belong to no call, or the rest of a broken stream."""
        refusal = checks.check_accept(exchange.headers, EVENTS)
        session = refusal or await self._known_session(exchange)
        if isinstance(session, Refusal):
            return await self._records.refuse(exchange, session)
        last = exchange.headers.get(LAST_EVENT_HEADER)
        reader = await self._reader(session, last)
        if isinstance(reader, Refusal):
            return await self._records.refuse(exchange, reader, session.serving)
        self._records.add(exchange, 200, session.serving)
        with DisconnectWatch(exchange, reader) as watch:
            await send_events(exchange, reader, [], watch, prime=session.supports_priming and last is None)

    async def delete(self, exchange: HttpExchange) -> None:
        session = await self._known_session(exchange)
        if isinstance(session, Refusal):
            return await self._records.refuse(exchange, session)
        self._records.add(exchange, 204, session.serving)
        self._sessions.delete(session)
        await exchange.respond(204)

    async def _send_responses(
        self,
        exchange: HttpExchange,
        session: HttpSession,
        stream: Stream,
        status: int = 200,
        *,
        is_first: bool = False,
        as_array: bool = False,
    ) -> None:
        """Send the result of a POST: a response without earlier messages as JSON, else a stream."""
        if (responses := stream.only_responses) and not is_first:
            return await _respond(exchange, status, responses, as_array=as_array)
        reader = StreamReader(stream)
        with DisconnectWatch(exchange, reader) as watch:
            await reader.wait_until_decided()
            headers = self._finish_handshake(session, stream) if is_first else NO_HEADERS
            if responses := stream.only_responses:
                await _respond(exchange, status, responses, headers, as_array=as_array)
            elif reader.at_end and reader.retry_ms is None:
                # The request was cancelled, or the session was closed: there will be no response.
                await exchange.respond(202)
            else:
                session.begin_events(stream)
                batch = await reader.take()
                await send_events(exchange, reader, batch, watch, headers=headers, prime=session.supports_priming)

    def _finish_handshake(self, session: HttpSession, stream: Stream) -> Mapping[str, str]:
        """Return the headers of the response to `initialize`; delete the session if the handshake has failed."""
        if session.serving.negotiated or not stream.complete:
            return {SESSION_HEADER: session.id}
        self._sessions.delete(session)
        return NO_HEADERS

    async def _session_for(self, exchange: HttpExchange, message: Message) -> HttpSession | Refusal:
        if SESSION_HEADER in exchange.headers:
            return await self._known_session(exchange)
        if not isinstance(message, Request) or message.method != "initialize":
            return Refusal(
                400, "Missing Mcp-Session-Id: send initialize first, and the id it answers with from then on."
            )
        session = self._sessions.open(exchange.peer_name, self._principal(exchange.scope))
        return session or Refusal(503, "Too many sessions are open and in use; try again later.")

    async def _known_session(self, exchange: HttpExchange) -> HttpSession | Refusal:
        session_id = exchange.headers.get(SESSION_HEADER)
        if session_id is None:
            return Refusal(400, "Missing Mcp-Session-Id.")
        principal = self._principal(exchange.scope)
        session = self._sessions.find(session_id, principal) or await self._sessions.restore(
            session_id, principal, exchange.peer_name
        )
        if session is None:
            return Refusal(
                404, "Session not found: it was closed or has expired; send initialize without a session id."
            )
        return checks.check_version(exchange.headers, session.serving.negotiated) or session

    async def _reader(self, session: HttpSession, last: str | None) -> StreamReader | Refusal:
        if last is None:
            if session.get_stream.reader is not None:
                return Refusal(409, "This session has a GET stream already.")
            return StreamReader(session.get_stream, session.get_stream.delivered)
        number, position = parse_event_id(last) or (-1, 0)
        return await session.resume(number, position) or Refusal(400, "The events after this id are no longer stored.")


async def _respond(
    exchange: HttpExchange,
    status: int,
    responses: Sequence[bytes],
    headers: Mapping[str, str] = NO_HEADERS,
    *,
    as_array: bool,
) -> None:
    if as_array:
        return await exchange.respond(status, _joined(responses), JSON, headers)
    if status == 200:
        status, of_challenge = status_of(exchange, responses[0], by_code=False)
        headers = {**headers, **of_challenge}
    await exchange.respond(status, responses[0], JSON, headers)


def _joined(responses: Sequence[bytes]) -> bytes:
    return b"[" + b",".join(responses) + b"]"
