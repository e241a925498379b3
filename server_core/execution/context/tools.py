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
        """Return the tools of this server, as clients are told of them."""
        return [MCPTool(one) for one in await list_all(self._context, "tools/list", "tools")]

    async def call_raw(self, name: str, params: Mapping[str, Any] | None = None) -> CallToolResult:
        """Call a tool of this server, with its own secrets and everything else that it needs, and wait for it.

        What it logs and asks reaches the client as a part of the call that runs. When that is cancelled, it is too.

        Args:
            name: of the tool, as clients call it.
            params: its arguments.

        Returns:
            `content`, `structuredContent` and `isError`; every failure of the tool is such a result, and so is a
            request that is refused.

        Raises:
            ContextError: when the call has no server, or is over.
            UrlElicitationRequired: when a person has to visit an address before the tool can run.
        """
        return await call_own_tool(self._context, name, dict(params or {}))
