"""HTTP requests to the servers of OAuth, limited in size, number and time.

Rule 1: every URL is checked before it is requested, and again after each redirect.
Rule 2: redirects are followed for documents only, never for requests that carry a credential.
Rule 3: bodies are not compressed, and their length is limited.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.urls import check_url, is_loopback, origin
from server_core.runtime.http_bodies import NOT_COMPRESSED, CompressedBody, ResponseTooLong, read_body
from server_core.runtime.safe_json import parse_json_or_none

if TYPE_CHECKING:
    import httpx

LONGEST_BODY = 256 * 1024
MAX_REDIRECTS = 3
REQUEST_SECONDS = 30.0
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class WebResponse:
    """An HTTP response."""

    status: int
    headers: Mapping[str, str]  # Names in lower case.
    document: Any = None  # Its JSON; None when it is not JSON.


class Web:
    """Sends requests of OAuth on behalf of an MCP server; AuthorizationFailed for unsafe URLs and wrong responses."""

    def __init__(self, server: str, transport: "httpx.AsyncBaseTransport | None" = None) -> None:
        import httpx

        self.server = server
        self._client = httpx.AsyncClient(
            follow_redirects=False,
            headers={**NOT_COMPRESSED, "User-Agent": "workbench"},
            timeout=REQUEST_SECONDS,
            transport=transport,
            # The proxy of the environment is of no use for a server on this machine.
            trust_env=not is_loopback(server),
        )

    async def __aenter__(self) -> "Web":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def document(self, url: str, label: str) -> Any:
        """Return the JSON document at a URL; None when there is none. The label names the URL in error messages."""
        for _ in range(MAX_REDIRECTS + 1):
            response = await self.send("GET", check_url(url, label, self.server), {"Accept": "application/json"})
            if response.status not in REDIRECTS:
                return response.document if response.status == 200 else None
            url = urljoin(url, response.headers.get("location", ""))
        raise AuthorizationFailed(f"{label} redirects more than {MAX_REDIRECTS} times.")

    async def post(self, url: str, label: str, headers: Mapping[str, str], **body: Any) -> WebResponse:
        """Send a form (`data`) or JSON (`json`), and return the response, which must not be a redirect."""
        headers = {"Accept": "application/json", **headers}
        response = await self.send("POST", check_url(url, label, self.server), headers, **body)
        if response.status in REDIRECTS:
            raise AuthorizationFailed(f"{label} redirects elsewhere; credentials are not sent there.")
        return response

    async def send(self, method: str, url: str, headers: Mapping[str, str], **body: Any) -> WebResponse:
        """Send a request to a URL that is already checked, and return the response, which may be a redirect."""
        import httpx

        try:
            async with (
                asyncio.timeout(REQUEST_SECONDS),
                self._client.stream(method, url, headers=dict(headers), **body) as response,
            ):
                text = await _body(response)
                return WebResponse(response.status_code, response.headers, parse_json_or_none(text))
        except TimeoutError as error:
            message = f"{origin(url)} did not respond within {REQUEST_SECONDS:.0f} seconds."
            raise AuthorizationFailed(message) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            # The message of the error may hold the URL, and so a code: only its type is shown.
            raise AuthorizationFailed(f"{origin(url)} cannot be reached ({type(error).__name__}).") from error


async def _body(response: "httpx.Response") -> bytes:
    server = origin(str(response.url))
    try:
        return await read_body(response, LONGEST_BODY)
    except CompressedBody as error:
        raise AuthorizationFailed(f"The response of {server} cannot be read: {error}.") from error
    except ResponseTooLong as error:
        raise AuthorizationFailed(
            f"The response of {server} is longer than the limit of {LONGEST_BODY:,} bytes."
        ) from error
