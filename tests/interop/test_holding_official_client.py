"""The official SDK's client while its messages are held, with its real timeout, over HTTP in both eras."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError

from server_core.core import Core
from server_core.runtime.background import spawn
from tests.small_project import small_project
from tests.waiting import LIMIT, until, within
from workbench.link.local import LocalLink

SERVER = """
from mcp.server import MCPServer

server = MCPServer("official")


@server.tool()
def shout(text: str) -> str:
    return text.upper()


server.run("stdio")
"""


@pytest.fixture(params=["ours", "relayed"])
async def core(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Core]:
    """A core with a tool `shout`: of a project, or of a server of the official SDK, so that both ends are real."""
    if request.param == "ours":
        core = Core(project=small_project(tmp_path / "small"))
    else:
        (server := tmp_path / "server.py").write_text(SERVER)
        core = Core(upstream=[sys.executable, str(server)])
    await core.start()
    await core.wait_loaded()
    await core.http.open("127.0.0.1", 0)
    yield core
    await core.stop()


@pytest.fixture
async def link(core: Core) -> AsyncIterator[LocalLink]:
    link = LocalLink(core)
    yield link
    await link.close()


@pytest.fixture(params=["legacy", "auto"])
async def client(core: Core, request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    assert core.http.url is not None
    async with Client(core.http.url, mode=request.param, read_timeout_seconds=1.5) as client:
        yield client


async def held(link: LocalLink) -> dict[str, Any]:
    """Wait until a message is held, and return it."""
    async with asyncio.timeout(LIMIT):
        while not (messages := (await link.request("hold/list"))["held"]):
            await asyncio.sleep(0.005)
    message: dict[str, Any] = messages[0]
    return message


def text_of(result: types.CallToolResult) -> str:
    block = result.content[0]
    assert isinstance(block, types.TextContent)
    return block.text


@pytest.mark.parametrize("direction", ["in", "out"])
async def test_a_client_gets_the_edited_version_within_its_timeout(
    client: Client, link: LocalLink, direction: str
) -> None:
    await link.request("hold/set", {"filter": f"tool:shout dir:{direction}", "client_timeout": 1.5})
    call = spawn(client.call_tool("shout", {"text": "Ada"}), "call")
    message = await held(link)
    assert 0 < message["seconds_left"] <= 1.5
    [record] = (await link.request("records/get", {"seqs": [message["id"]]}))["records"]
    edited = record["data"].replace("Ada", "Grace").replace("ADA", "GRACE")
    await link.request("hold/edit", {"id": message["id"], "text": edited})
    assert text_of(await within(call)) == "GRACE"


@pytest.mark.parametrize("direction", ["in", "out"])
async def test_a_client_that_times_out_continues_and_so_does_the_server(
    core: Core, client: Client, link: LocalLink, direction: str
) -> None:
    await link.request("hold/set", {"filter": f"tool:shout dir:{direction}", "client_timeout": 1.5})
    with pytest.raises(MCPError, match=r"(?i)timed out"):
        await client.call_tool("shout", {"text": "Ada"})
    # In a session its cancellation arrives; without one it closes the connection of the request.
    await until(lambda: all(message["cancelled"] for message in core.holds.describe()["held"]))
    await link.request("hold/clear")
    assert text_of(await client.call_tool("shout", {"text": "Grace"})) == "GRACE"


async def test_a_dropped_response_is_a_timeout_of_the_client(client: Client, link: LocalLink) -> None:
    await link.request("hold/set", {"filter": "tool:shout dir:out"})
    call = spawn(client.call_tool("shout", {"text": "Ada"}), "call")
    await link.request("hold/drop", {"id": (await held(link))["id"]})
    with pytest.raises(MCPError, match=r"(?i)timed out"):
        await call
    await link.request("hold/clear")
    assert text_of(await client.call_tool("shout", {"text": "Grace"})) == "GRACE"


async def test_a_client_gets_the_answer_that_was_given_by_hand(client: Client, link: LocalLink) -> None:
    await link.request("hold/set", {"filter": "tool:shout dir:in"})
    call = spawn(client.call_tool("shout", {"text": "Ada"}), "call")
    error = {"code": -32000, "message": "by hand"}
    await link.request("hold/answer", {"id": (await held(link))["id"], "error": error})
    with pytest.raises(MCPError, match="by hand"):
        await call
