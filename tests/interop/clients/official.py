"""The official Python SDK's client."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from checks import checks
from client import ROOT, Json, OnProgress, Started, started
from mcp import Client, StdioServerParameters
from sdk import MODES, SdkClient, asked, reporting, wire


class OfficialClient(SdkClient):
    """A session of the SDK's own client."""

    async def list(self, kind: str) -> tuple[list[Json], int]:
        ask = {
            "tools": self.client.list_tools,
            "resources": self.client.list_resources,
            "resourceTemplates": self.client.list_resource_templates,
            "prompts": self.client.list_prompts,
        }[kind]
        entries: list[Json] = []
        cursor, pages = None, 0
        while pages == 0 or cursor is not None:
            page = await asked(ask(cursor=cursor, cache_mode="refresh"))
            entries += wire(page)[kind]
            cursor, pages = page.next_cursor, pages + 1
        return entries, pages

    async def call(self, name: str, arguments: Json | None = None, on_progress: OnProgress | None = None) -> Json:
        call = self.client.call_tool(
            name, arguments or {}, progress_callback=reporting(on_progress), meta=self.meta or None
        )
        return wire(await asked(call))

    async def read(self, uri: str) -> Json:
        return wire(await asked(self.client.read_resource(uri)))

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Json:
        return wire(await asked(self.client.get_prompt(name, arguments)))

    async def complete(self, ref: Json, argument: dict[str, str]) -> Json:
        return wire(await asked(self.client.complete(types.PromptReference(name=ref["name"]), argument)))

    async def elicited(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        """Answer for the user."""
        return types.ElicitResult.model_validate(self.answers.elicit(wire(params)))

    async def sampled(self, context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        """Answer for the model."""
        return types.CreateMessageResult.model_validate(self.answers.create_message(wire(params)))

    async def rooted(self, context: Any) -> types.ListRootsResult:
        """Name the folders."""
        return types.ListRootsResult.model_validate({"roots": [{"uri": ROOT}]})


@asynccontextmanager
async def connected(how: Started) -> AsyncIterator[OfficialClient]:
    """Begin a session."""
    client = OfficialClient(how)
    server: StdioServerParameters | str = how.url
    if how.command:
        # Without the variables, the SDK hands on little more than the PATH.
        server = StdioServerParameters(command=how.command[0], args=how.command[1:], env={**os.environ})
    async with Client(
        server,
        mode=MODES[how.era],
        elicitation_callback=client.elicited,
        sampling_callback=client.sampled,
        list_roots_callback=client.rooted,
        logging_callback=client.logged,
        message_handler=client.notified,
    ) as client.client:
        yield client


if __name__ == "__main__":
    how = started()
    asyncio.run(checks.run(lambda: connected(how)))
