"""The consent of a user: the protocol; `browser.Browser` is its implementation with a browser."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol


class Visit(Protocol):
    """A visit of the user to an authorization server."""

    @property
    def redirect_uri(self) -> str:
        """The redirect URI of the visit."""
        ...

    async def authorize(self, url: str) -> Mapping[str, str]:
        """Send the user to a URL, and return the query parameters of the redirect.

        Raises:
            AuthorizationFailed: when the redirect does not arrive in time.
        """
        ...


class Consent(Protocol):
    """A way to ask the user for consent."""

    def visit(self, known_redirect: str = "") -> AbstractAsyncContextManager[Visit]:
        """Prepare a visit.

        Args:
            known_redirect: the redirect URI of an earlier visit, to be used again if possible.
        """
        ...
