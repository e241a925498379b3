"""The authenticated user of a request, as determined by our token check or by a middleware."""

from collections.abc import Callable
from typing import TypeAlias

from server_core.resource_server.owner import ASGI_OWNER_KEY
from server_core.transports.streamable.http_exchange import Scope

Principal: TypeAlias = Callable[[Scope], str]
"""Returns the name of the authenticated user of a request, given its ASGI scope; empty for none."""


def authenticated_user(scope: Scope) -> str:
    """Return the owner of the checked token, or else the user that a middleware has set, as in Starlette.

    Args:
        scope: the ASGI scope; its `user` has `is_authenticated`, and an `identity` or a `display_name`.

    Returns:
        The name of the user; empty for none.
    """
    if (owner := scope.get(ASGI_OWNER_KEY)) is not None:
        return str(owner.principal)
    user = scope.get("user")
    if user is None or not getattr(user, "is_authenticated", False):
        return ""
    try:
        return str(user.identity)
    except (AttributeError, NotImplementedError):
        return str(getattr(user, "display_name", ""))
