"""The GET stream of a session over Streamable HTTP, on which a server sends messages that belong to no call.

It is reopened whenever it breaks: servers and proxies close idle streams. The pauses grow while the streams are short
and empty.

Specification: 2025-11-25, basic/transports, listening for messages from the server.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from server_core.errors import ConnectionFailed, MessageFailed
from server_core.protocol.sse import EventReader
from server_core.transports.http_client.http_requests import HttpRequests

RETRY_MS = 1000
"""How long to wait before a stream is reopened, unless the server sends another value."""
LONGEST_PAUSE = 30.0
"""The maximum pause between empty streams, in seconds; a stream that lasts longer resets the pauses."""
MAX_ATTEMPTS = 5
"""How many connections in a row may fail before the server counts as unreachable."""

_LATER = frozenset({408, 425, 429, 502, 503, 504})
"""The statuses with which a server, or a proxy in front of it, refuses a request temporarily."""


class GetStream:
    """Receives the messages that a server sends outside of calls.

    Args:
        http: sends the requests.
        headers: returns the headers of a request that resumes the stream from a position.
        deliver: called with each message.
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
        """How many streams in a row were short and empty."""

    async def listen(self) -> str:
        """Listen until the server refuses the stream, or becomes unreachable.

        Returns:
            Why the server is unreachable; empty if it does not have such a stream.
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
                if unreachable == MAX_ATTEMPTS:
                    return str(error)
            await asyncio.sleep(max(pause(self._place), _growing(self._in_vain)))

    async def _listen_once(self) -> bool:
        """Open the stream and read it to its end; return False if it should not be reopened."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        self._in_vain += 1
        async with self._http.stream("GET", self._headers(self._place)) as response:
            if response.status_code != 200:
                # 405: the server has no GET stream. 404: the session has expired, so the next request gets 404 as well.
                return response.status_code in _LATER
            async for event in self._http.events(response, self._place):
                self._in_vain = 0
                if event.kind == "message":
                    await self._deliver(event.data)
        if loop.time() - began > LONGEST_PAUSE:
            self._in_vain = 0
        return True


def pause(place: EventReader) -> float:
    """Return how many seconds to wait before a stream is reopened."""
    return (RETRY_MS if place.retry is None else place.retry) / 1000


def _growing(in_vain: int) -> float:
    # A server may request no pause at all; a single broken stream needs none either.
    return min(RETRY_MS / 1000 * 2 ** min(in_vain - 2, 10), LONGEST_PAUSE) if in_vain > 1 else 0.0
