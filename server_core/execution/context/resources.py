"""`context.resources`: the resources of this server, and notifications of their updates."""

import builtins

from server_core.errors import ContextError
from server_core.execution.context.client_port import Namespace
from server_core.execution.context.nested_requests import ask_own_server, list_all
from server_core.types import (
    BlobResourceContents,
    Resource,
    ResourceContents,
    ResourceTemplate,
    Root,
    TextResourceContents,
)


class Resources(Namespace):
    """`context.resources`: read and list the resources of this server, and notify clients of updates."""

    async def read(self, uri: str) -> "builtins.list[ResourceContents]":
        """Return the contents of a resource of this server; each has a `uri`, and a `text` or a `blob`.

        Args:
            uri: its URI.

        Raises:
            ResourceNotFound: when there is no such resource.
        """
        result = await ask_own_server(self._context, "resources/read", {"uri": uri})
        return [
            BlobResourceContents(part) if "blob" in part else TextResourceContents(part) for part in result["contents"]
        ]

    async def get(self, uri: str) -> ResourceContents:
        """Return the first entry of the contents of a resource of this server; see :meth:`read`.

        Raises:
            ContextError: when the resource is empty.
        """
        contents = await self.read(uri)
        if not contents:
            raise ContextError(f"The resource {uri} holds nothing.")
        return contents[0]

    async def list(self) -> "builtins.list[Resource]":
        """Return the resources of this server, as clients see them."""
        return [Resource(entry) for entry in await list_all(self._context, "resources/list", "resources")]

    async def list_templates(self) -> "builtins.list[ResourceTemplate]":
        """Return the resource templates of this server, as clients see them."""
        templates = await list_all(self._context, "resources/templates/list", "resourceTemplates")
        return [ResourceTemplate(template) for template in templates]

    async def list_roots(self, timeout: float | None = None, key: str = "") -> "builtins.list[Root]":
        """Return the roots of the client; see :meth:`Roots.list`."""
        return await self._context.roots.list(timeout, key)

    async def updated(self, uri: str) -> None:
        """Notify every subscribed client that a resource has new contents.

        Args:
            uri: its URI; subscribers of a resource that contains it are notified, too.

        Source: server/resources, subscriptions.
        """
        from server_core.serving.list_changed import resource_updated

        self._context.changed(resource_updated(uri))
