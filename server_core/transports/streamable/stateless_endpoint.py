"""Stateless requests: POST only, and each request names its client and its revision.

Rule 1: headers that repeat parts of the body are checked before the request is served, in the order below.
Rule 2: an error has its HTTP status unless a stream has been started, so a stream is started as late as possible.
Rule 3: a client that closes the connection cancels its call.

Source: 2026-07-28, basic/transports, Streamable HTTP.
"""

from typing import TYPE_CHECKING

from server_core.errors import ProtocolError
from server_core.protocol import jsonrpc
from server_core.protocol.codes import HTTP_STATUSES, SERVER_BUSY
from server_core.protocol.envelope import is_stateless, requested_version, unsupported_version
from server_core.protocol.headers import VERSION_HEADER, check_message_headers, check_parameter_headers
from server_core.protocol.jsonrpc import MalformedMessage, Message, Notification, Request
from server_core.protocol.revisions import HANDSHAKE_REVISIONS, STATELESS_REVISIONS
from server_core.transports.source import ServingSession, ToolSource
from server_core.transports.streamable.asgi import Principal
from server_core.transports.streamable.checks import Headers, Refusal
from server_core.transports.streamable.http_exchange import HttpExchange
from server_core.transports.streamable.http_records import HttpRecords, retry_after
from server_core.transports.streamable.response_streams import Stream, StreamReader
from server_core.transports.streamable.responses import DisconnectWatch, send_events, status_of
from server_core.transports.streamable.stateless_clients import StatelessClients

if TYPE_CHECKING:
    from server_core.settings import Settings

POST_ONLY = Refusal(405, "Method not allowed: without a session only POST is supported.", allow="POST")
TOO_MANY = "Too many requests of this client wait; send more when some are answered."


def names_stateless(headers: Headers) -> bool:
    """Return whether the headers name a revision without a handshake."""
    version = headers.get(VERSION_HEADER)
    return version is not None and version not in HANDSHAKE_REVISIONS


def is_stateless_message(headers: Headers, message: Message) -> bool:
    """Return whether a message is to be served without a session: if its body names no revision, the headers decide."""
    if isinstance(message, Request | Notification) and is_stateless(message.params):
        return True
    return names_stateless(headers)


class StatelessEndpoint:
    def __init__(self, source: ToolSource, settings: "Settings", records: HttpRecords, principal: Principal) -> None:
        self._clients = StatelessClients(source, settings)
        self._source = source
        self._records = records
        self._principal = principal
        self._most_messages = settings.max_queued_messages
        self._open: set[Stream] = set()

    async def settle(self, grace: float) -> None:
        await self._clients.settle(grace)

    def close(self) -> None:
        self._clients.close_all()
        for stream in self._open:
            stream.end()

    async def post(self, exchange: HttpExchange, body: bytes, message: Message) -> None:
        if isinstance(message, Request):
            await self._call(exchange, body, message)
        elif isinstance(message, Notification):
            # No notification is defined: a client cancels a request by closing the connection.
            self._records.add_message(body, message)
            await exchange.respond(202)
        else:
            await self._records.refuse_message(exchange, _not_a_request(message), body, message)

    async def _call(self, exchange: HttpExchange, body: bytes, request: Request) -> None:
        session = self._clients.session_for(exchange.peer_host, self._principal(exchange.scope), request.params)
        try:
            self._check(exchange, request, session)
        except ProtocolError as error:
            return await self._refuse(exchange, body, request, session, error)
        stream = Stream(self._most_messages)
        running = session.serve_stateless(body, request, stream)
        if responses := stream.only_responses:
            return await _respond(exchange, responses[0])
        reader = StreamReader(stream)
        self._open.add(stream)
        try:
            with DisconnectWatch(exchange, reader, running.cancel) as watch:
                # At once, unlike in a session: the call must be cancelled as soon as the client disconnects (rule 3).
                watch.begin()
                await reader.wait_until_decided()
                if responses := stream.only_responses:
                    await _respond(exchange, responses[0])
                elif reader.at_end:
                    # The server is shutting down, or the client has disconnected, which makes the status irrelevant.
                    await exchange.respond(503)
                else:
                    await send_events(exchange, reader, await reader.take(), watch)
        finally:
            self._open.discard(stream)

    def _check(self, exchange: HttpExchange, request: Request, session: ServingSession) -> None:
        """Make the checks that are specific to HTTP, in the specified order; the session makes the others."""
        headers, repeated, params = exchange.headers, exchange.repeated, request.params
        if not is_stateless(params) and (named := headers.get(VERSION_HEADER, "")) not in STATELESS_REVISIONS:
            # Only the header makes this request stateless, and its revision is unsupported: the body is irrelevant.
            raise unsupported_version(named)
        version = requested_version(params)
        check_message_headers(headers, repeated, request.method, params, version)
        if (
            request.method == "tools/call"
            and version in STATELESS_REVISIONS
            and isinstance(name := params.get("name"), str)
        ):
            parameters = self._source.header_parameters(name)
            if parameters:
                check_parameter_headers(headers, repeated, parameters, params.get("arguments"))
        if session.full:
            # Each request has its own connection, so reading less would not slow the client down: it is refused.
            raise ProtocolError(SERVER_BUSY, TOO_MANY)

    async def _refuse(
        self, exchange: HttpExchange, body: bytes, request: Request, session: ServingSession, error: ProtocolError
    ) -> None:
        response = jsonrpc.error(request.id, error.code, error.message, error.data)
        status = HTTP_STATUSES[error.code]
        self._records.add_refused(exchange, status, body, request, response, session)
        await exchange.respond(status, response, headers=retry_after(status))


async def _respond(exchange: HttpExchange, response: bytes) -> None:
    status, headers = status_of(exchange, response, by_code=True)
    await exchange.respond(status, response, headers=headers)


def _not_a_request(message: Message) -> Refusal:
    if isinstance(message, MalformedMessage):
        return Refusal(400, message.message, message.code, id=message.id)
    return Refusal(400, "Invalid request: without a session only requests can be sent, no responses.")
