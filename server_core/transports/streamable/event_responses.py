"""How the messages of a stream become server-sent events, in either era.

Rule 1: what can leave in one write does: the end of a response goes with the last of its events.
Rule 2: a response shows that it is alive when it has nothing else to say, and ends when its client is gone.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Self

from server_core.protocol.sse import COMMENT, encode_event
from server_core.runtime.background import spawn
from server_core.transports.streamable.event_store import Event
from server_core.transports.streamable.http_exchange import NO_HEADERS, HttpExchange
from server_core.transports.streamable.streams import StreamReader


class Watch:
    """Notice that a client closes the connection while it is answered; ends the reading with this context.

    Args:
        exchange: the request that is answered.
        reader: what reads for the response.
        on_gone: called when the client has gone.
    """

    def __init__(self, exchange: HttpExchange, reader: StreamReader, on_gone: Callable[[], None] | None = None) -> None:
        self._exchange = exchange
        self._reader = reader
        self._on_disconnect = on_gone
        self._watching: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Begin to watch; until there is something to wait for, that would be a task for nothing."""
        if self._watching is None:
            self._watching = spawn(self._wait(), "watch for the end of a connection")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._watching is not None:
            self._watching.cancel()
        self._reader.stop()

    async def _wait(self) -> None:
        await self._exchange.disconnected()
        if self._on_disconnect is not None:
            self._on_disconnect()
        self._reader.stop()


async def send_events(
    exchange: HttpExchange,
    reader: StreamReader,
    batch: list[Event],
    watch: Watch,
    *,
    headers: Mapping[str, str] = NO_HEADERS,
    prime: bool = False,
) -> None:
    """Send what a reader reads as server-sent events, until there is no more for it.

    Args:
        exchange: the request that is answered.
        reader: what to send.
        batch: what it has read already.
        watch: notices when the client is gone.
        headers: of the response, besides those of every stream.
        prime: begin with an event that only tells an id.
    """
    await exchange.start_events(headers)
    head = encode_event(reader.event_id_at(0 if batch else reader.position), b"") if prime else b""
    more: list[Event] | None = batch
    while more is not None:
        piece = head + b"".join([encode_event(reader.event_id_at(at), data) for at, data in more])
        if reader.at_end and reader.retry_ms is None:
            return await exchange.send_piece(piece, last=True)
        await exchange.send_piece(piece or COMMENT)
        head = b""
        watch.begin()
        more = await reader.next()
    await exchange.send_piece(_farewell(reader), last=True)


def _farewell(reader: StreamReader) -> bytes:
    """Return the event that tells a client to come back, where it shall."""
    if (retry := reader.retry_ms) is None:
        return b""
    return encode_event(reader.event_id_at(reader.position), b"", retry)
