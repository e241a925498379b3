"""MCP over WebSockets: each message is a text frame, each connection a session.

In terms of the specification this is a custom transport; the link between a core and its terminals uses it.
"""

from websockets.asyncio.client import ClientConnection, connect, unix_connect
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed, ConnectionClosedOK, InvalidHandshake, InvalidStatus, InvalidURI

from server_core.errors import ConnectionFailed
from server_core.protocol.framing import DEFAULT_LIMIT
from server_core.protocol.jsonrpc import RequestId
from server_core.runtime.background import spawn
from server_core.transports.channel import MAX_UNREAD
from server_core.transports.message_queue import MessageQueue
from server_core.transports.source import SessionSource

HIGH_WATER = 1024 * 1024
SESSION_ID = "Workbench-Session"
"""The header with the id that a terminal has chosen for its session."""


async def serve_websocket(
    source: SessionSource, connection: ServerConnection, *, peer_name: str = "", id: str = ""
) -> None:
    """Serve one session over an open WebSocket until the client closes it; the id is chosen if it is not given."""
    outlet = WebSocketOutlet(connection)
    session = source.open_session(outlet, "websocket", peer_name=peer_name, id=id)
    try:
        async for frame in connection:
            session.receive(frame.encode() if isinstance(frame, str) else frame)
            await outlet.drain()
            await session.wait_for_room()
    except ConnectionClosed:
        pass  # A client may disconnect without a closing handshake.
    finally:
        session.close()
        outlet.close()


class WebSocketOutlet:
    """Send a session's messages as text frames, in order, from one task."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._messages = MessageQueue(HIGH_WATER)
        self._sending = spawn(self._send_all(), "send to a websocket")

    def send(self, message: bytes, related: RequestId | None, *, is_response: bool = False) -> None:
        if self._messages.size > MAX_UNREAD:
            # Not `close`, whose closing handshake would wait behind the messages that the client does not read.
            self._connection.transport.abort()
        if not self._sending.done():
            self._messages.add(message)

    @property
    def full(self) -> bool:
        return self._messages.full

    async def drain(self) -> None:
        await self._messages.wait_for_room()

    def end(self) -> None:
        self._messages.end()

    def close(self) -> None:
        """Send nothing more."""
        self._sending.cancel()
        self._messages.close()

    async def _send_all(self) -> None:
        try:
            while (message := await self._messages.next()) is not None:
                await self._connection.send(message, text=True)
            await self._connection.close()
        except ConnectionClosed:
            pass  # The reading task gets this exception too, and ends the session.
        finally:
            self._messages.close()


class WebSocketChannel:
    """The client's end of a session over an open WebSocket."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    @classmethod
    async def connect(
        cls,
        url: str,
        *,
        unix_path: str | None = None,
        token: str | None = None,
        limit: int = DEFAULT_LIMIT,
        session_id: str = "",
    ) -> "WebSocketChannel":
        """Connect to a server, over a Unix socket if given; ConnectionFailed if it is not there, or refuses.

        A core gives the session this id, if there is one.
        """
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        if session_id:
            headers[SESSION_ID] = session_id
        target = unix_path or url
        try:
            if unix_path is None:
                connection = await connect(url, additional_headers=headers, max_size=limit, compression=None)
            else:
                connection = await unix_connect(
                    # No pings: a Unix socket reports a closed peer by itself, and a tool may block the core for long.
                    unix_path,
                    url,
                    additional_headers=headers,
                    max_size=limit,
                    compression=None,
                    ping_interval=None,
                )
        except InvalidStatus as error:
            raise ConnectionFailed(f"{target} answered {error.response.status_code} to the WebSocket.") from error
        except (OSError, InvalidHandshake, InvalidURI) as error:
            raise ConnectionFailed(f"Cannot connect to {target}: {error}.") from error
        return cls(connection)

    async def send(self, message: bytes) -> None:
        try:
            await self._connection.send(message, text=True)
        except ConnectionClosed as error:
            raise ConnectionFailed(f"The connection to the server is closed: {error}.") from error

    async def receive(self) -> bytes | None:
        """Return the next message, or None when the connection was closed with a closing handshake."""
        try:
            return await self._connection.recv(decode=False)
        except ConnectionClosedOK:
            return None
        except ConnectionClosed as error:
            raise ConnectionFailed(f"The connection to the server broke: {error}.") from error

    async def close(self) -> None:
        await self._connection.close()
