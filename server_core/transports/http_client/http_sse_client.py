"""A client of the first HTTP transport of the protocol, HTTP+SSE, which older servers still use.

A GET stream sends the URL to which messages are posted, and then all messages of the server. This package has no server
for it; the client is for servers that support nothing else.

Specification: 2024-11-05, basic/transports, HTTP with SSE.
"""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from server_core.errors import ConnectionFailed
from server_core.oauth.authorization import TransportAuthorization
from server_core.protocol.framing import DEFAULT_LIMIT
from server_core.protocol.sse import EventReader
from server_core.runtime.background import spawn
from server_core.transports.http_client.http_requests import REFUSAL_LIMIT, HttpRequests
from server_core.transports.message_queue import Inbox
from server_core.transports.streamable.checks import EVENTS, JSON

if TYPE_CHECKING:
    import httpx

# How long a server may take to send the URL to which messages are posted.
ENDPOINT_SECONDS = 10.0


class SseChannel:
    """A connection to a server over HTTP+SSE; created by :meth:`connect`, and the owner of its requests."""

    def __init__(self, http: HttpRequests) -> None:
        self._http = http
        self._inbox = Inbox()
        self._endpoint: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._listener = spawn(self._listen(), "http+sse listen")

    @classmethod
    async def connect(
        cls,
        url: str,
        headers: Mapping[str, str] | None = None,
        *,
        limit: int = DEFAULT_LIMIT,
        transport: "httpx.AsyncBaseTransport | None" = None,
        authorization: TransportAuthorization | None = None,
    ) -> "SseChannel":
        """Open the stream of a server, and wait for the URL to which messages are posted."""
        http = HttpRequests(url, headers, limit=limit, transport=transport, authorization=authorization)
        channel = cls(http)
        try:
            async with asyncio.timeout(ENDPOINT_SECONDS):
                await asyncio.shield(channel._endpoint)
        except TimeoutError:
            await channel.close()
            raise ConnectionFailed(f"{url} did not send its endpoint within {ENDPOINT_SECONDS:g} seconds.") from None
        except BaseException:
            await channel.close()
            raise
        return channel

    async def send(self, message: bytes) -> None:
        self._inbox.check()
        headers = {"Accept": JSON, "Content-Type": JSON}
        async with self._http.stream("POST", headers, message, url=self._endpoint.result()) as response:
            if response.status_code >= 400:
                text = await self._http.body(response, REFUSAL_LIMIT)
                raise self._http.refusal_of(response, text.decode("utf-8", "replace"))

    async def receive(self) -> bytes | None:
        return await self._inbox.next()

    async def close(self) -> None:
        self._inbox.close()
        self._listener.cancel()
        self._endpoint.cancel()
        await asyncio.wait([self._listener])
        await self._http.close()

    async def _listen(self) -> None:
        try:
            await self._read_stream()
            reason = f"{self._http.url} closed its event stream."
        except ConnectionFailed as error:
            reason = str(error)
        if not self._endpoint.done():
            self._endpoint.set_exception(ConnectionFailed(reason))
        self._inbox.fail(reason)

    async def _read_stream(self) -> None:
        async with self._http.stream("GET", {"Accept": EVENTS}) as response:
            kind: str = response.headers.get("content-type", "")
            if response.status_code != 200 or kind.partition(";")[0].strip().lower() != EVENTS:
                text = await self._http.body(response, REFUSAL_LIMIT)
                raise self._http.refusal_of(response, text.decode("utf-8", "replace"))
            async with aclosing(self._http.events(response, EventReader(self._http.limit))) as events:
                async for event in events:
                    if event.kind == "endpoint" and not self._endpoint.done():
                        self._endpoint.set_result(self._post_url(event.data.decode("utf-8", "replace")))
                    elif event.kind == "message":
                        await self._inbox.put(event.data)

    def _post_url(self, endpoint: str) -> str:
        # Requests may contain credentials, so they must only be sent to the configured server.
        url = urljoin(self._http.url, endpoint)
        if _origin(url) != _origin(self._http.url):
            raise ConnectionFailed(f"{self._http.url} sent an endpoint on another server, {url!r}.")
        return url


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme.lower(), parts.netloc.lower()
