"""A queue of messages with a soft limit in bytes, for either direction.

Adding never blocks, but a producer can wait for room first; a consumer waits for the next message.
"""

import asyncio
from collections import deque


class MessageQueue:
    """Messages, in order.

    Args:
        high_water: how many bytes may be queued before the queue counts as full; once exceeded, there is room again
            when half of that is left.
    """

    def __init__(self, high_water: int) -> None:
        self.size = 0
        """How many bytes are queued."""
        self._high_water = high_water
        self._messages: deque[bytes] = deque()
        self._has_ended = False
        self._filled = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    @property
    def full(self) -> bool:
        """Whether messages have to be consumed before more should be added."""
        return not self._has_room.is_set()

    async def room(self) -> None:
        """Wait until more may be added."""
        await self._has_room.wait()

    def add(self, message: bytes) -> None:
        """Add a message."""
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
        if self.size <= self._high_water // 2:
            self._has_room.set()
        return message

    def end(self) -> None:
        """End the queue; queued messages can still be consumed."""
        self._has_ended = True
        self._filled.set()
        self._has_room.set()

    def close(self) -> None:
        """Drop the queued messages and end the queue."""
        self._messages.clear()
        self.size = 0
        self.end()
