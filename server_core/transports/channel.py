"""The two shapes of a transport: what a session writes to, and what a client reads from and writes to."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from server_core.errors import ConnectionFailed
from server_core.protocol.jsonrpc import RequestId

MOST_UNREAD = 64 * 1024 * 1024
"""How many bytes may wait for a client that does not read; behind that it counts as gone."""


class SessionGone(ConnectionFailed):
    """The server no longer knows the session, but is there: `initialize` on the same channel begins another."""


class Outlet(Protocol):
    """Where a serving session puts its messages; the transport writes them, in batches where it can."""

    def send(self, message: bytes, related: RequestId | None, *, answer: bool = False) -> None:
        """Take one message for the other side; never waits.

        Args:
            message: one JSON-RPC message without a newline.
            related: the id of the client's request that the message belongs to: its answer, or what was sent
                while it ran. None for what belongs to no call. Transports with one stream ignore it.
            answer: the message is the answer to that request, and the last one that belongs to it.
        """

    @property
    def full(self) -> bool:
        """Whether the other side has to take something before more should be sent."""

    async def drain(self) -> None:
        """Wait until the other side has taken enough that more may be sent."""


@runtime_checkable
class PollingOutlet(Protocol):
    """An outlet for calls whose client need not hold a connection: it comes back for what they still send.

    Source: 2025-11-25, basic/transports, Streamable HTTP: the server may close the connection before the answer.
    """

    def close_stream(self, related: RequestId, retry_ms: int) -> None:
        """End the response of a call before its answer, if its client knows how to come back.

        Args:
            related: the id of the call.
            retry_ms: how long the client should wait before that, in milliseconds.
        """


@runtime_checkable
class LastMessagesOutlet(Protocol):
    """An outlet whose connection can be ended by the session, as a server does that ends."""

    def end(self) -> None:
        """Send what waits, then end the connection; never waits."""


class Channel(Protocol):
    """The connecting side's way to a server: whole messages, both ways."""

    async def send(self, message: bytes) -> None:
        """Send one message.

        Raises:
            ConnectionFailed: when the server is gone or does not take it.
            SessionGone: when it does not take it because the session has ended.
        """

    async def receive(self) -> bytes | None:
        """Return the next message, or None when the server has closed the connection.

        Raises:
            ConnectionFailed: when the connection broke and there is more to say about it than that.
        """

    async def close(self) -> None:
        """End the connection and free what it holds; safe to call twice."""


@runtime_checkable
class DescribesEnd(Protocol):
    """A channel to a server whose end can be described better than by that of the connection."""

    async def post_mortem(self) -> str:
        """Return how the server ended, in the first line, and below that what else is known of it."""
        ...


@runtime_checkable
class RepeatsArguments(Protocol):
    """A channel that repeats arguments outside of the message, and so cannot call tools that say wrongly which."""

    @property
    def refused_tools(self) -> Mapping[str, str]:
        """The listed tools that cannot be called, and why."""
        ...
