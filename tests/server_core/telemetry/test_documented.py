"""Each span, attribute, outcome and label on the page exists, with its value, and no other does."""

import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.trace import SpanKind, StatusCode

from server_core import Context
from server_core.errors import RemoteError, ResourceError, UpstreamRateLimitError
from server_core.middleware import CallNext, Middleware, MiddlewareContext
from server_core.telemetry.startup import instrument
from server_core.transports.memory import MemoryChannel
from tests.server_core.telemetry.memory import MemoryCollector
from tests.server_core.toolkit import Toolkit, new_server
from tests.waiting import within
from workbench.client.session import ClientSession

pytestmark = pytest.mark.promises("telemetry")

PAGE = (Path(__file__).parents[3] / "docs" / "telemetry.md").read_text("utf-8")
TOOL = {"toolkit_name": "toolkit", "toolkit_version": "1.2.3", "environment": "dev"}
FAILED = {
    "tool_error_kind": "UPSTREAM_RUNTIME_RATE_LIMIT",
    "tool_error_message": "Slow down.",
    "tool_error_developer_message": "429 of the shop",
}


def documented_attributes() -> dict[str, set[str]]:
    """The attributes of each span, as the table of the page has them."""
    attributes: dict[str, set[str]] = {}
    for spans, names_text in re.findall(r"^\| (`[A-Z].*?) \| (.*?) \|$", PAGE, re.MULTILINE):
        names = set(re.findall(r"`([a-z_]+)`", names_text))
        same = [attributes[name] for name in re.findall(r"`([A-Z]\w+)`", names_text)]
        if "without those of a failure" in names_text:
            same = [{name for name in item if not name.startswith("tool_error_")} for item in same]
        for span in re.findall(r"`(\w+)`", spans.partition(",")[0] if "in `" in spans else spans):
            attributes[span] = names.union(*same)
    return attributes


class AnsweringMiddleware(Middleware):
    """Answers a tool of its own, as authors might."""

    result: Any = None

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        return await call_next(context) if self.result is None else self.result


@pytest.fixture
def memory() -> MemoryCollector:
    return MemoryCollector()


@pytest.fixture
def answering() -> AnsweringMiddleware:
    return AnsweringMiddleware()


@pytest.fixture
async def client(memory: MemoryCollector, answering: AnsweringMiddleware) -> AsyncIterator[ClientSession]:
    toolkit = Toolkit()
    app = toolkit.app
    app.middleware = (answering,)

    @app.tool
    def ask_the_shop() -> str:
        """Ask."""
        raise UpstreamRateLimitError("Slow down.", retry_after_ms=10, developer_message="429 of the shop")

    @app.tool
    async def look_around(context: Context) -> str:
        """Ask the server."""
        await context.resources.read("toolkit://motto")
        return str(await context.tools.call_raw("add", {"a": 1, "b": 2}))

    @app.tool
    def look_around_on_a_thread(context: Context) -> str:
        """Ask the server."""
        context.blocking.resources.read("toolkit://motto")
        return str(context.blocking.tools.call_raw("add", {"a": 1, "b": 2}))

    @app.resource("toolkit://broken")
    def broken() -> str:
        """Fail."""
        raise ResourceError("It is broken.")

    server = new_server(toolkit)
    instrument(server, memory.collector)
    client = await within(ClientSession.open(MemoryChannel(server)))
    yield client
    await within(client.close())


async def test_every_span_has_the_attributes_of_the_page_and_no_others(
    client: ClientSession, memory: MemoryCollector
) -> None:
    await within(client.request("tools/list"))
    await within(client.request("resources/list"))
    await within(client.request("resources/read", {"uri": "toolkit://motto"}))
    await within(client.call_tool("ask_the_shop", {}).result())
    on_page = documented_attributes()
    assert on_page == {name: set(memory.attributes(name)) for name in memory.spans}
    assert set(on_page) == {"Catalog", "ListResources", "ReadResource", "CallTool", "RunTool"}
    assert memory.attributes("CallTool") == {"tool_name": "ask_the_shop", **TOOL, **FAILED}
    assert memory.attributes("RunTool") == {"tool_name": "ask_the_shop", **TOOL}
    assert memory.counts() == [("tool_call", {"tool_name": "ask_the_shop", **TOOL}, 1)]


async def test_every_outcome_of_the_page_occurs(client: ClientSession, memory: MemoryCollector) -> None:
    outcomes: list[Any] = []
    for params in (
        {"uri": "toolkit://motto"},
        {"uri": "toolkit://none"},
        {"uri": 5},
        {"uri": "toolkit://broken"},
    ):
        with contextlib.suppress(RemoteError):
            await within(client.request("resources/read", params))
        outcomes.append(memory.attributes("ReadResource")["outcome"])
    (sentence,) = re.findall(r"`outcome` is (.*?);", PAGE)
    assert outcomes == re.findall(r"`(\w+)`", sentence)


@pytest.mark.parametrize("tool", ["look_around", "look_around_on_a_thread"])
async def test_requests_of_a_tool_to_its_own_server_are_within_its_span(
    client: ClientSession, memory: MemoryCollector, tool: str
) -> None:
    await within(client.call_tool(tool, {}).result())
    spans: Any = memory.all
    names = {span.context.span_id: f"{span.name} {span.attributes['tool_name']}" for span in spans[1:]}
    parents = [names[span.parent.span_id] if span.parent is not None else None for span in spans]
    assert [span.name for span in spans] == ["ReadResource", "RunTool", "CallTool", "RunTool", "CallTool"]
    assert parents == [f"RunTool {tool}", "CallTool add", f"RunTool {tool}", f"CallTool {tool}", None]
    assert [span.kind for span in spans] == [SpanKind.INTERNAL] * 4 + [SpanKind.SERVER]
    assert {labels["tool_name"] for _, labels, _ in memory.counts()} == {tool, "add"}


@pytest.mark.parametrize("content", [[], [{}], [{"type": "text", "text": 5}]])
async def test_any_failure_that_middleware_creates_is_passed_on(
    client: ClientSession, memory: MemoryCollector, answering: AnsweringMiddleware, content: Any
) -> None:
    for meta in (
        {},
        {"arcade": "odd"},
        {"arcade": {"errorKind": 5}},
    ):
        answering.result = {"content": content, "isError": True, "_meta": meta}
        assert (await within(client.request("tools/call", {"name": "add", "arguments": {}})))["isError"] is True
        assert memory.attributes("CallTool").items() >= {"tool_name": "add", **TOOL}.items()
        assert memory.spans["CallTool"].status.status_code is StatusCode.ERROR
