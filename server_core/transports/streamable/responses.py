"""The two forms of an HTTP response: one JSON-RPC response with its status, or a stream of server-sent events.

Source: 2026-07-28, basic/transports, Streamable HTTP; basic/authorization, Scope Challenge Handling.

Rule 1: writes are combined if possible: the end of a response is sent with the last of its events.
Rule 2: an idle response sends comments to stay alive, and ends when its client disconnects.
"""

import asyncio
import re
from collections.abc import Callable, Mapping
from typing import Any, Self

from server_core.protocol.codes import HTTP_STATUSES, INSUFFICIENT_SCOPE
from server_core.protocol.sse import COMMENT, encode_event
from server_core.runtime.background import spawn
from server_core.runtime.safe_json import parse_json_or_none
from server_core.transports.streamable.event_store import StoredEvent
from server_core.transports.streamable.http_exchange import NO_HEADERS, HttpExchange
from server_core.transports.streamable.response_streams import StreamReader

# The start of every result that we encode ourselves.
_RESULT = re.compile(rb'\{"jsonrpc":"2\.0","id":(?:-?\d+|"[^"\\]*"),"result":')


def status_of(exchange: HttpExchange, response: bytes, *, by_code: bool) -> tuple[int, Mapping[str, str]]:
    """Return the status and headers for a JSON-RPC response; unless `by_code`, only a challenge has its own status."""
    # In nearly all cases the response need not be parsed.
    if (not by_code and exchange.challenge is None) or _RESULT.match(response):
        return 200, NO_HEADERS
    # An error, or a result that another server has encoded; an operator may have sent anything in its place.
    value = parse_json_or_none(response)
    error = value.get("error") if isinstance(value, dict) else None
    error = error if isinstance(error, dict) else {}
    code = error.get("code")
    if code == INSUFFICIENT_SCOPE and exchange.challenge is not None:
        return 403, {"www-authenticate": exchange.challenge(_error_data(error))}
    return (HTTP_STATUSES.get(code, 200) if by_code and type(code) is int else 200), NO_HEADERS


def _error_data(error: Mapping[str, Any]) -> Mapping[str, Any]:
    data = error.get("data")
    return data if isinstance(data, dict) else {}


class DisconnectWatch:
    """Detect that a client closes the connection during a response; the reader is stopped with this context."""

    def __init__(
        self, exchange: HttpExchange, reader: StreamReader, on_disconnect: Callable[[], None] | None = None
    ) -> None:
        self._exchange = exchange
        self._reader = reader
        self._on_disconnect = on_disconnect
        self._watching: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Start the watching task; it is only needed once the response has to wait."""
        if self._watching is None:
            self._watching = spawn(self._wait(), "watch for the end of a connection")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._watching is not None:
            self._watching.cancel()
        self._reader.stop()

    async def _wait(self) -> None:
        await self._exchange.wait_for_disconnect()
        if self._on_disconnect is not None:
            self._on_disconnect()
        self._reader.stop()


async def send_events(
    exchange: HttpExchange,
    reader: StreamReader,
    batch: list[StoredEvent],
    watch: DisconnectWatch,
    *,
    headers: Mapping[str, str] = NO_HEADERS,
    prime: bool = False,
) -> None:
    """Send messages as server-sent events, first the batch; `prime` begins with an id, from which to resume."""
    await exchange.start_events(headers)
    head = encode_event(reader.event_id_at(0 if batch else reader.position), b"") if prime else b""
    more: list[StoredEvent] | None = batch
    while more is not None:
        piece = head + b"".join([encode_event(reader.event_id_at(at), data) for at, data in more])
        if reader.at_end and reader.retry_ms is None:
            return await exchange.send_piece(piece, last=True)
        await exchange.send_piece(piece or COMMENT)
        head = b""
        watch.begin()
        more = await reader.next()
    await exchange.send_piece(_closing_event(reader), last=True)


def _closing_event(reader: StreamReader) -> bytes:
    """Return the event that asks a client to reconnect, if it should; else nothing."""
    if (retry := reader.retry_ms) is None:
        return b""
    return encode_event(reader.event_id_at(reader.position), b"", retry)
