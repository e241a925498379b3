"""A tiny HTTP server on the loopback interface, for browsers that come back to this machine.

Rule 1: it answers one small request a connection, and everything about that is bounded.
Rule 2: only who asks for this machine by a name of this machine is answered (RFC 8252 section 8.9, DNS rebinding).
Rule 3: what it answers is kept by nobody and tells nobody where it was asked from.

Source: RFC 8252 section 7.3.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.urls import is_loopback

HOST = "127.0.0.1"
REQUEST_SECONDS = 10.0
LONGEST_REQUEST = 16 * 1024
LONGEST_BODY = 64 * 1024
MOST_CONNECTIONS = 100


@dataclass(frozen=True, slots=True)
class Asked:
    """One request.

    Attributes:
        method: its method.
        target: its path and query.
        headers: names in lower case; of one that stands there twice, the last.
        body: its body, which must have a stated length.
    """

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]


@dataclass(frozen=True, slots=True)
class Page:
    """One answer.

    Attributes:
        status: the HTTP status.
        body: its text.
        kind: its media type.
        headers: further headers.
    """

    status: int
    body: str = ""
    kind: str = "text/plain"
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Asked], Awaitable[Page]]
"""Answers a request; what it refuses, it raises as `AuthorizationFailed`."""


class Loopback:
    """Listens on the loopback interface.

    Args:
        handler: answers each request.
    """

    def __init__(self, handler: Handler) -> None:
        self.port = 0
        """Where it listens; 0 before it does."""
        self._handler = handler
        self._server: asyncio.Server | None = None
        self._silent: set[asyncio.StreamWriter] = set()
        """Connections that have not asked anything yet."""

    async def start(self, port: int = 0) -> None:
        """Begin to listen.

        Args:
            port: where; 0 for any port that is free.

        Raises:
            OSError: when the port is taken.
        """
        self._server = await asyncio.start_server(self._serve, HOST, port, limit=LONGEST_REQUEST)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Listen no more; who has asked is still answered; safe to call twice."""
        if self._server is None:
            return
        self._server.close()
        for writer in self._silent:
            writer.close()  # Browsers open connections in advance, and say nothing on them.
        await self._server.wait_closed()
        self.port = 0

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._silent) >= MOST_CONNECTIONS:
            writer.close()
            return
        self._silent.add(writer)
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
                asked = _read_head(head)
                body = await reader.readexactly(_length(asked.headers))
            self._silent.discard(writer)
            page = await self._answer(Asked(asked.method, asked.target, asked.headers, body), head)
            writer.write(_written(page))
            await writer.drain()
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError):
            pass  # Not a browser, or one that changed its mind.
        finally:
            self._silent.discard(writer)
            writer.close()

    async def _answer(self, asked: Asked, head: bytes) -> Page:
        try:
            if head.lower().count(b"\r\nhost:") != 1 or not is_loopback(f"http://{asked.headers['host']}/"):
                return Page(403, "This is not the place.")
            return await self._handler(asked)
        except AuthorizationFailed as error:
            return Page(400, str(error))


def _read_head(head: bytes) -> Asked:
    first, *lines = head.decode("latin-1").split("\r\n")
    method, _, rest = first.partition(" ")
    fields = (line.partition(":") for line in lines)
    return Asked(method, rest.partition(" ")[0], {name.strip().lower(): value.strip() for name, _, value in fields})


def _length(headers: Mapping[str, str]) -> int:
    text = headers.get("content-length", "0")
    length = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if length > LONGEST_BODY:
        raise EOFError
    return length


def _written(page: Page) -> bytes:
    body = f"{page.body}\n".encode()
    lines = {
        "Content-Type": f"{page.kind}; charset=utf-8",
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Connection": "close",
        **page.headers,
    }
    first = f"HTTP/1.1 {page.status} {HTTPStatus(page.status).phrase}"
    head = "\r\n".join([first, *(f"{name}: {value}" for name, value in lines.items())])
    return f"{head}\r\n\r\n".encode("latin-1") + body
