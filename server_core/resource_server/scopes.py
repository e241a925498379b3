"""The scopes of tokens: what they allow, and what an operation takes."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from server_core.resource_server.errors import InsufficientScopeError
from server_core.resource_server.header_values import checked_scopes, is_scope
from server_core.resource_server.owner import SCOPE_KEY, ResourceOwner


class CallersPort(Protocol):
    """What a call reaches its client through."""

    @property
    def is_local(self) -> bool:
        """Whether whoever started the server has started the client as well."""


class CallersContext(Protocol):
    """What the context of a tool knows of its caller."""

    @property
    def resource_owner(self) -> ResourceOwner | None:
        """Whose token came with the request."""

    @property
    def port(self) -> CallersPort:
        """Leads to the client."""


def granted_scopes(claims: Mapping[str, Any]) -> frozenset[str]:
    """Return what a token allows: its `scope`, else `scp`, each a text with spaces or a list; else nothing.

    What is no scope is left out: a quirk of an authorization server must not keep its users out.

    Source: RFC 9068 section 2.2.3, RFC 8693 section 4.2; `scp` is what some vendors write.
    """
    for name in ("scope", "scp"):
        said = claims.get(name)
        if isinstance(said, str):
            said = said.split()
        if isinstance(said, list):
            return frozenset(one for one in said if isinstance(one, str) and is_scope(one))
    return frozenset()


def enforce_scopes(request: CallersContext | Mapping[str, Any], required: Iterable[str]) -> None:
    """Check that the token of a request has every scope that an operation takes.

    A caller on this machine that came with no token because none was asked for, as over stdio, is whoever started the
    server, and may do everything.

    Args:
        request: the context of a tool, or the ASGI scope of a request behind the check of tokens.
        required: the scopes.

    Raises:
        InsufficientScopeError: when the token lacks one; it names all that are required.
        ValueError: when one of them is no scope, or they are one text.
        RuntimeError: when no token was asked for, so that nothing is known of the caller.
    """
    if isinstance(request, Mapping):
        owner, is_trusted = request.get(SCOPE_KEY), False
    else:
        owner, is_trusted = request.resource_owner, request.port.is_local
    needed = checked_scopes(required) or []
    if isinstance(owner, ResourceOwner):
        if not owner.granted_scopes.issuperset(needed):
            raise InsufficientScopeError(needed, owner.granted_scopes)
    elif not is_trusted:
        raise RuntimeError(
            "The scopes of a request cannot be checked: it came without a token, because the server asks for none. "
            "Give MCPApp an auth=ResourceServerAuth(...)."
        )
