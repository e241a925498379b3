"""Messages received from a server, and the reason when no more can be received."""

from server_core.errors import ConnectionFailed
from server_core.transports.message_queue import MessageQueue

HIGH_WATER = 4 * 1024 * 1024


class Inbox:
    """The messages of one channel, in order."""

    def __init__(self) -> None:
        self.failure = ""
        """Why no more messages can be received, unless the channel was closed."""
        self.closed = False
        self._messages = MessageQueue(HIGH_WATER)

    async def put(self, message: bytes) -> None:
        """Add a message, once there is room for it."""
        await self._messages.room()
        self._messages.add(message)

    async def next(self) -> bytes | None:
        """Return the next message, or None when the channel is closed.

        Raises:
            ConnectionFailed: when no more messages can be received, with the reason.
        """
        message = await self._messages.next()
        if message is None and not self.closed:
            raise ConnectionFailed(self.failure)
        return message

    def check(self) -> None:
        """Check that the channel is usable.

        Raises:
            ConnectionFailed: when it is closed, or has failed.
        """
        if self.closed or self.failure:
            raise ConnectionFailed(self.failure or "The connection to the server is closed.")

    def fail(self, reason: str) -> None:
        """Set the reason why no more messages can be received; only the first reason counts."""
        self.failure = self.failure or reason
        self._messages.end()

    def close(self) -> None:
        """Mark the channel as closed, and wake the receiver."""
        self.closed = True
        self._messages.end()
