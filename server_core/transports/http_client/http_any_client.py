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

# The statuses with which a URL refuses a POST that it does not support.
NO_POST_STATUSES = frozenset({400, 404, 405})


class AnyHttpChannel:
    """A connection to a server over either HTTP transport; the parameters are those of :class:`HttpRequests`."""

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
        return self._streamable.refused_tools

    async def send(self, message: bytes) -> None:
        try:
            await self._channel.send(message)
        except HttpRefused as refusal:
            if refusal.status not in NO_POST_STATUSES or not self._is_first_initialize(message):
                raise
            await self._fall_back(refusal)
            await self._channel.send(message)

    async def receive(self) -> bytes | None:
        while True:
            # The receiver may be waiting when the transport is changed: then it receives from the other channel.
            channel = self._channel
            message = await channel.receive()
            if message is not None or channel is self._channel:
                return message

    async def close(self) -> None:
        await self._channel.close()

    def _is_first_initialize(self, message: bytes) -> bool:
        parsed = jsonrpc.parse(message)
        return self._channel is self._streamable and isinstance(parsed, Request) and parsed.method == "initialize"

    async def _fall_back(self, refusal: HttpRefused) -> None:
        try:
            older_channel = await SseChannel.connect(
                self.url,
                self._headers,
                limit=self._limit,
                transport=self._transport,
                authorization=self._authorization,
            )
        except ConnectionFailed:
            # Neither transport is available: the error of the current transport is more useful.
            raise refusal from None
        self._channel = older_channel
        await self._streamable.close()
