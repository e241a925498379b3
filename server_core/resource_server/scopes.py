"""The scopes that tokens grant, and that operations require."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from server_core.resource_server.errors import InsufficientScopeError
from server_core.resource_server.header_values import checked_scopes, is_scope
from server_core.resource_server.owner import SCOPE_KEY, ResourceOwner

if TYPE_CHECKING:
    from server_core.execution.context.context import Context


def granted_scopes(claims: Mapping[str, Any]) -> frozenset[str]:
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


def enforce_scopes(request: "Context | Mapping[str, Any]", required: Iterable[str]) -> None:
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
        owner, is_trusted = request.get(SCOPE_KEY), False
    else:
        owner, is_trusted = request.resource_owner, request.port.client.is_local
    needed = checked_scopes(required) or []
    if isinstance(owner, ResourceOwner):
        if not owner.granted_scopes.issuperset(needed):
            raise InsufficientScopeError(needed, owner.granted_scopes)
    elif not is_trusted:
        raise RuntimeError(
            "The scopes of a request cannot be checked: it has no token, because the server requires none. "
            "Give MCPApp an auth=ResourceServerAuth(...)."
        )
