"""The interfaces of a transport: the outlet that a session writes to, and the channel of a client."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from server_core.errors import ConnectionFailed
from server_core.protocol.jsonrpc import RequestId

# How many bytes may be buffered for a client that does not read; beyond that it counts as disconnected.
MAX_UNREAD = 64 * 1024 * 1024


class SessionGone(ConnectionFailed):
    """The session has expired, but the server is reachable: `initialize` on the same channel begins another."""


class Outlet(Protocol):
    """The outgoing side of a serving session; the transport writes the messages, in batches if possible."""

    def send(self, message: bytes, related: RequestId | None, *, is_response: bool = False) -> None:
        """Send a message to the other side; never blocks.

        Args:
            message: one JSON-RPC message without a newline.
            related: the id of the client's request that the message belongs to: its response, or a message that was
                sent while it ran. None if it belongs to no call. Transports with a single stream ignore it.
            is_response: the message is the response to that request, and the last message that belongs to it.
        """

    @property
    def full(self) -> bool:
        """Whether the other side has to read before more should be sent."""

    async def drain(self) -> None:
        """Wait until the other side has read enough that more may be sent."""


@runtime_checkable
class PollingOutlet(Protocol):
    """An outlet for calls whose client need not hold a connection: it reconnects for the remaining messages.

    Source: 2025-11-25, basic/transports, Streamable HTTP: the server may close the connection before the response.
    """

    def close_stream(self, related: RequestId, retry_ms: int) -> None:
        """End the HTTP response of a call before its result, if its client can reconnect after `retry_ms`."""


@runtime_checkable
class LastMessagesOutlet(Protocol):
    """An outlet whose connection can be closed by the session, when the server ends."""

    def end(self) -> None:
        """Close the connection once all buffered messages are sent; never blocks."""


class Channel(Protocol):
    """A client's connection to a server: whole messages, in both directions."""

    async def send(self, message: bytes) -> None:
        """Send one message; ConnectionFailed when it is refused, SessionGone when because the session has ended."""

    async def receive(self) -> bytes | None:
        """Return the next message, None at the end; ConnectionFailed when the connection broke for a known reason."""

    async def close(self) -> None:
        """Close the connection and free its resources; safe to call twice."""


@runtime_checkable
class PostMortemChannel(Protocol):
    """A channel that can describe the end of its server in more detail than the end of the connection."""

    async def post_mortem(self) -> str:
        """Return a description of how the server ended, in the first line, followed by lines with details."""
        ...


@runtime_checkable
class HeaderRepeatingChannel(Protocol):
    """A channel that repeats arguments outside of the message, and so cannot call tools with invalid annotations."""

    @property
    def refused_tools(self) -> Mapping[str, str]:
        """The listed tools that cannot be called, and why."""
        ...
