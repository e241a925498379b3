"""The base class of token validators; authors may write their own."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from server_core.resource_server.owner import ResourceOwner


class ResourceServerValidator(ABC):
    """Checks the token of every request.

    Attributes:
        scopes_supported: the scopes in the server's metadata; None to leave them out.
        default_challenge_scopes: the scopes in the challenge to a client without a token; None to leave them out.
        canonical_url: the URL that identifies the server; empty when its metadata is not published.
    """

    scopes_supported: Sequence[str] | None = None
    default_challenge_scopes: Sequence[str] | None = None
    canonical_url: str = ""

    @abstractmethod
    async def validate_token(self, token: str) -> ResourceOwner:
        """Return the owner of a token.

        Args:
            token: the token, without its scheme.

        Raises:
            AuthenticationError: when it is invalid; :class:`InvalidTokenError` with a reason for the client.
        """

    def supports_oauth_discovery(self) -> bool:
        """Return whether the server's metadata is published."""
        return self.get_resource_metadata() is not None

    def get_resource_metadata(self) -> dict[str, Any] | None:
        """Return the server's metadata; None where it is not published.

        Source: RFC 9728 section 2.
        """
        return None
