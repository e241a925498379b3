"""What has come from a server and was not yet taken: a queue of messages with a bound in bytes."""

import asyncio
from collections import deque

from server_core.errors import ConnectionFailed

HIGH_WATER = 4 * 1024 * 1024


class Inbox:
    """The messages of one channel, in order."""

    def __init__(self) -> None:
        self.failure = ""
        """Why nothing comes any more, when that is not because the channel was closed."""
        self.closed = False
        self._messages: deque[bytes] = deque()
        self._size = 0
        self._filled = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    async def put(self, message: bytes) -> None:
        """Take in a message, once enough of those before it were taken."""
        await self._has_room.wait()
        self._messages.append(message)
        self._size += len(message)
        if self._size > HIGH_WATER:
            self._has_room.clear()
        self._filled.set()

    async def next(self) -> bytes | None:
        """Return the next message, or None when the channel is closed.

        Raises:
            ConnectionFailed: when nothing comes any more, with the reason.
        """
        while not self._messages:
            if self.closed:
                return None
            if self.failure:
                raise ConnectionFailed(self.failure)
            self._filled.clear()
            await self._filled.wait()
        message = self._messages.popleft()
        self._size -= len(message)
        if self._size <= HIGH_WATER:
            self._has_room.set()
        return message

    def check(self) -> None:
        """Make sure that the channel is of use.

        Raises:
            ConnectionFailed: when it is closed, or has failed.
        """
        if self.closed or self.failure:
            raise ConnectionFailed(self.failure or "The connection to the server is closed.")

    def fail(self, reason: str) -> None:
        """Say why nothing comes any more; the first reason counts."""
        self.failure = self.failure or reason
        self._filled.set()

    def close(self) -> None:
        """Wake who waits: the channel is closed."""
        self.closed = True
        self._filled.set()
        self._has_room.set()
