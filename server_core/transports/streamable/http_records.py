"""Recording HTTP exchanges without a message, and refusing requests.

Headers are not recorded, since they may contain credentials. For a long refused body only its start and length are
recorded, since every client can send one.
"""

import json
from collections.abc import Mapping
from typing import Any

from server_core.protocol import jsonrpc
from server_core.protocol.jsonrpc import Message, Request
from server_core.records.tap import KINDS, Direction, Kind, Tap, call_name
from server_core.transports.source import ServingSession
from server_core.transports.streamable.checks import JSON, Refusal
from server_core.transports.streamable.http_exchange import NO_HEADERS, HttpExchange

# Refused bodies up to so many bytes are recorded completely.
WHOLE_BODY_LIMIT = 64 * 1024
# How many bytes of a longer body are recorded.
BODY_START = 4 * 1024


class HttpRecords:
    """Record the exchanges of one endpoint, and refuse requests."""

    def __init__(self, tap: Tap) -> None:
        self._tap = tap

    def add(
        self,
        exchange: HttpExchange,
        status: int,
        session: ServingSession | None = None,
        reason: str = "",
        body: bytes = b"",
    ) -> None:
        """Record an exchange without a message, and the start and length of its body."""
        fields: dict[str, Any] = {"method": exchange.method, "path": exchange.path, "status": status}
        if reason:
            fields["reason"] = reason
        if body:
            fields |= {"bytes": len(body), "start": body[:BODY_START].decode("utf-8", "backslashreplace")}
        data = json.dumps(fields).encode()
        self._tap.emit(Kind.HTTP, data, session="" if session is None else session.key, direction=Direction.IN)

    def add_message(self, body: bytes, message: Message) -> None:
        """Record a message that belongs to no session."""
        self._tap.emit(KINDS[type(message)], body, direction=Direction.IN)

    def add_refused(
        self,
        exchange: HttpExchange,
        status: int,
        body: bytes,
        request: Request,
        response: bytes,
        session: ServingSession,
    ) -> None:
        """Record a request that was refused before it was served, and its response."""
        name = ""
        if len(body) > WHOLE_BODY_LIMIT:
            self.add(exchange, status, session, body=body)
        else:
            record = self._tap.emit(Kind.REQUEST, body, session=session.key, direction=Direction.IN)
            name = call_name(request.id, record.seq)
        self._tap.emit(Kind.ERROR, response, session=session.key, direction=Direction.OUT, call=name)

    async def refuse_message(self, exchange: HttpExchange, refusal: Refusal, body: bytes, message: Message) -> None:
        """Refuse a message that belongs to no session, and record it."""
        if len(body) > WHOLE_BODY_LIMIT:
            await self.refuse(exchange, refusal, body=body)
        else:
            self.add_message(body, message)
            await self.refuse(exchange, refusal)

    async def refuse(
        self, exchange: HttpExchange, refusal: Refusal, session: ServingSession | None = None, body: bytes = b""
    ) -> None:
        """Refuse a request, with a JSON-RPC error that explains the reason, and record it."""
        self.add(exchange, refusal.status, session, refusal.reason, body)
        response = jsonrpc.error(refusal.id, refusal.code, refusal.reason, refusal.data)
        headers = dict(retry_after(refusal.status))
        if refusal.allow:
            headers["allow"] = refusal.allow
        if refusal.challenge:
            headers["www-authenticate"] = refusal.challenge
        await exchange.respond(refusal.status, response, JSON, headers)


def retry_after(status: int) -> Mapping[str, str]:
    """Return `Retry-After` if a retry may help. Source: RFC 9110 section 10.2.3; RFC 6585 section 4."""
    return {"retry-after": str(_RETRY_SECONDS[status])} if status in _RETRY_SECONDS else NO_HEADERS


# Too many requests are resolved sooner than too many sessions.
_RETRY_SECONDS = {429: 1, 503: 5}
