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

# How long to wait before a stream is reopened, unless the server sends another value.
RETRY_MS = 1000
# The maximum pause between empty streams, in seconds; a stream that lasts longer resets the pauses.
MAX_PAUSE = 30.0
# How many connections in a row may fail before the server counts as unreachable.
MAX_ATTEMPTS = 5

# The statuses with which a server, or a proxy in front of it, refuses a request temporarily.
_TEMPORARY_STATUSES = frozenset({408, 425, 429, 502, 503, 504})


class GetStream:
    """Receives messages outside of calls; `headers` returns the headers to resume after a reader's last event."""

    def __init__(
        self,
        http: HttpRequests,
        headers: Callable[[EventReader], Mapping[str, str]],
        deliver: Callable[[bytes], Awaitable[None]],
    ) -> None:
        self._http = http
        self._headers = headers
        self._deliver = deliver
        self._reader = EventReader(http.limit)
        # How many streams in a row were short and empty.
        self._empty_streams = 0

    async def listen(self) -> str:
        """Listen until the server refuses the stream, or becomes unreachable; return why it is unreachable, if so."""
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
            await asyncio.sleep(max(reconnect_delay(self._reader), _empty_delay(self._empty_streams)))

    async def _listen_once(self) -> bool:
        """Open the stream and read it to its end; return False if it should not be reopened."""
        loop = asyncio.get_running_loop()
        started_at = loop.time()
        self._empty_streams += 1
        async with self._http.stream("GET", self._headers(self._reader)) as response:
            if response.status_code != 200:
                # 405: the server has no GET stream. 404: the session has expired, so the next request gets 404 as well.
                return response.status_code in _TEMPORARY_STATUSES
            async for event in self._http.events(response, self._reader):
                self._empty_streams = 0
                if event.kind == "message":
                    await self._deliver(event.data)
        if loop.time() - started_at > MAX_PAUSE:
            self._empty_streams = 0
        return True


def reconnect_delay(reader: EventReader) -> float:
    return (RETRY_MS if reader.retry is None else reader.retry) / 1000


def _empty_delay(empty_streams: int) -> float:
    # A server may request no pause at all; a single broken stream needs none either.
    return min(RETRY_MS / 1000 * 2 ** min(empty_streams - 2, 10), MAX_PAUSE) if empty_streams > 1 else 0.0
