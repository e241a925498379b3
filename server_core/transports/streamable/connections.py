"""The connections of our own HTTP server: uvicorn's protocol, with bounds on what a client may owe us.

Rule 1: a client has so much time for the head of a request, and for the rest of one that was refused; what it does not
read is not kept for ever. Nothing of this costs a timer for each request: one task looks at all connections.
Rule 2: there are never more connections than the process can have; those that asked for nothing go first.
Rule 3: the head of a response and the first piece of its body leave in one write.
Rule 4: what follows the head of a request is its body: trailers are no headers of it, and it is never taken for another
protocol, or for a request.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from server_core.runtime.background import spawn
from server_core.transports.streamable.http_exchange import REQUEST_TARGET

HEAD_LIMIT = 10.0
"""Seconds that the head of a request may take, and what is left of one that was answered already."""
STALL_LIMIT = 60.0
"""Seconds that a client may read nothing of what is sent to it."""
MOST_HEAD = 64 * 1024
"""How long the head of a request may be, in bytes; also what comes with its body and is none of it, without a break."""
LOOK_EVERY = 1.0

# What a process needs beside its connections: files, pipes, sockets of its own.
_RESERVED_FILES = 128
_WANTED_FILES = 16_384

_HEAD_TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class JoiningTransport(asyncio.Transport):
    """A transport that holds the head of a response back until the first piece of its body is there.

    Args:
        transport: the transport of the connection.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        super().__init__()
        self._transport = transport
        self._head = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write, behind a head that was held back; hold a head back."""
        if self._head:
            data, self._head = self._head + data, b""
        elif bytes(data[:9]) == b"HTTP/1.1 " and data[9:12] != b"100" and data[-4:] == b"\r\n\r\n":
            self._head = bytes(data)
            return
        self._transport.write(data)

    def flush(self) -> None:
        """Write a head that no body follows."""
        if self._head:
            self.write(b"")

    def close(self) -> None:
        """Close the connection when everything is written."""
        self.flush()
        self._transport.close()

    def abort(self) -> None:
        """Close the connection at once."""
        self._transport.abort()

    def is_closing(self) -> bool:
        """Whether it is closed, or about to be."""
        return self._transport.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what is known of the connection."""
        return self._transport.get_extra_info(name, default)

    def get_write_buffer_size(self) -> int:
        """Return how many bytes the client has yet to take."""
        return self._transport.get_write_buffer_size()

    def pause_reading(self) -> None:
        """Read no more for now."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Read on."""
        self._transport.resume_reading()


class Connection(HttpToolsProtocol):
    """One connection of a client."""

    transport: JoiningTransport
    most: int
    """How many there may be; set for all."""

    owes_since: float | None
    """Since when the client has begun what it has not ended: the head of a request, or the rest of a refused one."""
    _unsent = 0
    _stalled_since: float | None = None
    _is_whole = True
    _asks_for_upgrade = False
    _head_size = 0
    _idle_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; where there are too many connections, one of those goes that asked for nothing."""
        super().connection_made(JoiningTransport(transport))
        self.owes_since = self.loop.time()
        if len(self.connections) > self.most:
            _drop_slowest(self.connections)  # type: ignore[arg-type]

    def data_received(self, data: bytes) -> None:
        """Take what was read; a head that does not end is refused."""
        self._head_size += len(data)
        self._idle_since = None
        while data:
            data = self._parse(data)
        if self._head_size <= MOST_HEAD:
            return
        if self._is_whole and self.owes_since is not None:
            self.transport.write(_HEAD_TOO_LONG)
            self.transport.close()
        elif not self._is_whole:
            # Trailers, or extensions of a chunk, which the parser keeps until they end.
            self.transport.abort()

    def on_message_begin(self) -> None:
        """A request begins: from now on its head is owed."""
        super().on_message_begin()
        self.owes_since = self.loop.time()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header is there; a trailer is dropped. Source: RFC 9110 section 6.5.1."""
        if self._is_whole:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Its head is there."""
        if self.parser.should_upgrade():
            self._asks_for_upgrade = True
            return
        self.owes_since, self._head_size, self._is_whole = None, 0, False
        self.scope["extensions"] = {REQUEST_TARGET: {"target": self.url}}
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Some of its body is there."""
        self._head_size = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """It is whole."""
        if self._asks_for_upgrade:
            return
        self.owes_since, self._head_size, self._is_whole = None, 0, True
        super().on_message_complete()

    def _parse(self, data: bytes) -> bytes:
        """Parse what was read, and return what is to be parsed after that."""
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            if self.parser.get_method() != b"CONNECT":
                return self._without_upgrade(data[upgrade.args[0] :])
            self.send_400_response("Bad request: this server is no proxy.")
        except httptools.HttpParserError:
            self.send_400_response("Invalid HTTP request received.")
        return b""

    def _without_upgrade(self, rest: bytes) -> bytes:
        """Return a request that asks for another protocol as one that does not. Source: RFC 9110 section 7.8.

        The parser has taken what follows its head for the other protocol, and not for its body.

        Args:
            rest: what was read behind its head.
        """
        line = b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, self.parser.get_http_version().encode())
        headers = [b"%s: %s" % header for header in self.headers if header[0] != b"upgrade"]
        self._asks_for_upgrade = False
        self.parser = httptools.HttpRequestParser(self)
        # As for the first one: what comes behind a request that closes the connection is nobody's mistake.
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        return b"\r\n".join([line, *headers, b"", rest])

    def on_response_complete(self) -> None:
        """It is answered; what it still has to send is owed."""
        self.transport.flush()
        if not self._is_whole:
            self.owes_since = self.loop.time()
        if self.pipeline or self.transport.is_closing():
            super().on_response_complete()
            return
        # What is left to do, but for the timer that would end the connection when nothing more comes.
        self.server_state.total_requests += 1
        self.flow.resume_reading()
        self._idle_since = self.loop.time()

    def check(self, now: float) -> None:
        """Close the connection, if its client owes us something for too long, does not read, or asks nothing more.

        Args:
            now: the time of the loop.
        """
        unsent = self.transport.get_write_buffer_size()
        if not unsent or unsent < self._unsent:
            self._stalled_since = None
        elif self._stalled_since is None:
            self._stalled_since = now
        self._unsent = unsent
        limits = ((self.owes_since, HEAD_LIMIT), (self._stalled_since, STALL_LIMIT))
        if any(since is not None and now - since > limit for since, limit in limits):
            self.transport.abort()
        elif self._idle_since is not None and now - self._idle_since > self.timeout_keep_alive:
            self.transport.close()


@contextlib.asynccontextmanager
async def watched(connections: Iterable[Connection]) -> AsyncIterator[None]:
    """Look at the connections again and again, as long as this context is entered.

    Args:
        connections: all that there are at any time.
    """
    watching = spawn(_watch(connections), "watch connections")
    try:
        yield
    finally:
        watching.cancel()


def connection_class(most: int | None = None) -> type[Connection]:
    """Return the class of the connections of one server.

    Args:
        most: how many there may be; as many as the process can have when not given.
    """
    return type("Connection", (Connection,), {"most": _most_connections() if most is None else most})


async def _watch(connections: Iterable[Connection]) -> None:
    loop = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(LOOK_EVERY)
        for connection in list(connections):
            connection.check(loop.time())


def _drop_slowest(connections: Iterable[Connection]) -> None:
    """Close the connection that has owed something for longest; where none does, the newest is one too many."""
    owing = [(one.owes_since, id(one), one) for one in connections if one.owes_since is not None]
    min(owing)[2].transport.abort()


def _most_connections() -> int:
    """Return how many connections the process can have, with the most files that it may ask for."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(_WANTED_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    most = _WANTED_FILES if soft == resource.RLIM_INFINITY else soft
    return most - min(_RESERVED_FILES, most // 2)
