"""A client and a session in the same event loop, connected by a queue."""

from server_core.errors import ConnectionFailed
from server_core.protocol.jsonrpc import RequestId
from server_core.transports.channel import MAX_UNREAD
from server_core.transports.message_queue import MessageQueue
from server_core.transports.source import SessionSource

HIGH_WATER = 4 * 1024 * 1024


def memory_pair(source: SessionSource, *, transport: str = "memory", peer_name: str = "") -> "MemoryChannel":
    """Open a session and return the client's end of it.

    Args:
        source: serves the session: a server, a relay, or the core around one of them.
        transport: the name of the transport, for display.
        peer_name: a description of the client, for display.
    """
    return MemoryChannel(source, transport, peer_name)


class MemoryChannel:
    """The client's end of a session in the same event loop.

    Args:
        source: serves the session.
        transport: the name of the transport, for display.
        peer_name: a description of the client, for display.
    """

    def __init__(self, source: SessionSource, transport: str, peer_name: str) -> None:
        self._outlet = _MemoryOutlet()
        self._session = source.open_session(self._outlet, transport, peer_name=peer_name)

    async def send(self, message: bytes) -> None:
        """Send one message, once client and server have both read enough of their received messages.

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
        """Close the session; safe to call twice."""
        self._session.close()
        self._outlet.close()


class _MemoryOutlet:
    """The messages that the session has sent and the client has not yet received."""

    def __init__(self) -> None:
        self.closed = False
        self._messages = MessageQueue(HIGH_WATER)

    def send(self, message: bytes, related: RequestId | None, *, answer: bool = False) -> None:
        if self._messages.size > MAX_UNREAD:
            self.close()
        if not self.closed:
            self._messages.add(message)

    @property
    def full(self) -> bool:
        return self._messages.full

    async def drain(self) -> None:
        await self._messages.room()

    async def next(self) -> bytes | None:
        return await self._messages.next()

    def end(self) -> None:
        self.closed = True
        self._messages.end()

    def close(self) -> None:
        self.closed = True
        self._messages.close()
