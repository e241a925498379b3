"""`context.prompts`: the prompts of this server."""

import builtins
from collections.abc import Mapping

from server_core.execution.context.client_port import Namespace
from server_core.execution.context.nested_requests import ask_own_server, list_all
from server_core.types import GetPromptResult, Prompt, PromptMessage, content_blocks


class Prompts(Namespace):
    """`context.prompts`: list the prompts of this server, and get one."""

    async def list(self) -> "builtins.list[Prompt]":
        """Return the prompts of this server, as clients see them."""
        return [Prompt(entry) for entry in await list_all(self._context, "prompts/list", "prompts")]

    async def get(self, name: str, arguments: Mapping[str, str] | None = None) -> GetPromptResult:
        """Return the messages of a prompt, each with a `role` and a `content`.

        Args:
            name: the name of the prompt.
            arguments: its arguments; always text.

        Raises:
            ProtocolError: when there is no such prompt, or the arguments are not valid.
        """
        params = {"name": name, "arguments": dict(arguments or {})}
        result = await ask_own_server(self._context, "prompts/get", params)
        messages = [
            PromptMessage(role=message["role"], content=content_blocks(message["content"])[0])
            for message in result["messages"]
        ]
        return GetPromptResult({**result, "messages": messages})
