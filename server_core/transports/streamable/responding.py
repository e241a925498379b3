"""How the messages of a stream become server-sent events, in either era.

Rule 1: what can leave in one write does: the end of a response goes with the last of its events.
Rule 2: a response shows that it is alive when it has nothing else to say, and ends when its client is gone.
"""

import asyncio
from collections.abc import Callable, Mapping

from server_core.background import spawn
from server_core.transports.streamable.event_store import Event
from server_core.transports.streamable.exchange import NO_HEADERS, HttpExchange
from server_core.transports.streamable.sse import COMMENT, encode_event
from server_core.transports.streamable.streams import StreamReader


async def send_events(
    exchange: HttpExchange,
    reader: StreamReader,
    batch: list[Event],
    *,
    headers: Mapping[str, str] = NO_HEADERS,
    prime: bool = False,
    on_gone: Callable[[], None] | None = None,
) -> None:
    """Send what a reader reads as server-sent events, until there is no more for it.

    Args:
        exchange: the request that is answered.
        reader: what to send.
        batch: what it has read already.
        headers: of the response, besides those of every stream.
        prime: begin with an event that only tells an id.
        on_gone: called when the client closes the connection.
    """
    await exchange.start_events(headers)
    head = encode_event(reader.event_id_at(0 if batch else reader.position), b"") if prime else b""
    watching: asyncio.Task[None] | None = None
    more: list[Event] | None = batch
    try:
        while more is not None:
            piece = head + b"".join([encode_event(reader.event_id_at(at), data) for at, data in more])
            if reader.at_end and reader.retry_ms is None:
                return await exchange.send_piece(piece, last=True)
            await exchange.send_piece(piece or COMMENT)
            head = b""
            if watching is None:
                watching = spawn(_stop_when_gone(exchange, reader, on_gone), "watch for the end of a connection")
            more = await reader.next()
        await exchange.send_piece(_farewell(reader), last=True)
    finally:
        if watching is not None:
            watching.cancel()


def _farewell(reader: StreamReader) -> bytes:
    """Return the event that tells a client to come back, where it shall."""
    if (retry := reader.retry_ms) is None:
        return b""
    return encode_event(reader.event_id_at(reader.position), b"", retry)


async def _stop_when_gone(exchange: HttpExchange, reader: StreamReader, on_gone: Callable[[], None] | None) -> None:
    await exchange.disconnected()
    reader.stop()
    if on_gone is not None:
        on_gone()
