"""What checks the tokens of clients; authors may write their own."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from server_core.resource_server.owner import ResourceOwner


class ResourceServerValidator(ABC):
    """Checks the token of every request.

    Attributes:
        scopes_supported: what the server's metadata says that its basic use takes; None for nothing said.
        default_challenge_scopes: what a client without a token is told to ask for; None for nothing said.
        canonical_url: how clients name the server; empty where its metadata is not published.
    """

    scopes_supported: Sequence[str] | None = None
    default_challenge_scopes: Sequence[str] | None = None
    canonical_url: str = ""

    @abstractmethod
    async def validate_token(self, token: str) -> ResourceOwner:
        """Return whom a token speaks for.

        Args:
            token: as it came, without its scheme.

        Raises:
            AuthenticationError: when it does not hold; :class:`InvalidTokenError` with a reason for the client.
        """

    def supports_oauth_discovery(self) -> bool:
        """Return whether the server's metadata is published."""
        return self.get_resource_metadata() is not None

    def get_resource_metadata(self) -> dict[str, Any] | None:
        """Return the server's metadata; None where it is not published.

        Source: RFC 9728 section 2.
        """
        return None
