"""The messages of one call, and their delivery to the HTTP response, or to later responses when it breaks.

Messages are queued in the stream until the form of its response is decided, and while that response is slow. When they
are sent as events, each gets a position in the event store, from which a later response can resume: an event id is the
stream's number and the message's position, `3-17`. The queue is bounded, and senders are blocked before messages are
lost.

Source: 2025-11-25, basic/transports, resumability and redelivery.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from server_core.protocol.jsonrpc import RequestId
from server_core.transports.streamable.event_store import Event, EventStore

KEEP_ALIVE = 15.0
"""Seconds without a message after which a reader should send a comment to keep the connection alive."""
HIGH_WATER = 256 * 1024
MAX_BYTES = 4 * 1024 * 1024

Position: TypeAlias = tuple[int, int]


class StreamLog(NamedTuple):
    """The place of a stream in the event store.

    Attributes:
        store: the event store.
        session: the id of the session.
        number: the number of the stream.
    """

    store: EventStore
    session: str
    number: int


class Stream:
    """The messages of one POST of the client, or those that belong to no call; also the outlet of a stateless call.

    Args:
        most_messages: how many messages may be queued for the response.
        calls: the ids of the requests whose responses belong to it, if they are needed.
        awaited: how many responses complete it.
        log: its place in the event store, if it has one already.
    """

    __slots__ = (
        "_awaited",
        "_log",
        "_most_messages",
        "_only_answers",
        "_pending",
        "_room",
        "_size",
        "_waiting",
        "calls",
        "complete",
        "delivered",
        "reader",
        "retry_ms",
    )

    def __init__(
        self, most_messages: int, calls: Sequence[RequestId] = (), awaited: int = 1, log: StreamLog | None = None
    ) -> None:
        self.calls = calls
        self.complete = False
        """Whether no more messages will be added."""
        self.reader: StreamReader | None = None
        """The current reader; a new reader replaces it."""
        self.retry_ms: int | None = None
        """If set, the response should end now, and the client reconnect after so many milliseconds."""
        self.delivered = 0
        """The position up to which events have been read."""
        self._most_messages = most_messages
        self._log = log
        self._awaited = awaited
        self._only_answers = True
        self._waiting: list[Event] = []
        self._size = 0
        self._pending: asyncio.Future[bool] | None = None
        self._room: asyncio.Future[bool] | None = None

    @property
    def number(self) -> int | None:
        """Its number, once its messages are sent as events that a client can request again."""
        return None if self._log is None else self._log.number

    @property
    def has_pending(self) -> bool:
        """Whether messages are queued for the reader."""
        return bool(self._waiting)

    @property
    def is_decided(self) -> bool:
        """Whether all responses are available, or another message is."""
        return self.complete or not self._only_answers

    @property
    def only_answers(self) -> list[bytes]:
        """All responses, if they are available and there was no other message before them; else empty."""
        return [message for _, message in self._waiting] if self.complete and self._only_answers else []

    def send(self, message: bytes, related: RequestId | None, *, answer: bool = False) -> None:
        """Send a message to the client; see :meth:`Outlet.send`."""
        if self.complete:
            return
        if answer:
            self._awaited -= 1
            self.complete = self._awaited <= 0
        else:
            self._only_answers = False
        position = 0
        if self._log is not None:
            store, session, number = self._log
            position = store.append(session, number, message, last=self.complete)
        if self._log is None or (self.reader is not None and self.retry_ms is None):
            self._waiting.append((position, message))
            self._size += len(message)
            if len(self._waiting) > self._most_messages or self._size > MAX_BYTES:
                self._shed()
        self._wake()

    async def drain(self) -> None:
        """Wait until the current reader, if any, has read enough queued messages."""
        while self.full:
            if self._room is None:
                self._room = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._room)

    @property
    def full(self) -> bool:
        """Whether there is a reader that has to read before more should be sent."""
        return self.reader is not None and (self._size > HIGH_WATER or len(self._waiting) * 2 >= self._most_messages)

    def settle(self) -> None:
        """Expect one response less: a cancelled request gets no response (basic/utilities/cancellation)."""
        self._awaited -= 1
        if self._awaited <= 0:
            self.end()

    def end(self) -> None:
        """Complete the stream without another message."""
        self.complete = True
        self._wake()

    def begin_events(self, log: StreamLog) -> None:
        """Assign positions to the queued messages and to later ones, so that a client can request them again."""
        store, session, number = self._log = log
        last = len(self._waiting) - 1
        self._waiting = [
            (store.append(session, number, message, last=self.complete and at == last), message)
            for at, (_, message) in enumerate(self._waiting)
        ]

    def end_response(self, retry_ms: int) -> None:
        """End the current response after the queued messages; the client reconnects for the rest.

        Args:
            retry_ms: how long it should wait before it reconnects.
        """
        self.retry_ms = retry_ms
        self._wake()

    # For the reader.

    def hand_over(self, reader: "StreamReader | None") -> None:
        """Make this the current reader; the previous reader ends."""
        self.reader = reader
        if self._log is not None:
            self._waiting.clear()  # They are in the event store, and readers begin with stored events.
            self._size = 0
        elif reader is None:
            self._waiting.clear()  # They have no event ids, so they cannot be requested again.
            self.complete = True
        self._make_room()
        self._wake()

    def take(self) -> list[Event]:
        """Return and remove the queued messages."""
        batch, self._waiting, self._size = self._waiting, [], 0
        self._make_room()
        return batch

    async def stored_events(self, position: int) -> Sequence[Event]:
        """Return the stored events after a position."""
        if self._log is None:
            return []
        store, session, number = self._log
        replay = await store.after(session, number, position)
        return [] if replay is None else replay.events

    async def changed(self, patience: float) -> bool:
        """Wait for the next message, the end, or another reader.

        Args:
            patience: the timeout, in seconds.

        Returns:
            Whether there was a change before the timeout.
        """
        loop = asyncio.get_running_loop()
        self._pending = change = loop.create_future()
        timer = loop.call_later(patience, _resolve, change, False)
        try:
            return bool(await change)
        finally:
            timer.cancel()

    def _wake(self) -> None:
        if self._pending is not None:
            _resolve(self._pending, True)
            self._pending = None

    def _make_room(self) -> None:
        if self._room is not None:
            _resolve(self._room, True)
            self._room = None

    def _shed(self) -> None:
        """Shorten the queue: the reader continues from the event store; without a store, the oldest are dropped."""
        if self._log is not None and self.reader is not None:
            self._waiting.clear()
            self._size = 0
            self.reader.is_behind = True
            return
        while len(self._waiting) > 1 and (len(self._waiting) > self._most_messages or self._size > MAX_BYTES):
            self._size -= len(self._waiting.pop(0)[1])


class StreamReader:
    """Reads the messages of a stream for one response.

    Args:
        stream: the stream.
        position: the last event that was read before; None for the first response of the stream.
    """

    __slots__ = ("is_behind", "position", "stream")

    def __init__(self, stream: Stream, position: int | None = None) -> None:
        self.stream = stream
        self.position = position or 0
        self.is_behind = position is not None
        """Whether the next messages have to be read from the event store."""
        if position is None:
            stream.reader = self
        else:
            stream.retry_ms = None
            stream.hand_over(self)

    def event_id_at(self, position: int) -> str:
        """Return the id of the event at a position; empty if it cannot be requested again."""
        number = self.stream.number
        return "" if number is None else f"{number}-{position}"

    @property
    def retry_ms(self) -> int | None:
        """After how many milliseconds the client should reconnect, if its response ends before its stream."""
        return self.stream.retry_ms if self.stream.reader is self else None

    async def decided(self) -> None:
        """Wait until it is known whether the responses are the only messages, or until the keep-alive time is over."""
        while not (self.at_end or self.stream.is_decided) and await self.stream.changed(KEEP_ALIVE):
            pass

    async def next(self) -> list[Event] | None:
        """Return the available messages, and wait while there are none.

        Returns:
            The messages; an empty list after the keep-alive time, None when this reader is at its end.
        """
        while not (self.stream.has_pending or self.is_behind or self.at_end):
            if not await self.stream.changed(KEEP_ALIVE):
                return []
        return await self.take() or (None if self.at_end else [])

    @property
    def at_end(self) -> bool:
        """Whether there are no more messages for this reader."""
        stream = self.stream
        if stream.reader is not self:
            return True
        return not (self.is_behind or stream.has_pending) and (stream.complete or stream.retry_ms is not None)

    async def take(self) -> list[Event]:
        """Return the available messages."""
        stream, batch = self.stream, []
        if self.is_behind:
            self.is_behind = False
            batch = list(await stream.stored_events(self.position))
            self._read(batch)
        if stream.reader is self:
            # Messages that were added while the stored events were read may be in both.
            waiting = stream.take()
            batch += [event for event in waiting if event[0] > self.position] if batch else waiting
            self._read(batch)
        return batch

    def _read(self, batch: Sequence[Event]) -> None:
        if batch:
            self.position = batch[-1][0]
            self.stream.delivered = max(self.stream.delivered, self.position)

    def stop(self) -> None:
        """Stop reading; later messages are stored for another reader."""
        if self.stream.reader is self:
            self.stream.hand_over(None)


def parse_event_id(text: str) -> Position | None:
    """Return the stream's number and the position of an event id; None when it is invalid."""
    stream, dash, position = text.partition("-")
    if dash and stream.isdecimal() and position.isdecimal() and len(text) < 40:
        return int(stream), int(position)
    return None


def _resolve(future: "asyncio.Future[bool]", value: bool) -> None:
    if not future.done():
        future.set_result(value)
