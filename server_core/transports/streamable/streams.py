"""The messages that wait for one response, and can be asked for again: what makes a lost connection harmless.

A stream numbers its messages; an event id is the stream's number and the message's: `3-17`. Whoever reads can come
back with the last id that it saw and gets what came after. What is kept is bounded: the oldest messages go first.

Source: basic/transports, resumability and redelivery.
"""

import asyncio
from collections import deque
from typing import TypeAlias

KEEP_ALIVE = 15.0
"""Seconds of silence after which a reader should show the connection that it is alive."""
HIGH_WATER = 256 * 1024
MOST_BYTES = 4 * 1024 * 1024

Position: TypeAlias = tuple[int, int]


class Stream:
    """The messages of one call of the client, or those that belong to none.

    Args:
        number: unique within its session.
        most_messages: how many are kept.
    """

    def __init__(self, number: int, most_messages: int) -> None:
        self.number = number
        self.complete = False
        """Nothing will be added any more."""
        self.reader: StreamReader | None = None
        """Whoever takes the messages now; the newest takes over."""
        self.taken = 0
        """The position up to which messages have been taken."""
        self.size = 0
        """How many bytes are kept."""
        self._last = 0
        self._waiting = 0
        self._kept: deque[tuple[int, bytes]] = deque()
        self._most_messages = most_messages
        self._changed = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    def put(self, message: bytes, *, last: bool = False) -> None:
        """Add a message; the last one completes the stream."""
        if self.complete:
            return
        self._last += 1
        self._kept.append((self._last, message))
        self.size += len(message)
        while len(self._kept) > 1 and (len(self._kept) > self._most_messages or self.size > MOST_BYTES):
            self.size -= len(self._kept.popleft()[1])
        self._waiting += len(message)
        if self.reader is not None and self._waiting > HIGH_WATER:
            self._has_room.clear()
        self.complete = last
        self._changed.set()

    def end(self) -> None:
        """Complete the stream without another message."""
        self.complete = True
        self._changed.set()

    def after(self, position: int) -> list[tuple[int, bytes]]:
        """Return the messages behind a position that are still kept, each with its own position."""
        if not self._kept or self._kept[-1][0] <= position:
            return []
        return [(at, message) for at, message in self._kept if at > position]

    async def changed(self) -> None:
        """Wait for the next message, the end, or another reader."""
        self._changed.clear()
        await self._changed.wait()

    @property
    def full(self) -> bool:
        """Whether a reader is there and has to take something before more should be sent."""
        return not self._has_room.is_set()

    async def drain(self) -> None:
        """Wait until a reader that is there has taken what waits for it."""
        await self._has_room.wait()

    def took(self, position: int) -> None:
        """Note that a reader has taken the messages up to this position."""
        self.taken = max(self.taken, position)
        self._waiting = 0
        self._has_room.set()

    def hand_over(self, reader: "StreamReader | None") -> None:
        """Let this reader take the messages from now on, and the one before it end."""
        self.reader = reader
        self._has_room.set()
        self._changed.set()


class StreamReader:
    """One response that takes a stream's messages.

    Args:
        stream: the stream.
        position: what has been read before; 0 for nothing.
    """

    def __init__(self, stream: Stream, position: int) -> None:
        self.stream = stream
        self.position = position
        stream.hand_over(self)

    @property
    def event_id(self) -> str:
        """The id of the last message that was read."""
        return f"{self.stream.number}-{self.position}"

    async def next(self, patience: float = KEEP_ALIVE) -> list[tuple[str, bytes]] | None:
        """Return the messages that are there, each with its event id, and wait while there is none.

        Args:
            patience: seconds to wait at most.

        Returns:
            The messages; an empty list when the patience is over, None when there will be none for this reader.
        """
        if (batch := self._take()) or self._at_end:
            return batch or None
        try:
            async with asyncio.timeout(patience):
                while not batch and not self._at_end:
                    await self.stream.changed()
                    batch = self._take()
        except TimeoutError:
            return []
        return batch or None

    @property
    def _at_end(self) -> bool:
        return self.stream.complete or self.stream.reader is not self

    def _take(self) -> list[tuple[str, bytes]]:
        if self.stream.reader is not self or not (batch := self.stream.after(self.position)):
            return []
        self.position = batch[-1][0]
        self.stream.took(self.position)
        return [(f"{self.stream.number}-{at}", message) for at, message in batch]

    def stop(self) -> None:
        """Read no more; what comes waits for another reader."""
        if self.stream.reader is self:
            self.stream.hand_over(None)


def parse_event_id(text: str) -> Position | None:
    """Return the stream's number and the position of an event id; None when it is none of ours."""
    stream, dash, position = text.partition("-")
    if dash and stream.isdecimal() and position.isdecimal() and len(text) < 40:
        return int(stream), int(position)
    return None
