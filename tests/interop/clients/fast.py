"""fastmcp's client."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from checking import Lacking
from checks import checks
from client import ROOT, Json, OnProgress, Started, started
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport
from fastmcp_tasks import call_tool_task
from sdk import MODES, SdkClient, asked, reporting, wire


class FastClient(SdkClient):
    """A session of fastmcp's client."""

    async def list(self, kind: str) -> tuple[list[Json], int]:
        ask = {
            "tools": self.client.list_tools_mcp,
            "resources": self.client.list_resources_mcp,
            "resourceTemplates": self.client.list_resource_templates_mcp,
            "prompts": self.client.list_prompts_mcp,
        }[kind]
        entries: list[Json] = []
        cursor, pages = None, 0
        while pages == 0 or cursor is not None:
            page = await asked(ask(cursor=cursor))
            entries += wire(page)[kind]
            cursor, pages = page.next_cursor, pages + 1
        return entries, pages

    async def call(self, name: str, arguments: Json | None = None, on_progress: OnProgress | None = None) -> Json:
        call = self.client.call_tool_mcp(
            name, arguments or {}, progress_handler=reporting(on_progress), meta=self.meta or None
        )
        return wire(await asked(call))

    async def call_as_task(self, name: str, arguments: Json | None = None) -> Json:
        if self.revision != "2026-07-28":
            raise Lacking("The client's library has no tasks up to 2025-11-25.")
        task = await call_tool_task(self.client, name, arguments)
        result = await task.result()
        return {"content": [wire(block) for block in result.content], "isError": result.is_error}

    async def read(self, uri: str) -> Json:
        return wire(await asked(self.client.read_resource_mcp(uri)))

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Json:
        return wire(await asked(self.client.get_prompt_mcp(name, arguments)))

    async def complete(self, ref: Json, argument: dict[str, str]) -> Json:
        return wire(await asked(self.client.complete_mcp(types.PromptReference(name=ref["name"]), argument)))

    async def elicited(self, message: str, kind: Any, params: types.ElicitRequestParams, context: Any) -> Any:
        """Answer for the user."""
        return ElicitResult.model_validate(self.answers.elicit(wire(params)))

    async def sampled(self, messages: Any, params: types.CreateMessageRequestParams, context: Any) -> Any:
        """Answer for the model."""
        return types.CreateMessageResult.model_validate(self.answers.create_message(wire(params)))


@asynccontextmanager
async def connected(how: Started) -> AsyncIterator[FastClient]:
    """Begin a session."""
    client = FastClient(how)
    stdio = (
        StdioTransport(how.command[0], how.command[1:], env={**os.environ}, keep_alive=False) if how.command else None
    )
    async with Client(
        stdio or how.url,
        mode=MODES[how.era],
        elicitation_handler=client.elicited,
        sampling_handler=client.sampled,
        roots=[ROOT],
        log_handler=client.logged,
        message_handler=client.notified,
    ) as client.client:
        yield client


if __name__ == "__main__":
    how = started()
    asyncio.run(checks.run(lambda: connected(how)))
