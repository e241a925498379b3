"""The messages of one call on their way to the response that takes them, and back into it when it breaks.

Messages wait in the stream while its response is being decided, and while that response is slow. As soon as they go
out as events each gets a number in the event store, from where a later response goes on: an event id is the stream's
number and the message's position, `3-17`. What waits is bounded, and whoever sends is held up before anything is lost.

Source: 2025-11-25, basic/transports, resumability and redelivery.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from server_core.protocol.jsonrpc import RequestId
from server_core.transports.streamable.event_store import Event, EventStore

KEEP_ALIVE = 15.0
"""Seconds of silence after which a reader should show the connection that it is alive."""
HIGH_WATER = 256 * 1024
MOST_BYTES = 4 * 1024 * 1024

Position: TypeAlias = tuple[int, int]


class StreamLog(NamedTuple):
    """Where the events of one stream are kept.

    Attributes:
        store: keeps them.
        session: the id of the session.
        number: the stream's own.
    """

    store: EventStore
    session: str
    number: int


class Stream:
    """The messages of one request of the client, or those that belong to none; also the outlet of a stateless call.

    Args:
        most_messages: how many may wait for the response.
        calls: the ids of the requests whose answers it carries, where they matter.
        awaited: how many answers complete it.
        log: where its events are kept, when that is known already.
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
        """Nothing will be added any more."""
        self.reader: StreamReader | None = None
        """Whoever takes the messages now; the newest takes over."""
        self.retry_ms: int | None = None
        """Its response shall end now, and the client come back after so many milliseconds."""
        self.delivered = 0
        """The position up to which events have been taken."""
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
        """Its number, once its messages go out as events that a client can ask for again."""
        return None if self._log is None else self._log.number

    @property
    def has_pending(self) -> bool:
        """Whether something waits for the reader."""
        return bool(self._waiting)

    @property
    def is_decided(self) -> bool:
        """Whether all answers are there, or something else is."""
        return self.complete or not self._only_answers

    @property
    def only_answers(self) -> list[bytes]:
        """All answers, when they are there and nothing else came before them; else none."""
        return [message for _, message in self._waiting] if self.complete and self._only_answers else []

    def send(self, message: bytes, related: RequestId | None, *, answer: bool = False) -> None:
        """Take one message for the client; see :meth:`Outlet.send`."""
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
            if len(self._waiting) > self._most_messages or self._size > MOST_BYTES:
                self._shed()
        self._wake()

    async def drain(self) -> None:
        """Wait until a reader that is there has taken what waits for it."""
        while self.full:
            if self._room is None:
                self._room = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._room)

    @property
    def full(self) -> bool:
        """Whether a reader is there and has to take something before more should be sent."""
        return self.reader is not None and (self._size > HIGH_WATER or len(self._waiting) * 2 >= self._most_messages)

    def settle(self) -> None:
        """Expect one answer less: a request was cancelled, and none follows (basic/utilities/cancellation)."""
        self._awaited -= 1
        if self._awaited <= 0:
            self.end()

    def end(self) -> None:
        """Complete the stream without another message."""
        self.complete = True
        self._wake()

    def begin_events(self, log: StreamLog) -> None:
        """Number the messages from now on, and those that wait, so that a client can ask for them again."""
        store, session, number = self._log = log
        last = len(self._waiting) - 1
        self._waiting = [
            (store.append(session, number, message, last=self.complete and at == last), message)
            for at, (_, message) in enumerate(self._waiting)
        ]

    def end_response(self, retry_ms: int) -> None:
        """End the response that reads now, once it has taken what waits; the client comes back for what follows.

        Args:
            retry_ms: how long it should wait before that.
        """
        self.retry_ms = retry_ms
        self._wake()

    # For the reader.

    def hand_over(self, reader: "StreamReader | None") -> None:
        """Let this reader take the messages from now on, and the one before it end."""
        self.reader = reader
        if self._log is not None:
            self._waiting.clear()  # They are kept, and whoever reads begins with what is kept.
            self._size = 0
        elif reader is None:
            self._waiting.clear()  # Nobody knows an id with which to come back for them.
            self.complete = True
        self._make_room()
        self._wake()

    def take(self) -> list[Event]:
        """Return what waits for the reader."""
        batch, self._waiting, self._size = self._waiting, [], 0
        self._make_room()
        return batch

    async def stored_events(self, position: int) -> Sequence[Event]:
        """Return the events behind a position that are kept."""
        if self._log is None:
            return []
        store, session, number = self._log
        replay = await store.after(session, number, position)
        return [] if replay is None else replay.events

    async def changed(self, patience: float) -> bool:
        """Wait for the next message, the end, or another reader.

        Args:
            patience: seconds to wait at most.

        Returns:
            Whether there is something new.
        """
        loop = asyncio.get_running_loop()
        self._pending = news = loop.create_future()
        timer = loop.call_later(patience, _resolve, news, False)
        try:
            return bool(await news)
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
        """Hold no more than is allowed: the reader goes on from what is kept; where nothing is, the oldest go."""
        if self._log is not None and self.reader is not None:
            self._waiting.clear()
            self._size = 0
            self.reader.is_behind = True
            return
        while len(self._waiting) > 1 and (len(self._waiting) > self._most_messages or self._size > MOST_BYTES):
            self._size -= len(self._waiting.pop(0)[1])


class StreamReader:
    """One response that takes a stream's messages.

    Args:
        stream: the stream.
        position: the last event that was read before; None for a response that is the stream's first.
    """

    __slots__ = ("is_behind", "position", "stream")

    def __init__(self, stream: Stream, position: int | None = None) -> None:
        self.stream = stream
        self.position = position or 0
        self.is_behind = position is not None
        """What comes next has to be read from what is kept."""
        if position is None:
            stream.reader = self
        else:
            stream.retry_ms = None
            stream.hand_over(self)

    def event_id_at(self, position: int) -> str:
        """Return the id of the event at a position; empty where nobody can ask for it again."""
        number = self.stream.number
        return "" if number is None else f"{number}-{position}"

    @property
    def retry_ms(self) -> int | None:
        """After how many milliseconds the client shall come back, where its response ends before its stream."""
        return self.stream.retry_ms if self.stream.reader is self else None

    async def decided(self) -> None:
        """Wait until it is clear whether all answers come before anything else, or nothing came for long."""
        while not (self.at_end or self.stream.is_decided) and await self.stream.changed(KEEP_ALIVE):
            pass

    async def next(self) -> list[Event] | None:
        """Return the messages that are there, and wait while there is none.

        Returns:
            The messages; an empty list when nothing came for long, None when there will be none for this reader.
        """
        while not (self.stream.has_pending or self.is_behind or self.at_end):
            if not await self.stream.changed(KEEP_ALIVE):
                return []
        return await self.take() or (None if self.at_end else [])

    @property
    def at_end(self) -> bool:
        """Whether there will be no more for this reader."""
        stream = self.stream
        if stream.reader is not self:
            return True
        return not (self.is_behind or stream.has_pending) and (stream.complete or stream.retry_ms is not None)

    async def take(self) -> list[Event]:
        """Return the messages that are there."""
        stream, batch = self.stream, []
        if self.is_behind:
            self.is_behind = False
            batch = list(await stream.stored_events(self.position))
            self._read(batch)
        if stream.reader is self:
            # What came while the kept events were read is among both.
            waiting = stream.take()
            batch += [event for event in waiting if event[0] > self.position] if batch else waiting
            self._read(batch)
        return batch

    def _read(self, batch: Sequence[Event]) -> None:
        if batch:
            self.position = batch[-1][0]
            self.stream.delivered = max(self.stream.delivered, self.position)

    def stop(self) -> None:
        """Read no more; what comes is kept for another reader."""
        if self.stream.reader is self:
            self.stream.hand_over(None)


def parse_event_id(text: str) -> Position | None:
    """Return the stream's number and the position of an event id; None when it is none of ours."""
    stream, dash, position = text.partition("-")
    if dash and stream.isdecimal() and position.isdecimal() and len(text) < 40:
        return int(stream), int(position)
    return None


def _resolve(future: "asyncio.Future[bool]", value: bool) -> None:
    if not future.done():
        future.set_result(value)
