"""What a server of ours tells of its own accord, as the official Python SDK's client hears it, in both eras."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged

from tests.commands import START, WORKBENCH, serving_http
from tests.waiting import until, within

SERVER = Path(__file__).with_name("telling_server.py")
Connect = Callable[..., Client]
LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
SESSION, STATELESS = "legacy", "2026-07-28"

pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Connect]:
    """Opens a client of the server, over the transport of this run."""
    runtime = tempfile.mkdtemp(prefix="wb-")
    environment = {"WORKBENCH_HOME": str(tmp_path / "home"), "WORKBENCH_RUNTIME": runtime}

    def to(server: StdioServerParameters | str) -> Connect:
        def connected(**options: Any) -> Client:
            return Client(server, **{"read_timeout_seconds": START, **options})

        return connected

    command = [*WORKBENCH, "serve", str(SERVER)]
    if request.param == "stdio":
        words = [*command, "--stdio"]
        yield to(StdioServerParameters(command=words[0], args=words[1:], env={**os.environ, **environment}))
    else:
        with serving_http([*command, "--http", "--port", "0"], tmp_path, environment=environment) as url:
            yield to(url)
    shutil.rmtree(runtime, ignore_errors=True)


class Heard:
    """The log messages that a client hears."""

    def __init__(self) -> None:
        self.messages: list[types.LoggingMessageNotificationParams] = []

    async def note(self, message: types.LoggingMessageNotificationParams) -> None:
        self.messages.append(message)

    @property
    def levels(self) -> list[str]:
        return [str(one.level) for one in self.messages]


async def test_a_session_hears_what_it_set_its_level_to(connect: Connect) -> None:
    heard = Heard()
    async with connect(mode=SESSION, logging_callback=heard.note) as client:
        await client.call_tool("speak", {})
        await until(lambda: len(heard.levels) == 8)
        assert heard.levels == LEVELS
        assert (heard.messages[0].logger, heard.messages[0].data) == (
            "parts",
            {"msg": "hear, hear", "extra": {"number": 1}},
        )
        heard.messages.clear()
        await client.set_logging_level("critical")
        await client.call_tool("speak", {})
        await until(lambda: len(heard.levels) == 3)
        assert heard.levels == LEVELS[5:]


async def test_without_a_session_each_request_says_what_it_wants_to_hear(connect: Connect) -> None:
    heard = Heard()
    async with connect(mode=STATELESS, logging_callback=heard.note, log_level="alert") as client:
        await client.call_tool("speak", {})
        await until(lambda: len(heard.levels) == 2)
        assert heard.levels == LEVELS[6:]


async def test_without_a_session_a_request_that_says_nothing_hears_nothing(connect: Connect) -> None:
    heard = Heard()
    async with connect(mode=STATELESS, logging_callback=heard.note) as client:
        await client.call_tool("speak", {})
        await client.call_tool("speak", {})
        assert heard.levels == []


async def test_a_session_hears_of_what_it_subscribed_to_and_of_lists(connect: Connect) -> None:
    told: list[str] = []

    async def note(message: Any) -> None:
        told.append(str(getattr(message, "method", type(message).__name__)))

    async with connect(mode=SESSION, message_handler=note) as client:
        await client.subscribe_resource("shop://stock")
        await client.call_tool("sell", {})
        await until(lambda: "notifications/resources/updated" in told)
        await client.call_tool("grow", {})
        await until(lambda: "notifications/tools/list_changed" in told)
        assert "another" in {tool.name for tool in (await client.list_tools()).tools}
        with pytest.raises(MCPError) as raised:
            await client.subscribe_resource("shop://nothing")
        assert raised.value.error.code == -32002


async def test_without_a_session_a_client_listens(connect: Connect) -> None:
    async with (
        connect(mode=STATELESS) as client,
        client.listen(tools_list_changed=True, resource_subscriptions=["shop://stock", "shop://nothing"]) as listening,
    ):
        assert listening.honored.resource_subscriptions == ["shop://stock"]
        assert listening.honored.tools_list_changed
        events = aiter(listening)
        await client.call_tool("sell", {})
        updated = await within(anext(events))
        assert isinstance(updated, ResourceUpdated)
        assert str(updated.uri) == "shop://stock"
        await client.call_tool("grow", {})
        assert isinstance(await within(anext(events)), ToolsListChanged)
        assert "another" in {tool.name for tool in (await client.list_tools()).tools}
