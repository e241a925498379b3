"""The ASGI application: it checks every request, and dispatches it.

Rule 1: a refusal explains the reason, in a JSON-RPC error, and is recorded.
Rule 2: the request line, Host and Origin are checked first, then the token, and only then the rest of a request.

Source: basic/transports, Streamable HTTP.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server_core.protocol import jsonrpc
from server_core.protocol.codes import SERVER_BUSY
from server_core.protocol.headers import MESSAGE_HEADERS, normalise_origins
from server_core.resource_server.configuration import gate_of
from server_core.resource_server.owner import ResourceOwner, current_owner
from server_core.transports.source import ToolSource
from server_core.transports.streamable import checks
from server_core.transports.streamable.asgi import Principal, Receive, Scope, Send, authenticated_user, run_lifespan
from server_core.transports.streamable.checks import EVENTS, JSON, HostRule, Refusal, is_origin_allowed
from server_core.transports.streamable.event_store import EventStore, MemoryEvents
from server_core.transports.streamable.http_exchange import BodyTooLong, ClientGone, HttpExchange
from server_core.transports.streamable.http_records import HttpRecords
from server_core.transports.streamable.receive_limits import BodyBudget, BodyBudgetExceeded, Deadlines
from server_core.transports.streamable.session_endpoint import SessionEndpoint
from server_core.transports.streamable.session_registry import HttpSessions
from server_core.transports.streamable.stateless_endpoint import (
    POST_ONLY,
    StatelessEndpoint,
    is_stateless_message,
    names_stateless,
)

if TYPE_CHECKING:
    from server_core.resource_server.admission import Gate
    from server_core.settings import Settings

PATH = "/mcp"
# The response to a preflight request of a web page. Source: Fetch, CORS-preflight request.
PREFLIGHT = {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": "*, authorization",
    "access-control-max-age": "86400",
}
# The metadata is public. Source: RFC 9728 section 3.1.
METADATA = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "*",  # Pages send their protocol version here as well, which needs a preflight.
}
ANY_ORIGIN = frozenset({"*"})
HINT = b"This is an MCP server. Its endpoint is /mcp (Streamable HTTP): point an MCP client there.\n"


class StreamableHttp:
    """The ASGI application, with its endpoint at `/mcp`; `principal` returns the authenticated user of a client."""

    def __init__(
        self,
        source: ToolSource,
        settings: "Settings",
        hosts: Collection[str] = (),
        principal: Principal = authenticated_user,
    ) -> None:
        self._settings = settings
        allowed = (name.strip() for name in settings.allowed_hosts.split(","))
        self._names = (*hosts, *(name for name in allowed if name))
        self._gate_host, self._hosts = "", HostRule(self._names)
        self._gate = gate_of(settings, app_may_complete=source.may_ask_for_tokens)
        self._source = source
        self._origins = normalise_origins(settings.allowed_origins.split(","))
        self._records = HttpRecords(source.tap)
        self._deadlines = Deadlines(settings.body_timeout)
        self._bodies = BodyBudget()
        self._store = _open_store(settings)
        self.sessions = HttpSessions(source, settings, self._store)
        self._stateful = SessionEndpoint(self.sessions, settings, self._records, principal)
        self._stateless = StatelessEndpoint(source, settings, self._records, principal)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._serve(HttpExchange(scope, receive, send))
        elif scope["type"] == "lifespan":
            await run_lifespan(self.lifespan(), receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    @contextlib.asynccontextmanager
    async def lifespan(self, outer: Any = None) -> AsyncIterator[None]:
        """Serve while this context is entered, and close every session on exit.

        For applications that this one is mounted in, since they do not forward lifespan events:
        `Starlette(routes=[Mount("/tools", mcp)], lifespan=mcp.lifespan)`.

        Args:
            outer: the application, passed by Starlette; it is not used.
        """
        try:
            yield
        finally:
            await self.settle(self._settings.shutdown_grace)
            self.close()

    async def settle(self, grace: float) -> None:
        await asyncio.gather(self.sessions.settle(grace), self._stateless.settle(grace))

    def close(self) -> None:
        self.sessions.close_all()
        self._stateless.close()
        self._store.close()

    @property
    def _allowed_origins(self) -> frozenset[str]:
        of_apps = self._source.allowed_origins
        return self._origins | of_apps if of_apps else self._origins

    def _host_rule(self, gate: "Gate | None") -> HostRule:
        """Return the allowed hosts; if tokens are required, including the host that they are issued for."""
        host = gate.host if gate is not None else ""
        if host != self._gate_host:  # A reload may change it.
            self._gate_host, self._hosts = host, HostRule((*self._names, host) if host else self._names)
        return self._hosts

    async def _serve(self, exchange: HttpExchange) -> None:
        # An app's authorization is known only once it is loaded, and a request must not be served before that.
        gate = await self._source.gate() or self._gate
        hosts = self._host_rule(gate)
        if gate is not None and exchange.full_path in gate.metadata_paths:
            return await self._serve_metadata(exchange, gate, hosts)
        origins = self._allowed_origins
        if (refusal := _check_addressing(exchange, hosts, origins)) is not None:
            await self._records.refuse(exchange, refusal)
            return
        if is_origin_allowed(origin := exchange.headers.get("origin", ""), origins):
            exchange.allow_page(origin)
        if exchange.path == PATH or exchange.path.rstrip("/") == PATH:
            await self._serve_endpoint(exchange, gate)
        elif exchange.path in ("", "/") and exchange.method in ("GET", "HEAD"):
            self._records.add(exchange, 200)
            await exchange.respond(200, HINT, "text/plain; charset=utf-8")
        else:
            await self._records.refuse(exchange, Refusal(404, f"Not found: the MCP endpoint is {PATH}."))

    async def _serve_metadata(self, exchange: HttpExchange, gate: "Gate", hosts: HostRule) -> None:
        """Serve the metadata about authorization, to every web page. Source: RFC 9728 section 3.1."""
        if (refusal := _check_addressing(exchange, hosts, ANY_ORIGIN)) is None:
            if exchange.method in ("GET", "HEAD"):
                self._records.add(exchange, 200)
                return await exchange.respond(200, gate.metadata, JSON, METADATA)
            if exchange.method == "OPTIONS":
                self._records.add(exchange, 204)
                return await exchange.respond(204, headers=METADATA)
            refusal = Refusal(405, "Method not allowed: use GET.", allow="GET")
        await self._records.refuse(exchange, refusal)

    async def _serve_endpoint(self, exchange: HttpExchange, gate: "Gate | None") -> None:
        # A preflight request of a web page has no token. Source: Fetch, CORS-preflight request.
        if exchange.method == "OPTIONS" and is_origin_allowed(
            exchange.headers.get("origin", ""), self._allowed_origins
        ):
            self._records.add(exchange, 204)
            await exchange.respond(204, headers=PREFLIGHT)
        elif gate is None:
            await self._serve_method(exchange)
        else:
            await self._serve_admitted(exchange, gate)

    async def _serve_admitted(self, exchange: HttpExchange, gate: "Gate") -> None:
        admitted = await gate.check(exchange.headers, exchange.repeated)
        if not isinstance(admitted, ResourceOwner):
            refusal = Refusal(admitted.status, admitted.reason, challenge=admitted.challenge)
            return await self._records.refuse(exchange, refusal)
        exchange.admit(admitted, None if self._source.is_relayed else gate.scope_challenge)
        # For this task and the tasks of the call, which copy the context.
        before = current_owner.set(admitted)
        try:
            await self._serve_method(exchange)
        finally:
            current_owner.reset(before)

    async def _serve_method(self, exchange: HttpExchange) -> None:
        # The headers of a message are checked together with the message, if there is one.
        single = checks.SINGLE_HEADERS if exchange.method == "POST" else (*checks.SINGLE_HEADERS, *MESSAGE_HEADERS)
        if (refusal := checks.check_single_headers(exchange.repeated, single)) is not None:
            await self._records.refuse(exchange, refusal)
        elif exchange.method == "POST":
            await self._post(exchange)
        elif exchange.method in ("GET", "DELETE") and names_stateless(exchange.headers):
            await self._records.refuse(exchange, POST_ONLY)
        elif exchange.method == "GET":
            await self._stateful.get(exchange)
        elif exchange.method == "DELETE":
            await self._stateful.delete(exchange)
        else:
            refusal = Refusal(405, "Method not allowed: use POST, GET or DELETE.", allow="GET, POST, DELETE")
            await self._records.refuse(exchange, refusal)

    async def _post(self, exchange: HttpExchange) -> None:
        headers = exchange.headers
        refusal = checks.check_accept(headers, JSON, EVENTS) or checks.check_content_type(headers)
        if refusal is not None:
            return await self._records.refuse(exchange, refusal)
        try:
            body = await self._body(exchange)
            if isinstance(body, Refusal):
                return await self._records.refuse(exchange, body)
            message = jsonrpc.parse(body)
            if is_stateless_message(headers, message):
                await self._stateless.post(exchange, body, message)
            elif (refusal := checks.check_single_headers(exchange.repeated, MESSAGE_HEADERS)) is not None:
                await self._records.refuse(exchange, refusal)
            else:
                await self._stateful.post(exchange, body, message)
        finally:
            self._bodies.release(exchange.counted)

    async def _body(self, exchange: HttpExchange) -> bytes | Refusal:
        limit = self._settings.max_message_bytes
        try:
            return await self._deadlines.wait_for(exchange.body(limit, self._bodies))
        except BodyTooLong:
            return Refusal(413, f"The message is longer than {limit:,} bytes.")
        except BodyBudgetExceeded:
            return Refusal(503, "Too much is being sent at once; send it again later.", SERVER_BUSY)
        except TimeoutError:
            return Refusal(408, f"The message did not arrive within {self._settings.body_timeout:g} seconds.")
        except ClientGone:
            return Refusal(400, "The connection was closed before the message was complete.")


def _check_addressing(exchange: HttpExchange, hosts: HostRule, origins: frozenset[str]) -> Refusal | None:
    """Return a refusal if a request is not addressed to us, or its origin is not allowed."""
    line = exchange.request_line
    refusal = None if line is None else checks.check_request_line(line, exchange.headers)
    return refusal or hosts.check(exchange.headers, exchange.repeated, origins)


def _open_store(settings: "Settings") -> EventStore:
    if settings.event_store == "memory":
        return MemoryEvents(settings.max_queued_messages)
    from server_core.transports.streamable.sqlite_events import SqliteEvents

    path = Path(settings.event_store).expanduser()
    return SqliteEvents(path, settings.max_queued_messages, settings.session_idle_timeout)
