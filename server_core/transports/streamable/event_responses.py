"""Sending the messages of a stream as server-sent events, with and without sessions.

Rule 1: writes are combined if possible: the end of a response is sent with the last of its events.
Rule 2: an idle response sends comments to stay alive, and ends when its client disconnects.
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
    """Detect that a client closes the connection during a response; the reader is stopped with this context.

    Args:
        exchange: the request that is being answered.
        reader: the reader of the response.
        on_disconnect: called when the client has disconnected.
    """

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
    """Send the messages of a reader as server-sent events, until its end.

    Args:
        exchange: the request that is being answered.
        reader: reads the messages.
        batch: messages that it has read already.
        watch: detects that the client disconnects.
        headers: headers of the response, besides those of every stream.
        prime: begin with an event that only sets an id.
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
    """Return the event that asks a client to reconnect, if it should; else nothing."""
    if (retry := reader.retry_ms) is None:
        return b""
    return encode_event(reader.event_id_at(reader.position), b"", retry)
