"""The GET stream of a session over Streamable HTTP, on which a server sends what belongs to no call.

It is taken up again whenever it breaks: servers and proxies close streams on which nothing happens. The pauses grow
while the streams are short and bring nothing.

Specification: 2025-11-25, basic/transports, listening for messages from the server.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from server_core.errors import ConnectionFailed, MessageFailed
from server_core.protocol.sse import EventReader
from server_core.transports.http_client.http_requests import HttpRequests

RETRY_MS = 1000
"""How long to wait before a stream is taken up again, unless the server says otherwise."""
LONGEST_PAUSE = 30.0
"""Seconds to which the pauses between streams that bring nothing grow; a longer stream was not in vain."""
MOST_ATTEMPTS = 5
"""How many connections in a row may be refused until the server counts as gone."""

_LATER = frozenset({408, 425, 429, 502, 503, 504})
"""The statuses with which a server, or a proxy before it, refuses a request for the time being."""


class GetStream:
    """Listens for what a server sends by itself.

    Args:
        http: sends the requests.
        headers: returns those of a request that goes on from a place.
        deliver: takes each message.
    """

    def __init__(
        self,
        http: HttpRequests,
        headers: Callable[[EventReader], Mapping[str, str]],
        deliver: Callable[[bytes], Awaitable[None]],
    ) -> None:
        self._http = http
        self._headers = headers
        self._deliver = deliver
        self._place = EventReader(http.limit)
        self._in_vain = 0
        """How many streams in a row were short and brought nothing."""

    async def listen(self) -> str:
        """Listen until the server has no such stream, or cannot be reached any more.

        Returns:
            Why it cannot be reached; empty where it has no such stream.
        """
        unreachable = 0
        while True:
            try:
                if not await self._listen_once():
                    return ""
                unreachable = 0
            except MessageFailed:
                unreachable = 0
            except ConnectionFailed as error:
                unreachable += 1
                if unreachable == MOST_ATTEMPTS:
                    return str(error)
            await asyncio.sleep(max(pause(self._place), _growing(self._in_vain)))

    async def _listen_once(self) -> bool:
        """Open the stream and read it to its end; False where another is of no use."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        self._in_vain += 1
        async with self._http.stream("GET", self._headers(self._place)) as response:
            if response.status_code != 200:
                # 405: it has nothing to say but answers. 404: what is sent next gets it as well.
                return response.status_code in _LATER
            async for event in self._http.events(response, self._place):
                self._in_vain = 0
                if event.kind == "message":
                    await self._deliver(event.data)
        if loop.time() - began > LONGEST_PAUSE:
            self._in_vain = 0
        return True


def pause(place: EventReader) -> float:
    """Return how many seconds to wait before a stream is taken up again."""
    return (RETRY_MS if place.retry is None else place.retry) / 1000


def _growing(in_vain: int) -> float:
    # A server may ask for no pause at all; a stream that broke once is no reason for one either.
    return min(RETRY_MS / 1000 * 2 ** min(in_vain - 2, 10), LONGEST_PAUSE) if in_vain > 1 else 0.0
