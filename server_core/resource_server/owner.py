"""The resource owner of a token, and of the request that is being served."""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

SCOPE_KEY = "resource_owner"
"""The key of the owner in the ASGI scope of a request."""


@dataclass(slots=True)
class ResourceOwner:
    """The user and client that a checked token belongs to; a custom validator may fill it in its own way.

    Attributes:
        user_id: the id of the user at its authorization server: the claim `sub`.
        client_id: the client that acts for the user; None when the token does not name it.
        email: the user's email address, when the token holds it.
        granted_scopes: the scopes of the token.
        claims: all claims of the token.
        issuer: the authorization server that issued the token; empty when there is none.
    """

    user_id: str
    client_id: str | None = None
    email: str | None = None
    granted_scopes: frozenset[str] = frozenset()
    claims: Mapping[str, Any] = field(default_factory=dict, repr=False)
    issuer: str = ""

    @property
    def principal(self) -> str:
        """A unique id of the user: two authorization servers may use the same `user_id` for different users."""
        return f"{self.issuer} {self.user_id}" if self.issuer else self.user_id


def is_name(value: object) -> bool:
    """Return whether a value can name a user: a string that is not empty, and can be encoded."""
    # JSON strings can hold lone surrogates, which cannot be encoded as UTF-8.
    return isinstance(value, str) and bool(value) and not any("\ud800" <= character <= "\udfff" for character in value)


current: ContextVar[ResourceOwner | None] = ContextVar("resource_owner", default=None)
"""The owner of the token in the request that is being served; None when no token is required."""
