"""The consent of a user without a browser: the authorization server needs no interaction."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urljoin

import httpx

from server_core.oauth.authorization_code import redirect_parameters
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.grants import RedirectListener
from server_core.oauth.web import REDIRECTS, Web

MAX_PAGES = 10


class Redirects:
    """Follows the redirects of a server that needs no user interaction.

    Args:
        redirect_uri: the URI of the last redirect; nothing has to listen there.
        transport: the transport for the requests; the network when not given.
    """

    def __init__(
        self, redirect_uri: str = "http://localhost:3000/callback", transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self.redirect_uri = redirect_uri
        self._transport = transport

    @asynccontextmanager
    async def listen(self, earlier_redirect_uri: str = "") -> AsyncIterator[RedirectListener]:
        """Yield itself; it needs no preparation."""
        yield self

    async def authorize(self, url: str) -> Mapping[str, str]:
        """Request a URL, and return the query parameters of the last redirect.

        Raises:
            AuthorizationFailed: when the redirects do not end at the redirect URI.
        """
        async with Web(url, self._transport) as web:
            for _ in range(MAX_PAGES):
                response = await web.send("GET", url, {})
                if response.status not in REDIRECTS:
                    break
                url = urljoin(url, response.headers.get("location", ""))
                if url.partition("?")[0] == self.redirect_uri:
                    return redirect_parameters(url)
        raise AuthorizationFailed("The authorization server requires user interaction, which is not available here.")
