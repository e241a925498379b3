"""The resource owner of a token and of the request that is being served, and the scopes that the token grants."""

from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from server_core.oauth.scopes import is_scope
from server_core.resource_server.errors import InsufficientScopeError
from server_core.resource_server.www_authenticate import check_scopes

if TYPE_CHECKING:
    from server_core.execution.context.client_port import ClientPort

ASGI_OWNER_KEY = "resource_owner"
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
        """A unique id of the user, since two authorization servers may use the same `user_id` for different users."""
        return f"{self.issuer} {self.user_id}" if self.issuer else self.user_id


def is_name(value: object) -> bool:
    """Return whether a value can name a user: a string that is not empty, and can be encoded."""
    # JSON strings can hold lone surrogates, which cannot be encoded as UTF-8.
    return isinstance(value, str) and bool(value) and not any("\ud800" <= character <= "\udfff" for character in value)


current_owner: ContextVar[ResourceOwner | None] = ContextVar("resource_owner", default=None)
"""The owner of the token in the request that is being served; None when no token is required.

A context variable, since a session outlives a token: each call has the rights of the token of its request.
"""


def scopes_of_claims(claims: Mapping[str, Any]) -> frozenset[str]:
    """Return the scopes of a token: its `scope`, else `scp`, each a space-separated string or a list; else none.

    Invalid scopes are skipped: a quirk of an authorization server must not lock its users out.

    Source: RFC 9068 section 2.2.3, RFC 8693 section 4.2; some vendors use `scp`.
    """
    for name in ("scope", "scp"):
        value = claims.get(name)
        if isinstance(value, str):
            value = value.split()
        if isinstance(value, list):
            return frozenset(scope for scope in value if isinstance(scope, str) and is_scope(scope))
    return frozenset()


class AuthorizedContext(Protocol):
    """What the check of scopes reads of a tool's context."""

    @property
    def resource_owner(self) -> ResourceOwner | None:
        """The owner of the token of the request that is being served, if the server requires tokens."""

    @property
    def port(self) -> "ClientPort":
        """The connection to the client."""


def enforce_scopes(request: AuthorizedContext | Mapping[str, Any], required: Iterable[str]) -> None:
    """Check that the token of a request has every scope that an operation requires.

    A local caller without a token, as over stdio, is the user who started the server, and may do everything.

    Args:
        request: the context of a tool, or the ASGI scope of a request whose token was checked.
        required: the required scopes.

    Raises:
        InsufficientScopeError: when the token lacks a scope; it names all required scopes.
        ValueError: when a scope is not valid, or `required` is a string.
        RuntimeError: when the server requires no tokens, so that the caller is unknown.
    """
    if isinstance(request, Mapping):
        owner, is_trusted = request.get(ASGI_OWNER_KEY), False
    else:
        owner, is_trusted = request.resource_owner, request.port.client.is_local
    needed = check_scopes(required) or []
    if isinstance(owner, ResourceOwner):
        if not owner.granted_scopes.issuperset(needed):
            raise InsufficientScopeError(needed, owner.granted_scopes)
    elif not is_trusted:
        raise RuntimeError(
            "The scopes of a request cannot be checked: it has no token, because the server requires none. "
            "Give MCPApp an auth=ResourceServerAuth(...)."
        )
