"""Who a client has proved to be, as whoever checks credentials in front of us tells it."""

from collections.abc import Callable
from typing import TypeAlias

from server_core.resource_server.owner import SCOPE_KEY
from server_core.transports.streamable.http_exchange import Scope

Principal: TypeAlias = Callable[[Scope], str]
"""Returns the name of whoever sends a request, given its ASGI scope; empty for nobody in particular."""


def authenticated_user(scope: Scope) -> str:
    """Return whose token was checked, or else whom a middleware in front of us has found, in the way of Starlette.

    Args:
        scope: of the request; its `user` has `is_authenticated`, and an `identity` or a `display_name`.

    Returns:
        Their name; empty for nobody.
    """
    if (owner := scope.get(SCOPE_KEY)) is not None:
        return str(owner.principal)
    user = scope.get("user")
    if user is None or not getattr(user, "is_authenticated", False):
        return ""
    try:
        return str(user.identity)
    except (AttributeError, NotImplementedError):
        return str(getattr(user, "display_name", ""))
