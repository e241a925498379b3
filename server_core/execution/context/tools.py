"""`context.tools`: the tools of this server."""

import builtins
from collections.abc import Mapping
from typing import Any

from server_core.execution.context.client_port import Namespace
from server_core.execution.context.nested_requests import call_own_tool, list_all
from server_core.types import CallToolResult, MCPTool


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
            ContextError: when the call has no server, or is over.
            UrlElicitationRequired: when the user has to visit a URL before the tool can run.
        """
        return await call_own_tool(self._context, name, dict(params or {}))
