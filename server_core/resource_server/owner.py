"""Whom a token speaks for, and who speaks in the request that is being served."""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

SCOPE_KEY = "resource_owner"
"""Where the ASGI scope of a request holds its owner."""


@dataclass(slots=True)
class ResourceOwner:
    """Whom a token that was checked speaks for; a check of an author's own may name them otherwise.

    Attributes:
        user_id: the user, as its authorization server names them: the claim `sub`.
        client_id: the client that acts for them; None where the token does not say.
        email: theirs, where the token says it.
        granted_scopes: what the token allows.
        claims: all that the token says.
        issuer: the authorization server that vouches for all this; empty where there is none.
    """

    user_id: str
    client_id: str | None = None
    email: str | None = None
    granted_scopes: frozenset[str] = frozenset()
    claims: Mapping[str, Any] = field(default_factory=dict, repr=False)
    issuer: str = ""

    @property
    def principal(self) -> str:
        """Names this user and no other: two authorization servers may call two people by the same name."""
        return f"{self.issuer} {self.user_id}" if self.issuer else self.user_id


def is_name(value: object) -> bool:
    """Return whether a value can name a user: a text that is not empty, and can be written down."""
    # JSON can hold halves of characters, which nothing that keeps texts can.
    return isinstance(value, str) and bool(value) and not any("\ud800" <= one <= "\udfff" for one in value)


current: ContextVar[ResourceOwner | None] = ContextVar("resource_owner", default=None)
"""Whose token came with the request that is being served; None where none was asked for."""
