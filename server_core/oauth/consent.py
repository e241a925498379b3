"""The step in which a person agrees: what it is asked for, and a way that needs no browser.

The way with a browser is `browser.Browser`.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urljoin

from server_core.oauth.authorization_code import read_callback
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.web import REDIRECTS, Web

if TYPE_CHECKING:
    import httpx

MOST_PAGES = 10


class Visit(Protocol):
    """One visit of a person to an authorization server."""

    @property
    def redirect_uri(self) -> str:
        """Where the person comes back to."""
        ...

    async def authorize(self, url: str) -> Mapping[str, str]:
        """Send the person to an address, and return the parameters that they come back with.

        Raises:
            AuthorizationFailed: when they do not come back.
        """
        ...


class Consent(Protocol):
    """A way to have a person agree."""

    def visit(self, known: str = "") -> AbstractAsyncContextManager[Visit]:
        """Prepare a visit.

        Args:
            known: where a person came back to last time, which is best used again.
        """
        ...


class Redirects:
    """Follows the redirects of a server that needs no person.

    Args:
        redirect_uri: where they lead in the end; nobody has to listen there.
        transport: carries the requests; the network when not given.
    """

    def __init__(
        self, redirect_uri: str = "http://localhost:3000/callback", transport: "httpx.AsyncBaseTransport | None" = None
    ) -> None:
        self.redirect_uri = redirect_uri
        self._transport = transport

    @asynccontextmanager
    async def visit(self, known: str = "") -> AsyncIterator[Visit]:
        """Prepare a visit; there is nothing to prepare."""
        yield self

    async def authorize(self, url: str) -> Mapping[str, str]:
        """Ask for an address, and return the parameters that the redirects end with.

        Raises:
            AuthorizationFailed: when they do not end where they should.
        """
        async with Web(url, self._transport) as web:
            for _ in range(MOST_PAGES):
                reply = await web.send("GET", url, {})
                if reply.status not in REDIRECTS:
                    break
                url = urljoin(url, reply.headers.get("location", ""))
                if url.partition("?")[0] == self.redirect_uri:
                    return read_callback(url)
        raise AuthorizationFailed("The authorization server wants to see a person, and there is none.")
