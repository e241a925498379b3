"""A client and a session in the same event loop, connected by a queue."""

from server_core.errors import ConnectionFailed
from server_core.protocol.jsonrpc import RequestId
from server_core.transports.channel import MAX_UNREAD
from server_core.transports.message_queue import MessageQueue
from server_core.transports.source import SessionSource

HIGH_WATER = 4 * 1024 * 1024


class MemoryChannel:
    """The client's end of a session in the same event loop; `transport` and `peer_name` are for display."""

    def __init__(self, source: SessionSource, *, transport: str = "memory", peer_name: str = "", id: str = "") -> None:
        self._outlet = _MemoryOutlet()
        self._session = source.open_session(self._outlet, transport, peer_name=peer_name, id=id)

    async def send(self, message: bytes) -> None:
        await self._outlet.drain()
        await self._session.wait_for_room()
        if self._outlet.closed:
            raise ConnectionFailed("The connection to the server is closed.")
        self._session.receive(message)

    async def receive(self) -> bytes | None:
        return await self._outlet.next()

    async def close(self) -> None:
        self._session.close()
        self._outlet.close()


class _MemoryOutlet:
    """The messages that the session has sent and the client has not yet received."""

    def __init__(self) -> None:
        self.closed = False
        self._messages = MessageQueue(HIGH_WATER)

    def send(self, message: bytes, related: RequestId | None, *, is_response: bool = False) -> None:
        if self._messages.size > MAX_UNREAD:
            self.close()
        if not self.closed:
            self._messages.add(message)

    @property
    def full(self) -> bool:
        return self._messages.full

    async def drain(self) -> None:
        await self._messages.wait_for_room()

    async def next(self) -> bytes | None:
        return await self._messages.next()

    def end(self) -> None:
        self.closed = True
        self._messages.end()

    def close(self) -> None:
        self.closed = True
        self._messages.close()
