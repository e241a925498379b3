"""What a server does is traced and counted as documented, over every transport, and nothing secret with it."""

import json
from typing import Any

import pytest
from opentelemetry.trace import StatusCode

from server_core import Context, MCPApp
from server_core.errors import RemoteError, RetryableToolError
from server_core.protocol.revisions import Revision
from server_core.records.tap import Tap
from server_core.serving.server import Server
from server_core.settings import Settings
from server_core.telemetry.startup import instrument
from server_core.transports.memory import MemoryChannel
from tests.conversations.conftest import World, over, world
from tests.conversations.test_notifications import message, raw_channel, received
from tests.server_core.telemetry.memory import MemoryCollector
from tests.server_core.toolkit import generation, secret_values
from tests.waiting import within
from workbench.client.session import ClientSession

pytestmark = pytest.mark.promises("telemetry")

__all__ = ["world"]
TRACE = "0af7651916cd43dd8448eb211c80319c"
SECRET = "hunter2-hunter2"
OF_OTHERS = "no row for user 4711"


def is_recent(revision: Revision) -> bool:
    return revision.date in ("2025-11-25", "2026-07-28")


@pytest.fixture
def memory() -> MemoryCollector:
    return MemoryCollector()


@over(is_recent)
async def test_a_call_is_traced_with_the_tool_itself_within_it(world: World, memory: MemoryCollector) -> None:
    instrument(world.server, memory.collector)
    client = await world.open()
    await within(client.call_tool("add", {"a": 1, "b": 2}).result())
    call, run = memory.spans["CallTool"], memory.spans["RunTool"]
    assert call.parent is None
    assert run.parent is not None
    assert call.context is not None
    assert run.parent.span_id == call.context.span_id
    facts = {"tool_name": "add", "toolkit_name": "toolkit", "toolkit_version": "1.2.3", "environment": "dev"}
    assert memory.attributes("CallTool") == memory.attributes("RunTool") == facts
    assert memory.counts() == [("tool_call", facts, 1)]


@over(is_recent, transports=("memory",))
async def test_lists_and_reads_are_traced_with_their_outcome(world: World, memory: MemoryCollector) -> None:
    instrument(world.server, memory.collector)
    client = await world.open()
    await within(client.request("tools/list"))
    await within(client.request("resources/list"))
    await within(client.request("resources/read", {"uri": "toolkit://motto"}))
    for name in ("Catalog", "ListResources", "ReadResource"):
        assert memory.attributes(name)["outcome"] == "success"
        assert memory.attributes(name)["environment"] == "dev"
    assert memory.attributes("ReadResource")["resource_uri"] == "toolkit://motto"
    async with raw_channel(world) as channel:
        for params, outcome in (({"uri": "toolkit://none"}, "not_found"), ({}, "invalid_request")):
            await within(channel.send(message(world, 1, "resources/read", **params)))
            assert "error" in await received(channel)
            assert memory.attributes("ReadResource")["outcome"] == outcome
            assert memory.spans["ReadResource"].status.status_code is StatusCode.ERROR


@over(is_recent, transports=("memory",))
async def test_a_call_belongs_to_the_trace_of_its_client(world: World, memory: MemoryCollector) -> None:
    instrument(world.server, memory.collector)
    client = await world.open()
    params = {"name": "echo", "arguments": {"text": "x"}, "_meta": {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}}
    await within(client.request("tools/call", params))
    call = memory.spans["CallTool"]
    assert call.context is not None
    assert call.parent is not None
    assert (f"{call.context.trace_id:032x}", f"{call.parent.span_id:016x}") == (TRACE, "b7ad6b7169203331")
    for garbage in ("nonsense", 5, None):
        await within(client.request("tools/call", {**params, "_meta": {"traceparent": garbage}}))
        assert memory.spans["CallTool"].parent is None


@over(is_recent, transports=("memory",))
async def test_a_name_that_a_client_makes_up_is_traced_and_no_label(world: World, memory: MemoryCollector) -> None:
    instrument(world.server, memory.collector)
    client = await world.open()
    with pytest.raises(RemoteError):
        await within(client.call_tool("no_such" * 1000, {}).result())
    assert memory.attributes("CallTool")["tool_name"].startswith("no_such")
    assert len(memory.attributes("CallTool")["tool_name"]) <= 2000
    assert memory.spans["CallTool"].status.status_code is StatusCode.ERROR
    assert memory.counts() == []


def shop(memory: MemoryCollector) -> Server:
    app = MCPApp("shop", "2.0.0")

    @app.tool
    async def sell(context: Context) -> str:
        """Fail, with a secret in the developer message."""
        raise RetryableToolError(
            "Sold out.", developer_message=f"key {SECRET} at https://ada:pw@example.org/stock?token=abc"
        )

    @app.tool
    def crash() -> str:
        """Fail in an unforeseen way."""
        raise ValueError(SECRET)

    @app.resource("shop://stock")
    def stock() -> str:
        """Fail in an unforeseen way."""
        raise ValueError(OF_OTHERS)

    server = Server(Tap(), Settings(environment="prod"), secret_values, app.identity)
    server.tap.masker.set({"KEY": SECRET})
    instrument(server, memory.collector)
    catalog, problems = app.build()
    assert not problems
    server.swap(generation(catalog, app))
    return server


async def fail_call(server: Server, tool: str) -> dict[str, Any]:
    client = await within(ClientSession.open(MemoryChannel(server)))
    result = await within(client.call_tool(tool, {}).result())
    await within(client.close())
    return result


async def test_a_failure_has_its_developer_message_without_secrets(memory: MemoryCollector) -> None:
    assert (await fail_call(shop(memory), "Shop_Sell"))["isError"] is True
    assert memory.attributes("CallTool") == {
        "tool_name": "Shop_Sell",
        "toolkit_name": "shop",
        "toolkit_version": "2.0.0",
        "environment": "prod",
        "tool_error_kind": "TOOL_RUNTIME_RETRY",
        "tool_error_message": "Sold out.",
        "tool_error_developer_message": "key <secret KEY> at https://example.org/stock",
    }
    for name in ("CallTool", "RunTool"):
        assert memory.spans[name].status.status_code is StatusCode.ERROR


async def test_an_unexpected_exception_is_traced_masked(memory: MemoryCollector) -> None:
    await fail_call(shop(memory), "Shop_Crash")
    assert memory.attributes("CallTool")["tool_error_kind"] == "TOOL_RUNTIME_FATAL"
    spans = [json.loads(span.to_json()) for span in memory.spans.values()]
    assert SECRET not in json.dumps(spans)
    assert all(item["events"] == [] for item in spans)


async def test_the_text_of_a_foreign_exception_is_not_in_the_status_of_a_span(memory: MemoryCollector) -> None:
    client = await within(ClientSession.open(MemoryChannel(shop(memory))))
    with pytest.raises(RemoteError):
        await within(client.request("resources/read", {"uri": "shop://stock"}))
    await within(client.close())
    span = memory.spans["ReadResource"]
    assert span.status.status_code is StatusCode.ERROR
    assert OF_OTHERS not in span.to_json()
