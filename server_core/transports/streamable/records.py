"""What is recorded of HTTP exchanges that carry no message, and how a request is refused.

Headers stay out of the records, since they may hold credentials.
"""

import json
from collections.abc import Mapping

from server_core.protocol import jsonrpc
from server_core.protocol.jsonrpc import Message, Request
from server_core.tap import KINDS, Direction, Kind, Tap, call_name
from server_core.transports.source import ServingSession
from server_core.transports.streamable.checks import JSON, Refusal
from server_core.transports.streamable.exchange import NO_HEADERS, HttpExchange


class HttpRecords:
    """Record the exchanges of one endpoint.

    Args:
        tap: where the records go.
    """

    def __init__(self, tap: Tap) -> None:
        self._tap = tap

    def add(self, exchange: HttpExchange, status: int, session: ServingSession | None = None, reason: str = "") -> None:
        """Record an exchange that carries no message."""
        facts = {"method": exchange.method, "path": exchange.path, "status": status}
        data = json.dumps(facts | {"reason": reason} if reason else facts).encode()
        self._tap.emit(Kind.HTTP, data, session="" if session is None else session.key, direction=Direction.IN)

    def add_message(self, body: bytes, message: Message) -> None:
        """Record a message that belongs to no session."""
        self._tap.emit(KINDS[type(message)], body, direction=Direction.IN)

    def add_refused(self, body: bytes, request: Request, answer: bytes, session: ServingSession) -> None:
        """Record a request that was refused before it was served, and its answer."""
        record = self._tap.emit(Kind.REQUEST, body, session=session.key, direction=Direction.IN)
        name = call_name(request.id, record.seq)
        self._tap.emit(Kind.ERROR, answer, session=session.key, direction=Direction.OUT, call=name)

    async def refuse(self, exchange: HttpExchange, refusal: Refusal, session: ServingSession | None = None) -> None:
        """Refuse a request, in a JSON-RPC error that says why, and record it."""
        self.add(exchange, refusal.status, session, refusal.reason)
        body = jsonrpc.error(refusal.id, refusal.code, refusal.reason, refusal.data)
        headers = dict(later(refusal.status))
        if refusal.allow:
            headers["allow"] = refusal.allow
        if refusal.challenge:
            headers["www-authenticate"] = refusal.challenge
        await exchange.respond(refusal.status, body, JSON, headers)


def later(status: int) -> Mapping[str, str]:
    """Return the header that says when to try again, where a status says that this may help.

    Source: RFC 9110 section 10.2.3; RFC 6585 section 4.
    """
    return {"retry-after": str(_SECONDS[status])} if status in _SECONDS else NO_HEADERS


_SECONDS = {429: 1, 503: 5}
"""Too many requests end sooner than too many sessions."""
