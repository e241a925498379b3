"""The smallest server, and what it says of its tool."""

import pytest

from tests.examples.echo import app
from workbench.testing import Client

pytestmark = pytest.mark.promises("app", "tool options")


async def test_a_message_comes_back(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        assert (await client.call("EchoServer_Echo", message="ü")).text == "ü"
        assert (await client.call("EchoServer.Echo", message="")).text == ""


async def test_clients_are_told_that_it_is_harmless(revision: str) -> None:
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
