"""The connections of our own HTTP server: uvicorn's protocol, with limits on slow and idle clients.

Rule 1: the head of a request, and the rest of a refused request, have a time limit; so has a client that does not read.
None of this needs a timer for each request: one task checks all connections.
Rule 2: there are never more connections than the process can have; those without a request are closed first.
Rule 3: the head of a response and the first piece of its body are written together.
Rule 4: the bytes after the head of a request are its body: trailers are not added to its headers, and the body is never
interpreted as another protocol, or as a request.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable
from typing import Any

import httptools

# uvicorn documents no interface for subclasses of its protocol. When it is updated, the tests of slow clients, of
# request heads and of upgrades show whether what is overridden here still has its meaning.
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from server_core.runtime.background import spawn
from server_core.transports.streamable.http_exchange import REQUEST_TARGET

# Seconds for the head of a request, and for the rest of a request that has been answered already.
HEAD_LIMIT = 10.0
# Seconds for which a client may read nothing of a response.
STALL_LIMIT = 60.0
# The maximum length of the head of a request, in bytes; also of trailers and chunk extensions in a row.
MAX_HEAD = 64 * 1024
CHECK_INTERVAL = 1.0

# Descriptors for everything but connections: files, pipes, other sockets.
_RESERVED_FILES = 128
_WANTED_FILES = 16_384

_HEAD_TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class JoiningTransport(asyncio.Transport):
    """A transport that delays the head of a response until the first piece of its body is written."""

    def __init__(self, transport: asyncio.Transport) -> None:
        super().__init__()
        self._transport = transport
        self._head = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        # uvicorn writes a head and a body separately, and each write is a packet. A head is recognised by its status
        # line and its empty last line; an interim response (100 Continue) has no body, and must not be delayed.
        if self._head:
            data, self._head = self._head + data, b""
        elif bytes(data[:9]) == b"HTTP/1.1 " and data[9:12] != b"100" and data[-4:] == b"\r\n\r\n":
            self._head = bytes(data)
            return
        self._transport.write(data)

    def flush(self) -> None:
        """Write a delayed head without a body."""
        if self._head:
            self.write(b"")

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def abort(self) -> None:
        self._transport.abort()

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default)

    def get_write_buffer_size(self) -> int:
        return self._transport.get_write_buffer_size()

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()


class Connection(HttpToolsProtocol):
    transport: JoiningTransport
    # The maximum number of connections; set on the class.
    max_connections: int

    # When an incomplete part of a request was begun: its head, or the rest of a refused request.
    incomplete_since: float | None
    _unsent = 0
    _stalled_since: float | None = None
    _is_request_complete = True
    _asks_for_upgrade = False
    _head_size = 0
    _idle_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        # With the transport replaced before uvicorn stores it.
        super().connection_made(JoiningTransport(transport))
        self.incomplete_since = self.loop.time()
        if len(self.connections) > self.max_connections:
            _close_slowest(self.connections)  # type: ignore[arg-type]

    def data_received(self, data: bytes) -> None:
        self._head_size += len(data)
        self._idle_since = None
        while data:
            data = self._parse(data)
        if self._head_size <= MAX_HEAD:
            return
        if self._is_request_complete and self.incomplete_since is not None:
            self.transport.write(_HEAD_TOO_LONG)
            self.transport.close()
        elif not self._is_request_complete:
            # Trailers, or extensions of a chunk, which the parser buffers until they end.
            self.transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.incomplete_since = self.loop.time()

    def on_header(self, name: bytes, value: bytes) -> None:
        # The parser also reports trailers here, which must not be merged into the headers (RFC 9110 section 6.5.1).
        if self._is_request_complete:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade():
            # The parser raises HttpParserUpgrade after this callback; `_parse` then parses the request once more.
            self._asks_for_upgrade = True
            return
        self.incomplete_since, self._head_size, self._is_request_complete = None, 0, False
        # uvicorn decodes the target; checks need it as it was sent.
        self.scope["extensions"] = {REQUEST_TARGET: {"target": self.url}}
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        # What was received so far was not an endless head, so counting begins again.
        self._head_size = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._asks_for_upgrade:
            return
        self.incomplete_since, self._head_size, self._is_request_complete = None, 0, True
        super().on_message_complete()

    def _parse(self, data: bytes) -> bytes:
        """Parse received data, and return the data to parse after that."""
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            if self.parser.get_method() != b"CONNECT":
                return self._without_upgrade(data[upgrade.args[0] :])
            self.send_400_response("Bad request: this server is not a proxy.")
        except httptools.HttpParserError:
            self.send_400_response("Invalid HTTP request received.")
        return b""

    def _without_upgrade(self, rest: bytes) -> bytes:
        """Return a request for a protocol upgrade without the upgrade. Source: RFC 9110 section 7.8.

        The parser stopped after its head, assuming that the bytes after it, `rest`, belong to the other protocol.
        """
        line = b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, self.parser.get_http_version().encode())
        headers = [b"%s: %s" % header for header in self.headers if header[0] != b"upgrade"]
        self._asks_for_upgrade = False
        self.parser = httptools.HttpRequestParser(self)
        # As uvicorn configures its parser: data after a request that closes the connection is not an error.
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        return b"\r\n".join([line, *headers, b"", rest])

    def on_response_complete(self) -> None:
        self.transport.flush()
        if not self._is_request_complete:
            self.incomplete_since = self.loop.time()
        if self.pipeline or self.transport.is_closing():
            super().on_response_complete()
            return
        # What uvicorn does here, but without its keep-alive timer.
        self.server_state.total_requests += 1
        self.flow.resume_reading()
        self._idle_since = self.loop.time()

    def check(self, now: float) -> None:
        """Close the connection if its client is too slow, does not read, or has been idle for too long."""
        # A client that reads slowly is not stalled: the buffer only has to shrink between two checks.
        unsent = self.transport.get_write_buffer_size()
        if not unsent or unsent < self._unsent:
            self._stalled_since = None
        elif self._stalled_since is None:
            self._stalled_since = now
        self._unsent = unsent
        limits = ((self.incomplete_since, HEAD_LIMIT), (self._stalled_since, STALL_LIMIT))
        if any(since is not None and now - since > limit for since, limit in limits):
            self.transport.abort()
        elif self._idle_since is not None and now - self._idle_since > self.timeout_keep_alive:
            self.transport.close()


@contextlib.asynccontextmanager
async def watch_connections(connections: Iterable[Connection]) -> AsyncIterator[None]:
    """Check the connections of a live set periodically while this context is entered."""
    watching = spawn(_watch(connections), "watch connections")
    try:
        yield
    finally:
        watching.cancel()


def connection_class(max_connections: int | None = None) -> type[Connection]:
    """Return the class of the connections of one server; by default it allows as many as the process can have."""
    return type(
        "Connection",
        (Connection,),
        {"max_connections": _most_connections() if max_connections is None else max_connections},
    )


async def _watch(connections: Iterable[Connection]) -> None:
    loop = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(CHECK_INTERVAL)
        for connection in list(connections):
            connection.check(loop.time())


def _close_slowest(connections: Iterable[Connection]) -> None:
    """Close the connection with the oldest incomplete request; this includes the newest, which has not sent any."""
    # The id decides between equal times: connections cannot be compared.
    slow = [
        (connection.incomplete_since, id(connection), connection)
        for connection in connections
        if connection.incomplete_since is not None
    ]
    min(slow)[2].transport.abort()


def _most_connections() -> int:
    """Return how many connections the process can have, after raising its limit on open files as far as possible."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(_WANTED_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    max_connections = _WANTED_FILES if soft == resource.RLIM_INFINITY else soft
    return max_connections - min(_RESERVED_FILES, max_connections // 2)
