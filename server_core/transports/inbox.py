"""What has come from a server and was not yet taken, and why nothing comes any more."""

from server_core.errors import ConnectionFailed
from server_core.transports.message_queue import MessageQueue

HIGH_WATER = 4 * 1024 * 1024


class Inbox:
    """The messages of one channel, in order."""

    def __init__(self) -> None:
        self.failure = ""
        """Why nothing comes any more, when that is not because the channel was closed."""
        self.closed = False
        self._messages = MessageQueue(HIGH_WATER)

    async def put(self, message: bytes) -> None:
        """Take in a message, once enough of those before it were taken."""
        await self._messages.room()
        self._messages.add(message)

    async def next(self) -> bytes | None:
        """Return the next message, or None when the channel is closed.

        Raises:
            ConnectionFailed: when nothing comes any more, with the reason.
        """
        message = await self._messages.next()
        if message is None and not self.closed:
            raise ConnectionFailed(self.failure)
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
        self._messages.end()

    def close(self) -> None:
        """Wake who waits: the channel is closed."""
        self.closed = True
        self._messages.end()
