"""A client of a server with either HTTP transport: Streamable HTTP or HTTP+SSE.

The transport is detected at the beginning of the session: a server with the older transport refuses a POST of
`initialize`.

Source: 2025-11-25, basic/transports, backwards compatibility.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from server_core.errors import ConnectionFailed
from server_core.oauth.authorization import TransportAuthorization
from server_core.protocol import jsonrpc
from server_core.protocol.framing import DEFAULT_LIMIT
from server_core.protocol.jsonrpc import Request
from server_core.transports.http_client.http_client import HttpChannel
from server_core.transports.http_client.http_requests import HttpRefused
from server_core.transports.http_client.http_sse_client import SseChannel

if TYPE_CHECKING:
    import httpx

POSTS_NOTHING = frozenset({400, 404, 405})
"""The statuses with which a URL refuses a POST that it does not support."""


class AnyHttpChannel:
    """A connection to a server over HTTP.

    Args:
        url: the URL of the server.
        headers: sent with every request, such as `TransportAuthorization`.
        limit: the maximum length of a message, in bytes.
        transport: sends the requests; over the network when not given.
        authorization: adds credentials to each request, and handles the challenges of the server.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        *,
        limit: int = DEFAULT_LIMIT,
        transport: "httpx.AsyncBaseTransport | None" = None,
        authorization: TransportAuthorization | None = None,
    ) -> None:
        self.url = url
        self._headers = headers
        self._limit = limit
        self._transport = transport
        self._authorization = authorization
        self._streamable = HttpChannel(url, headers, limit=limit, transport=transport, authorization=authorization)
        self._channel: HttpChannel | SseChannel = self._streamable

    @property
    def refused_tools(self) -> Mapping[str, str]:
        """The listed tools that cannot be called over HTTP, and why."""
        return self._streamable.refused_tools

    async def send(self, message: bytes) -> None:
        """Send one message; the first over Streamable HTTP, and over HTTP+SSE if that is refused.

        Raises:
            ConnectionFailed: when the server is unreachable or refuses the message.
            SessionGone: when the session has expired.
        """
        try:
            await self._channel.send(message)
        except HttpRefused as refusal:
            if refusal.status not in POSTS_NOTHING or not self._begins(message):
                raise
            await self._fall_back(refusal)
            await self._channel.send(message)

    async def receive(self) -> bytes | None:
        """Return the next message, or None when the channel is closed.

        Raises:
            ConnectionFailed: when the server ended the session, or is unreachable.
        """
        while True:
            channel = self._channel
            message = await channel.receive()
            if message is not None or channel is self._channel:
                return message

    async def close(self) -> None:
        """Close the session and free its resources; safe to call twice."""
        await self._channel.close()

    def _begins(self, message: bytes) -> bool:
        parsed = jsonrpc.parse(message)
        return self._channel is self._streamable and isinstance(parsed, Request) and parsed.method == "initialize"

    async def _fall_back(self, refusal: HttpRefused) -> None:
        try:
            older = await SseChannel.connect(
                self.url,
                self._headers,
                limit=self._limit,
                transport=self._transport,
                authorization=self._authorization,
            )
        except ConnectionFailed:
            # Neither transport is available: the error of the current transport is more useful.
            raise refusal from None
        self._channel = older
        await self._streamable.close()
