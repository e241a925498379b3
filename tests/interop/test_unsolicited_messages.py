"""Log messages and notifications of our server, as the official Python SDK's client receives them, in both eras."""

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

SERVER = Path(__file__).with_name("notifying_server.py")
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


class Logs:
    """The log messages that a client receives."""

    def __init__(self) -> None:
        self.messages: list[types.LoggingMessageNotificationParams] = []

    async def on_message(self, message: types.LoggingMessageNotificationParams) -> None:
        self.messages.append(message)

    @property
    def levels(self) -> list[str]:
        return [str(message.level) for message in self.messages]


async def test_a_session_receives_messages_of_the_level_that_it_has_set(connect: Connect) -> None:
    logs = Logs()
    async with connect(mode=SESSION, logging_callback=logs.on_message) as client:
        await client.call_tool("log_messages", {})
        await until(lambda: len(logs.levels) == 8)
        assert logs.levels == LEVELS
        assert (logs.messages[0].logger, logs.messages[0].data) == (
            "parts",
            {"msg": "a message", "extra": {"number": 1}},
        )
        logs.messages.clear()
        await client.set_logging_level("critical")
        await client.call_tool("log_messages", {})
        await until(lambda: len(logs.levels) == 3)
        assert logs.levels == LEVELS[5:]


async def test_without_a_session_each_request_has_its_level(connect: Connect) -> None:
    logs = Logs()
    async with connect(mode=STATELESS, logging_callback=logs.on_message, log_level="alert") as client:
        await client.call_tool("log_messages", {})
        await until(lambda: len(logs.levels) == 2)
        assert logs.levels == LEVELS[6:]


async def test_without_a_session_a_request_without_a_level_receives_no_messages(connect: Connect) -> None:
    logs = Logs()
    async with connect(mode=STATELESS, logging_callback=logs.on_message) as client:
        await client.call_tool("log_messages", {})
        await client.call_tool("log_messages", {})
        assert logs.levels == []


async def test_a_session_is_notified_of_its_subscriptions_and_of_lists(connect: Connect) -> None:
    methods: list[str] = []

    async def on_message(message: Any) -> None:
        methods.append(str(getattr(message, "method", type(message).__name__)))

    async with connect(mode=SESSION, message_handler=on_message) as client:
        await client.subscribe_resource("shop://stock")
        await client.call_tool("sell", {})
        await until(lambda: "notifications/resources/updated" in methods)
        await client.call_tool("grow", {})
        await until(lambda: "notifications/tools/list_changed" in methods)
        assert "another" in {tool.name for tool in (await client.list_tools()).tools}
        with pytest.raises(MCPError) as raised:
            await client.subscribe_resource("shop://nothing")
        assert raised.value.error.code == -32002


async def test_without_a_session_a_client_subscribes_by_a_request(connect: Connect) -> None:
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
