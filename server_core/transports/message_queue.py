"""A queue of messages with a soft limit in bytes, for either direction.

Adding never blocks, but a producer can wait for room first; a consumer waits for the next message.
"""

import asyncio
from collections import deque

from server_core.errors import ConnectionFailed

# Of an inbox, in bytes.
HIGH_WATER = 4 * 1024 * 1024


class MessageQueue:
    """Messages, in order; once more than `high_water` bytes are queued, it is full until half of that is left."""

    def __init__(self, high_water: int) -> None:
        # How many bytes are queued.
        self.size = 0
        self._high_water = high_water
        self._messages: deque[bytes] = deque()
        self._has_ended = False
        self._filled = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    @property
    def full(self) -> bool:
        return not self._has_room.is_set()

    async def wait_for_room(self) -> None:
        await self._has_room.wait()

    def add(self, message: bytes) -> None:
        self._messages.append(message)
        self.size += len(message)
        self._filled.set()
        if self.size > self._high_water:
            self._has_room.clear()

    async def next(self) -> bytes | None:
        """Return the next message; None when the queue is empty and has ended."""
        while not self._messages:
            if self._has_ended:
                return None
            self._filled.clear()
            await self._filled.wait()
        message = self._messages.popleft()
        self.size -= len(message)
        # Half, not the limit itself: otherwise the producer and the consumer would take turns for each message.
        if self.size <= self._high_water // 2:
            self._has_room.set()
        return message

    def end(self) -> None:
        """End the queue; queued messages can still be consumed."""
        self._has_ended = True
        self._filled.set()
        self._has_room.set()

    def close(self) -> None:
        self._messages.clear()
        self.size = 0
        self.end()


class Inbox:
    """The messages of one channel, in order."""

    def __init__(self) -> None:
        # Why no more messages can be received, unless the channel was closed.
        self.failure = ""
        self.closed = False
        self._messages = MessageQueue(HIGH_WATER)

    async def put(self, message: bytes) -> None:
        await self._messages.wait_for_room()
        self._messages.add(message)

    async def next(self) -> bytes | None:
        """Return the next message, or None when the channel is closed; raise ConnectionFailed when it has failed."""
        message = await self._messages.next()
        if message is None and not self.closed:
            raise ConnectionFailed(self.failure)
        return message

    def check(self) -> None:
        """Raise ConnectionFailed when the channel is closed, or has failed."""
        if self.closed or self.failure:
            raise ConnectionFailed(self.failure or "The connection to the server is closed.")

    def fail(self, reason: str) -> None:
        """End the inbox with a reason; only the first reason counts."""
        self.failure = self.failure or reason
        self._messages.end()

    def close(self) -> None:
        self.closed = True
        self._messages.end()
