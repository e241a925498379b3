"""One HTTP request and its response, over ASGI.

Specification: https://asgi.readthedocs.io/en/latest/specs/www.html
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

from server_core.resource_server.owner import ASGI_OWNER_KEY, ResourceOwner
from server_core.transports.streamable.asgi import Receive, Scope, Send
from server_core.transports.streamable.checks import EVENTS, JSON, RequestLine
from server_core.transports.streamable.receive_limits import UNCOUNTED, BodyBudget

# Builds the challenge for a client whose token lacks scopes, from the `data` of the error response.
Challenge: TypeAlias = Callable[[Mapping[str, Any]], str]

NO_HEADERS: Mapping[str, str] = {}
# The ASGI extension with which our own server passes the unchanged request target.
REQUEST_TARGET = "workbench.request_target"
# The headers that may have several lines, of those that are used here. Source: RFC 9110 section 5.3.
_LISTS = frozenset({"accept"})
_PAGE_HEADERS = {"vary": "origin", "access-control-expose-headers": "mcp-session-id, www-authenticate"}
# X-Accel-Buffering: proxies should forward each event immediately.
_EVENT_HEADERS = {"content-type": EVENTS, "cache-control": "no-cache, no-transform", "x-accel-buffering": "no"}


class BodyTooLong(ValueError):
    """The request's body is longer than the limit."""


class ClientGone(ConnectionError):
    """The client has closed the connection before its request was complete."""


class HttpExchange:
    """One request and its response; the parameters are those of an ASGI application."""

    # Slots, since there is an object for each request.
    __slots__ = (
        "_page_headers",
        "_receive",
        "_send",
        "challenge",
        "counted",
        "headers",
        "method",
        "path",
        "repeated",
        "scope",
    )

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope = scope
        self.method: str = scope["method"]
        self.path = _path_within(scope["path"], scope.get("root_path", ""))
        pairs = scope["headers"]
        # ASGI header names are in lower case.
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in pairs}
        # The names of the headers that occur more than once.
        self.repeated: Collection[str] = () if len(self.headers) == len(pairs) else _repeated(pairs)
        for name in _LISTS.intersection(self.repeated):
            lines = (value for other, value in pairs if other.decode("latin-1") == name)
            self.headers[name] = b", ".join(lines).decode("latin-1")
        # Builds the challenge for a token that lacks scopes; None if no token is required.
        self.challenge: Challenge | None = None
        # How many bytes of the body are counted in the budget for all requests.
        self.counted = 0
        self._page_headers: list[tuple[bytes, bytes]] = []
        self._receive = receive
        self._send = send

    def allow_page(self, origin: str) -> None:
        """Allow the web page that sent the request to read the response. Source: Fetch, CORS protocol."""
        self._page_headers = _encoded({"access-control-allow-origin": origin, **_PAGE_HEADERS})

    def admit(self, owner: "ResourceOwner", challenge: "Challenge | None") -> None:
        """Serve the request for the owner of its token; `challenge` is None if the client is not to be challenged."""
        self.scope[ASGI_OWNER_KEY] = owner
        self.challenge = challenge

    @property
    def request_line(self) -> RequestLine | None:
        """The first line of the request; None under another server, which checks it itself."""
        target = self.scope.get("extensions", {}).get(REQUEST_TARGET)
        return None if target is None else RequestLine(self.scope["http_version"], target["target"].decode("latin-1"))

    @property
    def full_path(self) -> str:
        """The path from the client's point of view, wherever the application is mounted."""
        path: str = self.scope["path"]
        root: str = self.scope.get("root_path", "").rstrip("/")
        # Older frameworks remove the part of the path that they have matched.
        return path if not root or path.startswith(root) else root + path

    @property
    def peer_host(self) -> str:
        """The IP address of the client, if it is known."""
        client = self.scope.get("client")
        return str(client[0]) if client else ""

    @property
    def peer_name(self) -> str:
        """The IP address and port of the client, if they are known."""
        client = self.scope.get("client")
        return f"{client[0]}:{client[1]}" if client else ""

    async def body(self, limit: int, bodies: BodyBudget) -> bytes:
        """Return the request's body; a budget counts its bytes, which the caller releases.

        BodyTooLong and BodyBudgetExceeded for the two limits; ClientGone when the client disconnected before its end.
        """
        length = self.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > limit:
            raise BodyTooLong
        pieces: list[bytes] = []
        size = 0
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            piece = message.get("body", b"")
            size += len(piece)
            if size > limit:
                raise BodyTooLong
            if size - UNCOUNTED > self.counted:
                bodies.take(size - UNCOUNTED - self.counted)
                self.counted = size - UNCOUNTED
            if not message.get("more_body", False):
                return b"".join([*pieces, piece]) if pieces else piece
            pieces.append(piece)

    async def respond(
        self,
        status: int,
        body: bytes = b"",
        content_type: str = JSON,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> None:
        named = [(b"content-length", b"%d" % len(body)), *self._page_headers]
        if body:
            named.append((b"content-type", content_type.encode("latin-1")))
        await self._send({"type": "http.response.start", "status": status, "headers": named + _encoded(headers)})
        await self._send({"type": "http.response.body", "body": body})

    async def start_events(self, headers: Mapping[str, str] = NO_HEADERS) -> None:
        named = _encoded(_EVENT_HEADERS) + self._page_headers + _encoded(headers)
        await self._send({"type": "http.response.start", "status": 200, "headers": named})

    async def send_piece(self, piece: bytes, *, last: bool = False) -> None:
        """Send the next piece of a started response; waits while the client does not read."""
        await self._send({"type": "http.response.body", "body": piece, "more_body": not last})

    async def wait_for_disconnect(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass


def _path_within(path: str, root: str) -> str:
    """Return a path relative to where the application is mounted."""
    root = root.rstrip("/")
    if root and (path == root or path.startswith(root + "/")):
        return path[len(root) :]
    return path


def _encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


def _repeated(pairs: Collection[tuple[bytes, bytes]]) -> set[str]:
    counts = Counter(name for name, _ in pairs)
    return {name.decode("latin-1") for name, count in counts.items() if count > 1}
