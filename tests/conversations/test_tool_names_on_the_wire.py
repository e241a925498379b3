"""Tools that are named after their app, over every transport and in every revision."""

from typing import Annotated, Any

import pytest

from server_core import Header, MCPApp
from server_core.errors import RemoteError
from server_core.protocol.codes import INVALID_PARAMS
from server_core.protocol.revisions import LATEST_STATELESS
from tests.conversations.conftest import World, over
from tests.server_core.toolkit import generation
from tests.waiting import within

pytestmark = pytest.mark.promises("tool names")

NAMES = ("EchoServer_SayHello", "EchoServer.SayHello", "EchoServer.SayHello@1.2.3")


def serve_echoes(world: World) -> MCPApp:
    """Serve an app whose tools are named after it."""
    app = MCPApp("echo_server", "1.2.3")

    @app.tool
    async def say_hello(region: Annotated[str, Header("Region")] = "here") -> str:
        """Greet."""
        return f"Hello from {region}"

    @app.prompt
    def farewell() -> str:
        """Take leave."""
        return "Goodbye"

    catalog, problems = app.build()
    assert not problems
    world.server.swap(generation(catalog, app, number=2))
    return app


async def text_of(call: Any) -> str:
    """Return the outcome of a call."""
    return str((await within(call.result()))["content"][0]["text"])


@over()
async def test_a_tool_is_listed_by_its_name_on_the_wire_and_called_by_each_of_its_names(world: World) -> None:
    serve_echoes(world)
    session = await world.open()
    (tool,) = await within(session.list_tools())
    assert tool["name"] == "EchoServer_SayHello"
    assert tool.get("title", "SayHello") == "SayHello"
    assert [prompt["name"] for prompt in await within(session.list_prompts())] == ["farewell"]
    for name in NAMES:
        assert await text_of(session.call_tool(name, {})) == "Hello from here"
    for name in ("say_hello", "EchoServer.SayHello@2.0.0", "echoserver_sayhello"):
        with pytest.raises(RemoteError, match="Unknown tool") as raised:
            await text_of(session.call_tool(name, {}))
        assert raised.value.code == INVALID_PARAMS


@over(lambda revision: revision is LATEST_STATELESS, ("http",))
async def test_an_argument_is_repeated_in_its_header_under_the_name_that_was_listed(world: World) -> None:
    serve_echoes(world)
    session = await world.open()
    await within(session.list_tools())
    assert await text_of(session.call_tool("EchoServer_SayHello", {"region": "there"})) == "Hello from there"
    with pytest.raises(RemoteError, match="mcp-param-region header is missing"):
        await text_of(session.call_tool("EchoServer.SayHello", {"region": "there"}))
