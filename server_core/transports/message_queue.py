"""Messages that wait to be taken: a queue with a bound in bytes, whichever way they go.

Who adds never waits, and may ask for room before; who takes waits for the next.
"""

import asyncio
from collections import deque


class MessageQueue:
    """Messages, in order.

    Args:
        high_water: how many bytes may wait before more should be added; once more do, there is room again when half of
            that is left.
    """

    def __init__(self, high_water: int) -> None:
        self.size = 0
        """How many bytes wait."""
        self._high_water = high_water
        self._messages: deque[bytes] = deque()
        self._has_ended = False
        self._filled = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    @property
    def full(self) -> bool:
        """Whether some have to be taken before more should be added."""
        return not self._has_room.is_set()

    async def room(self) -> None:
        """Wait until more may be added."""
        await self._has_room.wait()

    def add(self, message: bytes) -> None:
        """Let a message wait."""
        self._messages.append(message)
        self.size += len(message)
        self._filled.set()
        if self.size > self._high_water:
            self._has_room.clear()

    async def next(self) -> bytes | None:
        """Return the next message; None when none is left, and no more comes."""
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
        """Say that no more comes; what waits can still be taken."""
        self._has_ended = True
        self._filled.set()
        self._has_room.set()

    def close(self) -> None:
        """Drop what waits, and say that no more comes."""
        self._messages.clear()
        self.size = 0
        self.end()
