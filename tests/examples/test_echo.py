"""The smallest server, and the hints about its tool."""

import pytest

from tests.examples.echo import app
from workbench.testing import Client

pytestmark = pytest.mark.promises("app", "tool options")


async def test_a_message_is_returned(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        assert (await client.call("EchoServer_Echo", message="ü")).text == "ü"
        assert (await client.call("EchoServer.Echo", message="")).text == ""


async def test_the_hints_are_those_of_a_harmless_tool(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        (tool,) = await client.list_tools()
    assert tool["annotations"] == {
        "title": "Echo",
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert tool["_meta"]["arcade"]["metadata"]["behavior"]["operations"] == ["read"]
