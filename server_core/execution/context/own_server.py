"""`context.tools`, `context.prompts` and `context.resources`: what this server offers, for its own tools.

`context.notifications` notifies clients that a list of the server has changed.
"""

import builtins
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from server_core.errors import ContextError
from server_core.execution.context.call import Namespace
from server_core.execution.context.nested_requests import call_own_tool, list_all, request_own_server
from server_core.types import (
    BlobResourceContents,
    CallToolResult,
    GetPromptResult,
    MCPTool,
    Prompt,
    PromptMessage,
    Resource,
    ResourceContents,
    ResourceTemplate,
    Root,
    TextResourceContents,
    content_blocks,
)

if TYPE_CHECKING:
    from server_core.execution.context.context import Context


class Tools(Namespace):
    """`context.tools`: list the tools of this server, and call one."""

    async def list(self) -> "builtins.list[MCPTool]":
        """Return the tools of this server, as clients see them."""
        return [MCPTool(entry) for entry in await list_all(self._context, "tools/list", "tools")]

    async def call_raw(self, name: str, params: Mapping[str, Any] | None = None) -> CallToolResult:
        """Call a tool of this server, with its own secrets and other requirements, and return its result.

        Its log messages and requests reach the client as part of the running call. Cancelling that cancels it, too.

        Args:
            name: the name of the tool, as clients call it.
            params: its arguments.

        Returns:
            `content`, `structuredContent` and `isError`; every failure of the tool, and every refused request, is
            such a result.

        Raises:
            ContextError: when the call has no server, or has ended.
            UrlElicitationRequired: when the user has to visit a URL before the tool can run.
        """
        return await call_own_tool(self._context, name, dict(params or {}))


class Prompts(Namespace):
    """`context.prompts`: list the prompts of this server, and get one."""

    async def list(self) -> "builtins.list[Prompt]":
        """Return the prompts of this server, as clients see them."""
        return [Prompt(entry) for entry in await list_all(self._context, "prompts/list", "prompts")]

    async def get(self, name: str, arguments: Mapping[str, str] | None = None) -> GetPromptResult:
        """Return the messages of a prompt, each with a `role` and a `content`; its arguments are always text.

        Raises:
            ProtocolError: when there is no such prompt, or the arguments are not valid.
        """
        params = {"name": name, "arguments": dict(arguments or {})}
        result = await request_own_server(self._context, "prompts/get", params)
        messages = [
            PromptMessage(role=message["role"], content=content_blocks(message["content"])[0])
            for message in result["messages"]
        ]
        return GetPromptResult({**result, "messages": messages})


class Resources(Namespace):
    """`context.resources`: read and list the resources of this server, and notify clients of updates."""

    async def read(self, uri: str) -> "builtins.list[ResourceContents]":
        """Return the contents of a resource of this server; each has a `uri`, and a `text` or a `blob`.

        Raises:
            ResourceNotFound: when there is no such resource.
        """
        result = await request_own_server(self._context, "resources/read", {"uri": uri})
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
            raise ContextError(f"The resource {uri} has no contents.")
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

        Subscribers of a resource that contains it are notified, too.

        Source: server/resources, subscriptions.
        """
        from server_core.serving.list_changed import resource_updated

        self._context.notify_clients(resource_updated(uri))


class Notifications(Namespace):
    """`context.notifications`: notify clients that a list of the server has changed.

    An app notifies clients itself when it adds or removes something; this is for lists that depend on something else.
    """

    @property
    def tools(self) -> "ListNotifications":
        """The list of tools."""
        return ListNotifications(self._context, "tools")

    @property
    def resources(self) -> "ListNotifications":
        """The list of resources."""
        return ListNotifications(self._context, "resources")

    @property
    def prompts(self) -> "ListNotifications":
        """The list of prompts."""
        return ListNotifications(self._context, "prompts")


class ListNotifications(Namespace):
    """The notifications of one list."""

    def __init__(self, context: "Context", kind: str) -> None:
        super().__init__(context)
        self._kind = kind

    async def list_changed(self, delay: float | None = None) -> None:
        """Notify every subscribed client that the list has changed.

        Args:
            delay: seconds to wait for more changes, so that there is only one notification for all; 0 for no delay.
                The default is a setting.
        """
        from server_core.serving.list_changed import list_changed

        self._context.notify_clients(list_changed(self._kind), delay)
