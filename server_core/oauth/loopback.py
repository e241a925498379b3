"""A minimal HTTP server on the loopback interface, for redirects of a browser.

Rule 1: each connection carries a single request, whose size and duration are limited.
Rule 2: requests whose `Host` header is not a name of this machine are refused (RFC 8252 section 8.9, DNS rebinding).
Rule 3: responses are not cached, and pages send no `Referer`.

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
MAX_CONNECTIONS = 100


@dataclass(frozen=True, slots=True)
class LoopbackRequest:
    """A request of the browser."""

    method: str
    target: str  # Path and query.
    headers: Mapping[str, str] = field(default_factory=dict)  # Names in lower case; of a repeated name, the last value.
    body: bytes = b""

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


@dataclass(frozen=True, slots=True)
class LoopbackResponse:
    """A response, such as a page."""

    status: int
    body: str = ""
    media_type: str = "text/plain"
    headers: Mapping[str, str] = field(default_factory=dict)


LoopbackHandler = Callable[[LoopbackRequest], Awaitable[LoopbackResponse]]
"""Returns the response to a request; `AuthorizationFailed` becomes a 400 response."""


class LoopbackServer:
    def __init__(self, handler: LoopbackHandler) -> None:
        self.port = 0
        """The port that it listens on; 0 when it does not listen."""
        self._handler = handler
        self._server: asyncio.Server | None = None
        self._unfinished: set[asyncio.StreamWriter] = set()
        """Connections without a complete request yet."""

    async def start(self, port: int = 0) -> None:
        """Start to listen; 0 is any free port. Raises OSError when the port is in use."""
        self._server = await asyncio.start_server(self._serve, HOST, port, limit=LONGEST_REQUEST)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop listening, after complete requests are answered; safe to call twice."""
        if self._server is None:
            return
        self._server.close()
        for writer in self._unfinished:
            writer.close()  # Browsers open connections in advance, and send nothing on them.
        await self._server.wait_closed()
        self.port = 0

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._unfinished) >= MAX_CONNECTIONS:
            writer.close()
            return
        self._unfinished.add(writer)
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
                request = _read_head(head)
                body = await reader.readexactly(_content_length(request.headers))
            self._unfinished.discard(writer)
            response = await self._answer(LoopbackRequest(request.method, request.target, request.headers, body), head)
            writer.write(_encode(response))
            await writer.drain()
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError):
            pass  # Not a browser, or the browser closed the connection, so no user waits for a response.
        finally:
            self._unfinished.discard(writer)
            writer.close()

    async def _answer(self, request: LoopbackRequest, head: bytes) -> LoopbackResponse:
        try:
            # A repeated Host header is refused, since only the last value is checked.
            if head.lower().count(b"\r\nhost:") != 1 or not is_loopback(f"http://{request.headers['host']}/"):
                return LoopbackResponse(403, "Wrong redirect URI: the Host header does not name this machine.")
            return await self._handler(request)
        except AuthorizationFailed as error:
            return LoopbackResponse(400, str(error))


def _read_head(head: bytes) -> LoopbackRequest:
    request_line, *lines = head.decode("latin-1").split("\r\n")
    method, _, rest = request_line.partition(" ")
    fields = (line.partition(":") for line in lines)
    return LoopbackRequest(
        method, rest.partition(" ")[0], {name.strip().lower(): value.strip() for name, _, value in fields}
    )


def _content_length(headers: Mapping[str, str]) -> int:
    text = headers.get("content-length", "0")
    length = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if length > LONGEST_BODY:
        raise EOFError  # Handled like an incomplete request: the connection is closed.
    return length


def _encode(response: LoopbackResponse) -> bytes:
    body = f"{response.body}\n".encode()
    fields = {
        "Content-Type": f"{response.media_type}; charset=utf-8",
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Connection": "close",
        **response.headers,
    }
    status_line = f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}"
    head = "\r\n".join([status_line, *(f"{name}: {value}" for name, value in fields.items())])
    return f"{head}\r\n\r\n".encode("latin-1") + body
