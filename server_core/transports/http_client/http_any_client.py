"""The client's end of a server at an address, whichever HTTP transport it speaks: Streamable HTTP, or HTTP+SSE.

Which it is shows when the session begins: a server of the older transport refuses to have `initialize` posted to it.

Source: 2025-11-25, basic/transports, backwards compatibility.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from server_core.errors import ConnectionFailed
from server_core.oauth.authorization import Authorization
from server_core.protocol import jsonrpc
from server_core.protocol.framing import DEFAULT_LIMIT
from server_core.protocol.jsonrpc import Request
from server_core.transports.http_client.http_client import HttpChannel
from server_core.transports.http_client.http_requests import HttpRefused
from server_core.transports.http_client.http_sse_client import SseChannel

if TYPE_CHECKING:
    import httpx

POSTS_NOTHING = frozenset({400, 404, 405})
"""The statuses with which an address refuses a POST that it knows nothing of."""


class AnyHttpChannel:
    """The way to a server over HTTP.

    Args:
        url: the address of the server.
        headers: sent with every request, such as `Authorization`.
        limit: how long a message may be, in bytes.
        transport: carries the requests; the network when not given.
        authorization: gives each request what shows that it may be sent, and is asked when the server refuses one.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        *,
        limit: int = DEFAULT_LIMIT,
        transport: "httpx.AsyncBaseTransport | None" = None,
        authorization: Authorization | None = None,
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
        """Send one message; the first over Streamable HTTP, and over what came before it when that is refused.

        Raises:
            ConnectionFailed: when the server cannot be reached or refuses the message.
            SessionGone: when the server no longer knows the session.
        """
        try:
            await self._channel.send(message)
        except HttpRefused as refusal:
            if refusal.status not in POSTS_NOTHING or not self._begins(message):
                raise
            await self._turn_to_events(refusal)
            await self._channel.send(message)

    async def receive(self) -> bytes | None:
        """Return the next message, or None when the channel is closed.

        Raises:
            ConnectionFailed: when the server ended the session, or is gone.
        """
        while True:
            channel = self._channel
            message = await channel.receive()
            if message is not None or channel is self._channel:
                return message

    async def close(self) -> None:
        """End the session and free what it holds; safe to call twice."""
        await self._channel.close()

    def _begins(self, message: bytes) -> bool:
        parsed = jsonrpc.parse(message)
        return self._channel is self._streamable and isinstance(parsed, Request) and parsed.method == "initialize"

    async def _turn_to_events(self, refusal: HttpRefused) -> None:
        try:
            older = await SseChannel.connect(
                self.url,
                self._headers,
                limit=self._limit,
                transport=self._transport,
                authorization=self._authorization,
            )
        except ConnectionFailed:
            # Neither is there: what was wrong with the transport of today is of more use.
            raise refusal from None
        self._channel = older
        await self._streamable.close()
