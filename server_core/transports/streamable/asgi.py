"""The ASGI interface: its types, its lifespan protocol, and the authenticated user of a request.

Specification: https://asgi.readthedocs.io/en/latest/specs/index.html
"""

from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any, TypeAlias

from server_core.errors import WorkbenchError
from server_core.resource_server.owner import ASGI_OWNER_KEY

Scope: TypeAlias = MutableMapping[str, Any]
AsgiMessage: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[AsgiMessage]]
Send: TypeAlias = Callable[[AsgiMessage], Awaitable[None]]

# Returns the name of the authenticated user of a request, given its scope; empty for none.
Principal: TypeAlias = Callable[[Scope], str]


async def run_lifespan(lifespan: AbstractAsyncContextManager[None], receive: Receive, send: Send) -> None:
    """Keep a context entered while the ASGI server runs."""
    await receive()
    async with AsyncExitStack() as entered:
        try:
            await entered.enter_async_context(lifespan)
        except WorkbenchError as error:
            # If raised, the server would assume that the application does not support lifespans, and serve it anyway.
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
    await send({"type": "lifespan.shutdown.complete"})


def authenticated_user(scope: Scope) -> str:
    """Return the owner of the checked token, else the user in the scope, as Starlette's middleware sets it; or ""."""
    if (owner := scope.get(ASGI_OWNER_KEY)) is not None:
        return str(owner.principal)
    user = scope.get("user")
    if user is None or not getattr(user, "is_authenticated", False):
        return ""
    try:
        return str(user.identity)
    except (AttributeError, NotImplementedError):
        return str(getattr(user, "display_name", ""))
