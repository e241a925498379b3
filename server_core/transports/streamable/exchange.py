"""One HTTP request and its response, in the terms of ASGI.

Specification: https://asgi.readthedocs.io/en/latest/specs/www.html
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from server_core.transports.streamable.checks import EVENTS, JSON

Scope: TypeAlias = MutableMapping[str, Any]
AsgiMessage: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[AsgiMessage]]
Send: TypeAlias = Callable[[AsgiMessage], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


class Exchange:
    """One request and its response.

    Args:
        scope, receive, send: as ASGI hands them over.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"].removeprefix(scope.get("root_path", ""))
        self.headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        names = [name.lower() for name, _ in scope["headers"]]
        self.repeated = {name.decode("latin-1") for name in names if names.count(name) > 1}
        """The names of the headers that came more than once."""
        client = scope.get("client")
        self.peer_name = f"{client[0]}:{client[1]}" if client else ""
        self._receive = receive
        self._send = send

    async def body(self, limit: int) -> bytes | None:
        """Return the request's body; None when it is longer than the limit, or was not sent to its end."""
        length = self.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > limit:
            return None
        pieces: list[bytes] = []
        size = 0
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                return None
            piece = message.get("body", b"")
            size += len(piece)
            if size > limit:
                return None
            if not message.get("more_body", False):
                return b"".join([*pieces, piece]) if pieces else piece
            pieces.append(piece)

    async def respond(
        self, status: int, body: bytes = b"", content_type: str = JSON, headers: dict[str, str] | None = None
    ) -> None:
        """Send the whole response."""
        named = {"content-length": str(len(body)), **(headers or {})}
        if body:
            named["content-type"] = content_type
        await self._start(status, named)
        await self._send({"type": "http.response.body", "body": body})

    async def start_events(self, headers: dict[str, str]) -> None:
        """Begin a response of server-sent events."""
        # X-Accel-Buffering: proxies shall hand each event on as it comes.
        await self._start(
            200,
            {"content-type": EVENTS, "cache-control": "no-cache, no-transform", "x-accel-buffering": "no", **headers},
        )

    async def send_piece(self, piece: bytes) -> None:
        """Send the next piece of a response that was begun; waits while the client does not read."""
        await self._send({"type": "http.response.body", "body": piece, "more_body": True})

    async def finish(self) -> None:
        """End a response that was begun."""
        await self._send({"type": "http.response.body", "body": b""})

    async def disconnected(self) -> None:
        """Wait until the client has closed the connection."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def _start(self, status: int, headers: dict[str, str]) -> None:
        encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": encoded})
