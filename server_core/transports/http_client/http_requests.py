"""HTTP requests of a client to one MCP server: credentials for each, limits on the responses, and translated errors.

Both HTTP transports are built on this: :mod:`~server_core.transports.http_client.http_client`, and the older
:mod:`~server_core.transports.http_client.http_sse_client`.
"""

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import TYPE_CHECKING

from server_core.errors import ConnectionFailed, MessageFailed
from server_core.oauth.authorization import (
    CHALLENGE_STATUSES,
    MAX_CHALLENGES,
    AuthorizationRefusal,
    TransportAuthorization,
)
from server_core.protocol.framing import DEFAULT_LIMIT
from server_core.protocol.sse import Event, EventReader, EventTooLong
from server_core.runtime.http_bodies import (
    NOT_COMPRESSED,
    CompressedBody,
    ResponseTooLong,
    check_not_compressed,
    read_body,
)
from server_core.transports.streamable.checks import LOOPBACK

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS = 10.0
MAX_REDIRECTS = 5
# How many bytes are read of an error response.
REFUSAL_LIMIT = 64 * 1024


class HttpRefused(MessageFailed):
    """The server answered a request with an HTTP error status, without a JSON-RPC message."""

    def __init__(self, reason: str, status: int) -> None:
        super().__init__(reason)
        self.status = status


class HttpRequests:
    """Sends requests to one server, with headers, which may be secret, and the credentials for its challenges."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        *,
        limit: int = DEFAULT_LIMIT,
        transport: "httpx.AsyncBaseTransport | None" = None,
        authorization: TransportAuthorization | None = None,
    ) -> None:
        self.url = url
        self.limit = limit
        # Compressed responses are refused, since a small one can have any size, so they must not be requested.
        self._headers = {name: value for name, value in (headers or {}).items() if name.lower() != "accept-encoding"}
        self._transport = transport
        self._authorization = authorization
        self._client: httpx.AsyncClient | None = None

    @contextlib.asynccontextmanager
    async def stream(
        self, method: str, headers: Mapping[str, str], content: bytes | None = None, *, url: str = ""
    ) -> "AsyncIterator[httpx.Response]":
        """Send a request, to the server unless a URL is given, and yield the response, with its body unread.

        ConnectionFailed for an unreachable server, MessageFailed for a broken connection or failed authorization.
        """
        import httpx

        url = url or self.url
        try:
            async with self._send_authorized(method, url, {**self._headers, **headers}, content) as response:
                yield response
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            reason = str(error) or "no answer"
            raise ConnectionFailed(f"Cannot connect to {self.url}: {reason}. Is the server running?") from error
        except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            raise ConnectionFailed(f"{self.url}: {error}.") from error
        except httpx.HTTPError as error:
            raise MessageFailed(f"{self.url}: {str(error) or type(error).__name__}.") from error

    async def body(self, response: "httpx.Response", limit: int | None = None) -> bytes:
        """Return the body of a response; raise MessageFailed when it is longer than the limit, or compressed."""
        limit = self.limit if limit is None else limit
        try:
            return await read_body(response, limit)
        except ResponseTooLong as error:
            raise MessageFailed(f"{self.url} sent a message that is longer than {limit:,} bytes.") from error
        except CompressedBody as error:
            raise MessageFailed(f"{self.url} cannot be read: {error}.") from error

    async def events(self, response: "httpx.Response", reader: EventReader) -> AsyncGenerator[Event, None]:
        """Yield the events of a response as they arrive; a broken stream ends the iteration without an error."""
        import httpx

        reader.reset()
        try:
            check_not_compressed(response)
            async for data in response.aiter_bytes():
                for event in reader.receive_data(data):
                    yield event
        except httpx.TransportError:
            return  # The caller knows whether the stream was complete.
        except EventTooLong as error:
            raise MessageFailed(f"{self.url} sent too much at once: {error}.") from error
        except CompressedBody as error:
            raise MessageFailed(f"{self.url} cannot be read: {error}.") from error

    def refusal_of(self, response: "httpx.Response", text: str) -> HttpRefused:
        """Return the exception for an error response, with the first line of its text."""
        phrase = response.reason_phrase
        status = f"{response.status_code} {phrase}".strip()
        line = _without_phrase(phrase, text.strip().partition("\n")[0])[:200]
        advice = _ADVICE.get(response.status_code, "")
        reason = f"{self.url} answered {status}{': ' if line else ''}{line}"
        return HttpRefused(f"{reason.rstrip('.')}. {advice}" if advice else reason, response.status_code)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    @contextlib.asynccontextmanager
    async def _send_authorized(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None
    ) -> "AsyncIterator[httpx.Response]":
        for attempt in range(MAX_CHALLENGES + 1):
            credentials = {} if self._authorization is None else await self._authorization.headers(method, url)
            # As bytes: values that the server gave us to send back, such as event ids, may be any text.
            encoded = [(name.encode(), value.encode()) for name, value in {**headers, **credentials}.items()]
            request = self._open_client().build_request(method, url, headers=encoded, content=content)
            async with self._send_redirected(request) as response:
                if attempt == MAX_CHALLENGES or not await self._answer_challenge(
                    method, url, response, attempt, credentials
                ):
                    yield response
                    return

    @contextlib.asynccontextmanager
    async def _send_redirected(self, request: "httpx.Request") -> "AsyncIterator[httpx.Response]":
        for _ in range(MAX_REDIRECTS + 1):
            response = await self._open_client().send(request, stream=True)
            try:
                if response.next_request is None:
                    yield response
                    return
                request = response.next_request
            finally:
                await response.aclose()
        raise MessageFailed(f"{self.url} redirects more than {MAX_REDIRECTS} times.")

    async def _answer_challenge(
        self, method: str, url: str, response: "httpx.Response", attempt: int, credentials: Mapping[str, str]
    ) -> bool:
        """Return whether there are new credentials, so that the request should be sent again."""
        if self._authorization is None or response.status_code not in CHALLENGE_STATUSES:
            return False
        refusal = AuthorizationRefusal(method, url, response.status_code, response.headers, attempt, credentials)
        return await self._authorization.handle_refusal(refusal)

    def _open_client(self) -> "httpx.AsyncClient":
        if self._client is None:
            import httpx

            # A call may take any time, and there may be many at once.
            self._client = httpx.AsyncClient(
                timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=10),
                # Redirects are followed here, because the library would read the whole body of a redirect.
                follow_redirects=False,
                headers=NOT_COMPRESSED,
                event_hooks={"request": [self._check_target]},
                transport=self._transport,
                trust_env=httpx.URL(self.url).host not in LOOPBACK,
            )
        return self._client

    async def _check_target(self, request: "httpx.Request") -> None:
        # Called for each redirect as well: headers and arguments must only be sent to the configured server.
        import httpx

        configured, requested = httpx.URL(self.url), request.url
        if (requested.host, requested.port) != (configured.host, configured.port) and not _is_upgrade(
            configured, requested
        ):
            raise MessageFailed(
                f"{self.url} redirects to another server, {requested.scheme}://{requested.netloc.decode('ascii')}; "
                "use that URL if you trust it."
            )
        if configured.scheme == "https" and requested.scheme != "https":
            raise MessageFailed(f"{self.url} redirects from https to http; nothing is sent there.")


def _is_upgrade(configured: "httpx.URL", requested: "httpx.URL") -> bool:
    return (
        configured.host == requested.host
        and (configured.scheme, requested.scheme) == ("http", "https")
        and not requested.port
    )


_ADVICE = {
    401: "It requires authorization: send a header.",
    404: "Check the path, which is often /mcp.",
    405: "Check the path, which is often /mcp.",
}


def _without_phrase(phrase: str, line: str) -> str:
    """Return a line without the reason phrase at its start, if it begins with that."""
    start, rest = line[: len(phrase)], line[len(phrase) :]
    is_repeated = bool(phrase) and start.lower() == phrase.lower() and rest[:1] in ("", ":", ".")
    return rest[1:].strip() if is_repeated else line
