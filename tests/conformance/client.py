"""The command that the conformance suite starts to test our client: `python tests/conformance/client.py URL`.

The suite says in the environment which scenario it plays, at which revision, and what else the client has to know. What
each scenario wants done is a table, :data:`SCENARIOS`; all that it is done with is `workbench.client`.
"""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from server_core.protocol.revisions import LATEST, REVISIONS
from server_core.transports.http_client import HttpChannel
from workbench.cli.answering import Answering
from workbench.client.questions import Questions
from workbench.client.session import ClientSession

Json: TypeAlias = dict[str, Any]
Steps: TypeAlias = Callable[[ClientSession, Json], Awaitable[None]]


async def list_everything(session: ClientSession, context: Json) -> None:
    """List what the server offers, and nothing else."""
    await session.list_tools()
    await session.list_resources()
    await session.list_prompts()


async def call_every_tool(session: ClientSession, context: Json) -> None:
    """Call every tool that is offered, with the plainest arguments."""
    for tool in await session.list_tools():
        await session.call_tool(tool["name"], plain_arguments(tool)).result()


async def use_everything(session: ClientSession, context: Json) -> None:
    """Call a tool, read a resource and get a prompt, each the first that is offered."""
    await call_every_tool(session, context)
    for resource in (await session.list_resources())[:1]:
        await session.read_resource(resource["uri"])
    for prompt in (await session.list_prompts())[:1]:
        await session.get_prompt(prompt["name"])


async def call_as_told(session: ClientSession, context: Json) -> None:
    """Make exactly the calls that the suite asks for."""
    await session.list_tools()
    for call in context["toolCalls"]:
        await session.call_tool(call["name"], call["arguments"]).result()


async def call_at_once(session: ClientSession, context: Json) -> None:
    """Call all tools at the same time, so that the questions of one are open while others are called."""
    tools = await session.list_tools()
    await asyncio.gather(*(session.call_tool(tool["name"], plain_arguments(tool)).result() for tool in tools))


async def echo_schema(session: ClientSession, context: Json) -> None:
    """Send a schema back as it was listed."""
    schemas = {tool["name"]: tool["inputSchema"] for tool in await session.list_tools()}
    await session.call_tool("json_schema_echo", {"schema": schemas["json_schema_2020_12_tool"]}).result()


SCENARIOS: dict[str, Steps] = {
    "request-metadata": list_everything,
    "sep-2322-client-request-state": call_at_once,
    "http-standard-headers": use_everything,
    "http-custom-headers": call_as_told,
    "json-schema-ref-no-deref": list_everything,
    "json-schema-2020-12-preservation": echo_schema,
}
"""What a scenario wants done; in all others, every tool is called."""


def plain_arguments(tool: Json) -> Json:
    """Return arguments that fit the tool: one for each that it requires."""
    schema = tool.get("inputSchema", {})
    plain: Json = {"number": 2.5, "integer": 2, "boolean": True, "array": [], "object": {}}
    return {name: plain.get(schema["properties"][name].get("type"), "text") for name in schema.get("required", ())}


async def play(url: str, steps: Steps, revision: str, context: Json) -> None:
    """Open a session with the server and take the steps."""
    questions = Questions([Answering([], accept=True, sample="Paris", asker=None)])
    session = await ClientSession.open(
        HttpChannel(url), questions=questions, revision=REVISIONS[revision] if revision else LATEST
    )
    try:
        await steps(session, context)
    finally:
        await session.close()


def main(url: str) -> None:
    """Play the scenario that the environment names."""
    steps = SCENARIOS.get(os.environ.get("MCP_CONFORMANCE_SCENARIO", ""), call_every_tool)
    revision = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "")
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    asyncio.run(play(url, steps, revision, context))


if __name__ == "__main__":
    main(sys.argv[1])
