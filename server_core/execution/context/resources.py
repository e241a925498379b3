"""`context.resources`: the resources of this server, and who wants to know of them."""

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
    """`context.resources`: read the resources of this server, list them, and tell of new contents."""

    async def read(self, uri: str) -> "builtins.list[ResourceContents]":
        """Return the contents of a resource of this server; each has a `uri`, and a `text` or a `blob`.

        Args:
            uri: its address.

        Raises:
            ResourceNotFound: when there is no such resource.
        """
        result = await ask_own_server(self._context, "resources/read", {"uri": uri})
        return [BlobResourceContents(one) if "blob" in one else TextResourceContents(one) for one in result["contents"]]

    async def get(self, uri: str) -> ResourceContents:
        """Return the first of the contents of a resource of this server; see :meth:`read`.

        Raises:
            ContextError: when it holds nothing.
        """
        contents = await self.read(uri)
        if not contents:
            raise ContextError(f"The resource {uri} holds nothing.")
        return contents[0]

    async def list(self) -> "builtins.list[Resource]":
        """Return the resources of this server, as clients are told of them."""
        return [Resource(one) for one in await list_all(self._context, "resources/list", "resources")]

    async def list_templates(self) -> "builtins.list[ResourceTemplate]":
        """Return the templates of resources of this server, as clients are told of them."""
        templates = await list_all(self._context, "resources/templates/list", "resourceTemplates")
        return [ResourceTemplate(one) for one in templates]

    async def list_roots(self, timeout: float | None = None, key: str = "") -> "builtins.list[Root]":
        """Return the folders of the client; see :meth:`Roots.list`."""
        return await self._context.roots.list(timeout, key)

    async def updated(self, uri: str) -> None:
        """Tell every client that wants to know it that a resource has new contents.

        Args:
            uri: its address; whoever subscribed to a resource that it is a part of is told as well.

        Source: server/resources, subscriptions.
        """
        from server_core.serving.list_changed import resource_updated

        self._context.changed(resource_updated(uri))
