"""A client and a session in the same event loop, joined by nothing but a queue."""

import asyncio
from collections import deque

from server_core.errors import ConnectionFailed
from server_core.protocol.jsonrpc import RequestId
from server_core.transports.channel import MOST_UNREAD
from server_core.transports.source import SessionSource

HIGH_WATER = 4 * 1024 * 1024


def memory_pair(source: SessionSource, *, transport: str = "memory", peer_name: str = "") -> "MemoryChannel":
    """Open a session and return the client's end of it.

    Args:
        source: who serves: a server, a relay, or the core around one.
        transport: the name that people are shown.
        peer_name: who the client is, as far as the caller knows.
    """
    return MemoryChannel(source, transport, peer_name)


class MemoryChannel:
    """The client's end; it is the session's outlet as well, since both are in one loop.

    Args:
        source: who serves.
        transport: the name that people are shown.
        peer_name: who the client is.
    """

    def __init__(self, source: SessionSource, transport: str, peer_name: str) -> None:
        self._outlet = _MemoryOutlet()
        self._session = source.open_session(self._outlet, transport, peer_name=peer_name)

    async def send(self, message: bytes) -> None:
        """Send one message, once the client has taken enough of what was sent to it, and the server of what it sent.

        Raises:
            ConnectionFailed: when the channel is closed.
        """
        await self._outlet.drain()
        await self._session.room()
        if self._outlet.closed:
            raise ConnectionFailed("The connection to the server is closed.")
        self._session.receive(message)

    async def receive(self) -> bytes | None:
        """Return the next message, or None when the channel is closed."""
        return await self._outlet.next()

    async def close(self) -> None:
        """End the session; safe to call twice."""
        self._session.close()
        self._outlet.close()


class _MemoryOutlet:
    """The queue of what the session has sent and the client has not yet taken."""

    def __init__(self) -> None:
        self.closed = False
        self._messages: deque[bytes] = deque()
        self._size = 0
        self._filled = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    def send(self, message: bytes, related: RequestId | None, *, answer: bool = False) -> None:
        if self._size > MOST_UNREAD:
            self.close()
        if self.closed:
            return
        self._messages.append(message)
        self._size += len(message)
        self._filled.set()
        if self._size > HIGH_WATER:
            self._has_room.clear()

    @property
    def full(self) -> bool:
        return not self._has_room.is_set()

    async def drain(self) -> None:
        await self._has_room.wait()

    async def next(self) -> bytes | None:
        while not self._messages:
            if self.closed:
                return None
            self._filled.clear()
            await self._filled.wait()
        message = self._messages.popleft()
        self._size -= len(message)
        if self._size <= HIGH_WATER // 2:
            self._has_room.set()
        return message

    def close(self) -> None:
        self.closed = True
        self._messages.clear()
        self._size = 0
        self._filled.set()
        self._has_room.set()
