"""The connection of a relayed session to the other server: whole messages, whatever they contain."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from server_core.errors import ConfigurationError, ConnectionFailed, MessageFailed
from server_core.protocol.jsonrpc import RequestId
from server_core.runtime.background import spawn
from server_core.transports.channel import Channel, PostMortemChannel
from server_core.transports.child import ChildChannel

Dial = Callable[[], Awaitable[Channel]]

MAX_SENDING = 1000
"""How many messages to the other server may wait before the client has to wait as well."""


class ConnectionUser(Protocol):
    """Who uses a connection to another server."""

    def receive_from_server(self, data: bytes) -> None:
        """Handle a message."""

    async def drain(self) -> None:
        """Wait until there is room for the next message."""

    def record_stderr(self, line: bytes) -> None:
        """Record a line that a child process wrote to its standard error."""

    def send_failed(self, request_id: RequestId | None, reason: str) -> None:
        """Handle a message, perhaps a request, that the other server has not received."""

    def lost(self, post_mortem: str) -> None:
        """Handle the end of the connection, for this reason; called more than once if several tasks notice it."""


class RelayConnection:
    """A connection of a user, with a name for its tasks; messages are sent in the order of the calls."""

    def __init__(self, user: ConnectionUser, name: str) -> None:
        self._user = user
        self._name = name
        self._is_closing_channel = False
        self._channel: asyncio.Future[Channel] = asyncio.get_running_loop().create_future()
        self._sending: set[asyncio.Task[None]] = set()
        self._relaying: asyncio.Task[None]

    def open(self, dial: Dial) -> None:
        """Make the connection in the background, and read it."""
        self._relaying = spawn(self._relay(dial), f"{self._name} relay")

    @property
    def full(self) -> bool:
        return len(self._sending) >= MAX_SENDING

    async def wait_for_room(self) -> None:
        while self.full:
            await asyncio.wait(self._sending, return_when=asyncio.FIRST_COMPLETED)

    def send(self, data: bytes, request_id: RequestId | None = None) -> None:
        """Send a message, with its id if it is a request; never waits."""
        # Tasks start in the order of their creation, and a channel sends in the order of the calls.
        sending = spawn(self._send(data, request_id), f"{self._name} to the server")
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)

    def stop_sending(self) -> None:
        """Drop the messages that wait."""
        for sending in list(self._sending):
            # It may be a send that has just found the connection lost; it still has to report that.
            if sending is not asyncio.current_task():
                sending.cancel()

    def close(self) -> None:
        """Close the connection, unless it is being closed."""
        if not self._is_closing_channel:
            self._relaying.cancel()
        self.stop_sending()

    async def wait_closed(self) -> None:
        await asyncio.wait([self._relaying])

    async def _send(self, data: bytes, request_id: RequestId | None) -> None:
        try:
            # Shielded, since the future is shared: the cancellation of one message must not cancel it for the others.
            await (await asyncio.shield(self._channel)).send(data)
        except MessageFailed as error:
            self._user.send_failed(request_id, str(error))
        except ConnectionFailed as error:
            channel = self._channel.result() if self._channel.done() else None
            self._user.lost(await _post_mortem(channel, str(error)))

    async def _relay(self, dial: Dial) -> None:
        channel: Channel | None = None
        try:
            channel = await dial()
            if isinstance(channel, ChildChannel):
                channel.set_stderr_listener(self._user.record_stderr)
            self._channel.set_result(channel)
            while (data := await channel.receive()) is not None:
                self._user.receive_from_server(data)
                await self._user.drain()
            self._user.lost(await _post_mortem(channel, "It has closed the connection."))
        except (ConnectionFailed, ConfigurationError) as error:
            self._user.lost(await _post_mortem(channel, str(error)))
        finally:
            # From here on, closing the session must not cancel the shutdown of the other server.
            self._is_closing_channel = True
            if channel is not None:
                await channel.close()


async def _post_mortem(channel: Channel | None, reason: str) -> str:
    """Return why the connection was lost: the exit of a child process explains more than its closed pipe."""
    return await channel.post_mortem() if isinstance(channel, PostMortemChannel) else reason
