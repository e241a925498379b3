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
from server_core.transports.streamable.event_store import EventStore, StoredEvent

# Seconds without a message after which a reader should send a comment to keep the connection alive.
KEEP_ALIVE = 15.0
# The size of a queue, in bytes, above which senders should wait.
HIGH_WATER = 256 * 1024
# The size of a queue, in bytes, above which it is shortened.
MAX_BYTES = 4 * 1024 * 1024

EventId: TypeAlias = tuple[int, int]
"""The number of a stream, and the position of an event in it."""


class StreamLog(NamedTuple):
    """The place of a stream in the event store."""

    store: EventStore
    session: str
    number: int


class Stream:
    """The messages for one POST of the client, or those that belong to no call (for its GET).

    It is also the outlet of a stateless call: see :class:`~server_core.transports.channel.Outlet`.

    Args:
        calls: the ids of the requests whose responses belong to it, if they are needed.
        awaited: how many responses complete it.
        log: its place in the event store, if it has one already.
    """

    __slots__ = (
        "_awaited",
        "_change",
        "_has_only_responses",
        "_log",
        "_most_messages",
        "_queue",
        "_room",
        "_size",
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
        # Whether no more messages will be added.
        self.complete = False
        # The current reader; a new reader replaces it.
        self.reader: StreamReader | None = None
        # If set, the response should end now, and the client reconnect after so many milliseconds.
        self.retry_ms: int | None = None
        # The last position that any reader has read.
        self.delivered = 0
        self._most_messages = most_messages
        self._log = log
        self._awaited = awaited
        self._has_only_responses = True
        # The messages for the reader; the position of a message without an event is 0.
        self._queue: list[StoredEvent] = []
        self._size = 0
        # The reader waits for a change, and senders for room in the queue. The futures are created only for a wait,
        # because most streams are answered at once.
        self._change: asyncio.Future[bool] | None = None
        self._room: asyncio.Future[bool] | None = None

    @property
    def number(self) -> int | None:
        """Its number, once its messages are sent as events that a client can request again."""
        return None if self._log is None else self._log.number

    @property
    def has_pending(self) -> bool:
        return bool(self._queue)

    @property
    def is_decided(self) -> bool:
        """Whether all responses are available, or another message is."""
        return self.complete or not self._has_only_responses

    @property
    def only_responses(self) -> list[bytes]:
        """All responses, if they are available and there was no other message before them; else empty."""
        return [message for _, message in self._queue] if self.complete and self._has_only_responses else []

    def send(self, message: bytes, related: RequestId | None, *, is_response: bool = False) -> None:
        if self.complete:
            return
        if is_response:
            self._awaited -= 1
            self.complete = self._awaited <= 0
        else:
            self._has_only_responses = False
        position = 0
        if self._log is not None:
            store, session, number = self._log
            position = store.append(session, number, message, last=self.complete)
        # Without a current response, a message in the store is not queued as well: the next reader begins there.
        if self._log is None or (self.reader is not None and self.retry_ms is None):
            self._queue.append((position, message))
            self._size += len(message)
            if len(self._queue) > self._most_messages or self._size > MAX_BYTES:
                self._shorten_queue()
        self._wake()

    async def drain(self) -> None:
        while self.full:
            if self._room is None:
                self._room = asyncio.get_running_loop().create_future()
            # Shielded: several senders wait for the same future, and one of them may be cancelled.
            await asyncio.shield(self._room)

    @property
    def full(self) -> bool:
        # Half of the limit: messages are dropped, or reread from the store, only when senders ignore this.
        return self.reader is not None and (self._size > HIGH_WATER or len(self._queue) * 2 >= self._most_messages)

    def cancel_response(self) -> None:
        """Expect no response to one of the requests: it is cancelled (basic/utilities/cancellation)."""
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
        last = len(self._queue) - 1
        self._queue = [
            (store.append(session, number, message, last=self.complete and index == last), message)
            for index, (_, message) in enumerate(self._queue)
        ]

    def end_response(self, retry_ms: int) -> None:
        """End the current response after the queued messages; the client reconnects for the rest."""
        self.retry_ms = retry_ms
        self._wake()

    # For the reader.

    def set_reader(self, reader: "StreamReader | None") -> None:
        """Make this the current reader; the previous reader ends."""
        self.reader = reader
        if self._log is not None:
            self._queue.clear()  # They are in the event store, and readers begin with stored events.
            self._size = 0
        elif reader is None:
            self._queue.clear()  # They have no event ids, so they cannot be requested again.
            self.complete = True
        self._make_room()
        self._wake()

    def take(self) -> list[StoredEvent]:
        batch, self._queue, self._size = self._queue, [], 0
        self._make_room()
        return batch

    async def stored_events(self, position: int) -> Sequence[StoredEvent]:
        if self._log is None:
            return []
        store, session, number = self._log
        replay = await store.after(session, number, position)
        return [] if replay is None else replay.events

    async def wait_for_change(self, timeout: float) -> bool:
        """Wait for a message, the end, or a new reader, which ends this one; False after the timeout."""
        loop = asyncio.get_running_loop()
        self._change = change = loop.create_future()
        timer = loop.call_later(timeout, _resolve, change, False)
        try:
            return bool(await change)
        finally:
            timer.cancel()

    def _wake(self) -> None:
        if self._change is not None:
            _resolve(self._change, True)
            self._change = None

    def _make_room(self) -> None:
        if self._room is not None:
            _resolve(self._room, True)
            self._room = None

    def _shorten_queue(self) -> None:
        """Shorten the queue: the reader continues from the event store; without a store, the oldest are dropped."""
        if self._log is not None and self.reader is not None:
            self._queue.clear()
            self._size = 0
            self.reader.is_behind = True
            return
        while len(self._queue) > 1 and (len(self._queue) > self._most_messages or self._size > MAX_BYTES):
            self._size -= len(self._queue.pop(0)[1])


class StreamReader:
    """Reads a stream for one response; `position` is the last event read before, None for the first response."""

    __slots__ = ("is_behind", "position", "stream")

    def __init__(self, stream: Stream, position: int | None = None) -> None:
        self.stream = stream
        self.position = position or 0
        # Whether the next messages have to be read from the event store.
        self.is_behind = position is not None
        if position is None:
            stream.reader = self  # Not `set_reader`: the messages that are queued already are for this reader.
        else:
            stream.retry_ms = None
            stream.set_reader(self)

    def event_id_at(self, position: int) -> str:
        """Return the id of the event at a position; empty if it cannot be requested again."""
        number = self.stream.number
        return "" if number is None else f"{number}-{position}"

    @property
    def retry_ms(self) -> int | None:
        """After how many milliseconds the client should reconnect, if its response ends before its stream."""
        return self.stream.retry_ms if self.stream.reader is self else None

    async def wait_until_decided(self) -> None:
        """Wait until it is known whether the responses are the only messages, or until the keep-alive time is over."""
        while not (self.at_end or self.stream.is_decided) and await self.stream.wait_for_change(KEEP_ALIVE):
            pass

    async def next(self) -> list[StoredEvent] | None:
        """Return the available messages, waiting for one; none after the keep-alive time, None at the end."""
        while not (self.stream.has_pending or self.is_behind or self.at_end):
            if not await self.stream.wait_for_change(KEEP_ALIVE):
                return []
        return await self.take() or (None if self.at_end else [])

    @property
    def at_end(self) -> bool:
        stream = self.stream
        if stream.reader is not self:
            return True
        return not (self.is_behind or stream.has_pending) and (stream.complete or stream.retry_ms is not None)

    async def take(self) -> list[StoredEvent]:
        """Return the available messages, from the event store and the queue, without waiting for more."""
        stream, batch = self.stream, []
        if self.is_behind:
            self.is_behind = False
            batch = list(await stream.stored_events(self.position))
            self._advance(batch)
        if stream.reader is self:
            # Messages that were added while the stored events were read may be in both. Without stored events, all
            # queued messages are new; their positions may be 0.
            queued = stream.take()
            batch += [event for event in queued if event[0] > self.position] if batch else queued
            self._advance(batch)
        return batch

    def stop(self) -> None:
        """Stop reading; messages after that can be read only from the event store, by another reader."""
        if self.stream.reader is self:
            self.stream.set_reader(None)

    def _advance(self, batch: Sequence[StoredEvent]) -> None:
        if batch:
            self.position = batch[-1][0]
            self.stream.delivered = max(self.stream.delivered, self.position)


def parse_event_id(text: str) -> EventId | None:
    """Return the parts of an event id; None when it is invalid."""
    stream, dash, position = text.partition("-")
    if dash and stream.isdecimal() and position.isdecimal() and len(text) < 40:
        return int(stream), int(position)
    return None


def _resolve(future: "asyncio.Future[bool]", value: bool) -> None:
    if not future.done():
        future.set_result(value)
