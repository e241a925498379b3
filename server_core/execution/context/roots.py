"""`context.roots`: the folders that the client exposes to the server.

Source: client/roots.
"""

import builtins

from server_core.errors import RootsNotSupportedError
from server_core.execution.context.client_port import Namespace
from server_core.types import Root


class Roots(Namespace):
    """`context.roots`: list the client's roots."""

    async def list(self, timeout: float | None = None, key: str = "") -> builtins.list[Root]:
        """Return the roots: each has a `uri`, and a `name` if the client provides it.

        Args:
            timeout: seconds to wait; the default is a setting.
            key: a name for the request, as for `context.ui.elicit`.

        Raises:
            RootsNotSupportedError: when the client does not support roots.
            ContextError: when the client does not answer in time.
            RemoteError: when the client answers with an error.
        """
        if "roots" not in self._context.port.client.capabilities:
            reason = "This client provides no roots: it did not declare the roots capability."
            raise RootsNotSupportedError(reason, {"roots": {}})
        result = await self._context.request("roots/list", {}, timeout, key)
        roots = result.get("roots")
        return [Root(root) for root in roots if isinstance(root, dict)] if isinstance(roots, builtins.list) else []
