"""Clients that ask for the trace of a request get it with the result, in the form of other servers of the same kind."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from server_core import MCPApp
from server_core.middleware.otlp_json import LONGEST_TEXT
from server_core.middleware.span_collection import MAX_SPANS
from server_core.middleware.telemetry import MAX_BYTES, TelemetryPassbackMiddleware, read_trace_request
from server_core.protocol.revisions import REVISIONS, Revision
from server_core.records.tap import Tap
from server_core.serving.server import Server
from server_core.settings import Settings
from server_core.transports.memory import MemoryChannel
from tests.server_core.toolkit import generation, secret_values
from tests.waiting import within
from workbench.client.session import ClientSession

pytestmark = pytest.mark.promises("telemetry passback")

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SECRET = "hunter2-hunter2"


class Service:
    """An app that returns traces, and a client of it."""

    def __init__(self) -> None:
        self.exported = InMemorySpanExporter()
        self.provider = TracerProvider(shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self.exported))
        self.passback = TelemetryPassbackMiddleware("svc", tracer_provider=self.provider)
        self.app = app = MCPApp("tp", middleware=[self.passback])
        tracer = self.provider.get_tracer("app")

        @app.tool
        async def work() -> str:
            """Work in phases."""
            with tracer.start_as_current_span("phase1", attributes={"k": 1}) as phase:
                phase.add_event("ev", {"a": "b"})
                with tracer.start_as_current_span("inner"):
                    pass
            return "ok"

        @app.tool
        def work_on_a_thread() -> str:
            """Work in one phase."""
            with tracer.start_as_current_span("phase1"):
                return "ok"

        @app.tool
        def echo(text: str) -> str:
            """Repeat it."""
            return text

        @app.tool
        def fail() -> str:
            """Fail."""
            with tracer.start_as_current_span("phase1"):
                raise ValueError(SECRET)

        @app.tool
        def many(count: int, size: int) -> str:
            """Make many spans."""
            for number in range(count):
                with tracer.start_as_current_span(f"{number}", attributes={"text": "x" * size, "more": [True, False]}):
                    pass
            return "ok"

        @app.tool
        def reveal() -> str:
            """Put a secret into a span, and leave one span open."""
            tracer.start_span("left open")
            with tracer.start_as_current_span("phase1", attributes={"key": SECRET, "url": f"x{SECRET}x"}):
                return "ok"

        @app.resource("r://x")
        def x() -> str:
            """A resource."""
            return "z"

        self.server = Server(Tap(), Settings(), secret_values, app.identity)
        self.server.tap.masker.set({"KEY": SECRET})
        catalog, problems = app.build()
        assert not problems
        self.server.swap(generation(catalog, app))

    async def open(self, **options: Any) -> None:
        self.client = await within(ClientSession.open(MemoryChannel(self.server), **options))

    async def ask(self, method: str, params: dict[str, Any], wish: Any = None, traceparent: Any = None) -> Any:
        """Make a request, and return its result."""
        meta = {"otel": {"traces": wish}} if wish is not None else {}
        if traceparent is not None:
            meta["traceparent"] = traceparent
        return await within(self.client.request(method, {**params, "_meta": meta}))

    async def traces(self, method: str, params: dict[str, Any], detailed: bool = False, **more: Any) -> Any:
        """Make a request, and return the traces that come with its result."""
        more.setdefault("traceparent", f"00-{TRACE}-{PARENT}-01")
        result = await self.ask(method, params, {"request": True, "detailed": detailed}, **more)
        return result["_meta"]["otel"]["traces"]

    async def call(self, tool: str, detailed: bool = False, arguments: Any = None, **more: Any) -> Any:
        """Call a tool, and return the traces that come with its result."""
        return await self.traces("tools/call", {"name": tool, "arguments": arguments or {}}, detailed, **more)


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    service = Service()
    await service.open()
    yield service
    await within(service.client.close())


def spans_of(traces: Any) -> list[Any]:
    (resource,) = traces["resourceSpans"]
    assert resource["resource"] == {"attributes": [{"key": "service.name", "value": {"stringValue": "svc"}}]}
    (scope,) = resource["scopeSpans"]
    assert scope["scope"] == {"name": "mcp-telemetry-passback"}
    return list(scope["spans"])


def texts(**values: str) -> list[Any]:
    return [{"key": key.replace("__", "."), "value": {"stringValue": value}} for key, value in values.items()]


def plain(span: Any) -> Any:
    """A span without what is another each time, once that has the right form."""
    span = dict(span)
    assert re.fullmatch("[0-9a-f]{32}", span.pop("traceId"))
    assert re.fullmatch("[0-9a-f]{16}", span.pop("spanId"))
    assert int(span.pop("startTimeUnixNano")) <= int(span.pop("endTimeUnixNano"))
    span.pop("parentSpanId", None)
    for event in span.get("events", ()):
        assert event.pop("timeUnixNano").isdigit()
    return span


INNER = {"name": "inner", "kind": 1, "attributes": [], "status": {"code": 0}}
PHASE = {
    "name": "phase1",
    "kind": 1,
    "attributes": [{"key": "k", "value": {"intValue": "1"}}],
    "status": {"code": 0},
    "events": [{"name": "ev", "attributes": texts(a="b")}],
}
ROOT = {
    "name": "tools/call Tp_Work",
    "kind": 2,
    "attributes": texts(
        mcp__method="tools/call",
        mcp__tool="Tp_Work",
        gen_ai__system="mcp",
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="Tp_Work",
        gen_ai__tool__call__arguments="",
        gen_ai__tool__call__result="ok",
        gen_ai__output__messages='[{"role": "assistant", "content": "ok"}]',
    ),
    "status": {"code": 0},
}


async def test_the_capability_is_declared(service: Service) -> None:
    capability = service.client.capabilities["serverExecutionTelemetry"]
    assert capability == {"version": "2026-03-01", "signals": {"traces": {"supported": True}}}


@pytest.mark.parametrize("wish", [None, {}, {"request": False}, {"request": "yes"}, True, [1]])
async def test_a_client_that_does_not_request_it_gets_nothing(service: Service, wish: Any) -> None:
    result = await service.ask("tools/call", {"name": "Tp_Work", "arguments": {}}, wish, f"00-{TRACE}-{PARENT}-01")
    assert "otel" not in result.get("_meta", {})


async def test_the_request_and_its_phases_are_returned(service: Service) -> None:
    traces = await service.call("Tp_Work")
    phase, root = spans_of(traces)
    assert [plain(phase), plain(root)] == [PHASE, ROOT]
    assert (phase["traceId"], root["traceId"]) == (TRACE, TRACE)
    assert (phase["parentSpanId"], root["parentSpanId"]) == (root["spanId"], PARENT)
    assert (traces["truncated"], traces["droppedSpanCount"]) == (True, 1)


async def test_a_request_for_details_gets_the_spans_within_the_phases(service: Service) -> None:
    traces = await service.call("Tp_Work", detailed=True)
    inner, phase, root = spans_of(traces)
    assert [plain(inner), plain(phase), plain(root)] == [INNER, PHASE, ROOT]
    assert inner["parentSpanId"] == phase["spanId"]
    assert (traces["truncated"], traces["droppedSpanCount"]) == (False, 0)


@pytest.mark.parametrize("traceparent", [None, "", 5, f"ff-{TRACE}-{PARENT}-01", f"00-{'0' * 32}-{PARENT}-01", "00-x"])
async def test_without_a_trace_of_the_client_the_server_starts_one_without_details(
    service: Service, traceparent: Any
) -> None:
    traces = await service.call("Tp_Work", traceparent=traceparent)
    phase, root = spans_of(traces)
    assert "parentSpanId" not in root
    assert root["traceId"] == phase["traceId"] != TRACE
    assert traces["droppedSpanCount"] == 1


async def test_a_client_without_sampling_gets_its_result(service: Service) -> None:
    assert len(spans_of(await service.call("Tp_Work", traceparent=f"00-{TRACE}-{PARENT}-00"))) == 2


async def test_a_tool_on_a_thread_is_traced_too(service: Service) -> None:
    phase, root = spans_of(await service.call("Tp_WorkOnAThread"))
    assert phase["parentSpanId"] == root["spanId"]


async def test_arguments_are_returned_as_the_input(service: Service) -> None:
    (root,) = spans_of(await service.call("Tp_Echo", arguments={"text": "hi"}))
    attributes = {attribute["key"]: attribute["value"]["stringValue"] for attribute in root["attributes"]}
    assert attributes["gen_ai.tool.call.arguments"] == '{"text": "hi"}'
    assert json.loads(attributes["gen_ai.input.messages"]) == [{"role": "user", "content": '{"text": "hi"}'}]


async def test_a_read_is_traced(service: Service) -> None:
    (root,) = spans_of(await service.traces("resources/read", {"uri": "r://x"}))
    assert plain(root) == {
        "name": "resources/read r://x",
        "kind": 2,
        "attributes": texts(
            mcp__method="resources/read",
            mcp__resource__uri="r://x",
            gen_ai__system="mcp",
            gen_ai__operation__name="execute_tool",
            gen_ai__tool__name="resources/read r://x",
            gen_ai__input__messages='[{"role": "user", "content": "{\\"uri\\": \\"r://x\\"}"}]',
            gen_ai__tool__call__result="z",
            gen_ai__output__messages='[{"role": "assistant", "content": "z"}]',
        ),
        "status": {"code": 0},
    }


async def test_a_failed_call_has_a_failed_span_and_no_secret(service: Service) -> None:
    traces = await service.call("Tp_Fail")
    *_, root = spans_of(traces)
    assert root["status"]["code"] == 2
    assert "ValueError" in root["status"]["message"]
    assert SECRET not in json.dumps(traces)


async def test_secrets_in_spans_are_masked_and_open_spans_are_left_out(service: Service) -> None:
    traces = await service.call("Tp_Reveal", detailed=True)
    assert [span["name"] for span in spans_of(traces)] == ["phase1", "tools/call Tp_Reveal"]
    assert SECRET not in json.dumps(traces)
    assert "<secret KEY>" in json.dumps(traces)


async def test_responses_are_bounded_and_counted(service: Service) -> None:
    traces = await service.call("Tp_Many", arguments={"count": MAX_SPANS + 10, "size": 1})
    assert len(spans_of(traces)) == MAX_SPANS + 1
    assert (traces["truncated"], traces["droppedSpanCount"]) == (True, 10)
    traces = await service.call("Tp_Many", arguments={"count": 200, "size": 100_000})
    spans = spans_of(traces)
    assert len(json.dumps(traces)) < MAX_BYTES * 1.1
    assert len(spans) + traces["droppedSpanCount"] == 201
    assert traces["truncated"] is True
    assert len(spans[0]["attributes"][0]["value"]["stringValue"]) == LONGEST_TEXT
    assert spans[0]["attributes"][1]["value"] == {"arrayValue": {"values": [{"boolValue": True}, {"boolValue": False}]}}


async def test_long_arguments_and_results_stay_readable(service: Service) -> None:
    (root,) = spans_of(await service.call("Tp_Echo", arguments={"text": '"\n' * 5000}))
    attributes = {attribute["key"]: attribute["value"]["stringValue"] for attribute in root["attributes"]}
    assert all(len(value) <= LONGEST_TEXT for value in attributes.values())
    for name in ("gen_ai.input.messages", "gen_ai.output.messages"):
        assert json.loads(attributes[name])[0]["content"]


async def test_calls_in_one_trace_keep_their_spans_apart(service: Service) -> None:
    many = [service.call("Tp_Work", detailed=True) for _ in range(20)]
    for traces in await asyncio.gather(*many):
        inner, phase, root = spans_of(traces)
        assert (inner["parentSpanId"], phase["parentSpanId"]) == (phase["spanId"], root["spanId"])


async def test_exported_spans_contain_no_arguments_and_no_results(service: Service) -> None:
    await service.call("Tp_Echo", arguments={"text": "a private matter"})
    (span,) = service.exported.get_finished_spans()
    assert span.name == "tools/call Tp_Echo"
    assert dict(span.attributes or {}) == {"mcp.method": "tools/call", "mcp.tool": "Tp_Echo"}


@pytest.mark.parametrize("revision", REVISIONS.values(), ids=REVISIONS)
async def test_it_is_sent_with_the_results_of_every_revision(revision: Revision) -> None:
    service = Service()
    await service.open(revision=revision)
    assert len(spans_of(await service.call("Tp_Work"))) == 2
    await within(service.client.close())


def test_only_a_valid_request_for_telemetry_is_read() -> None:
    wish = {"otel": {"traces": {"request": True}}}
    assert read_trace_request({}) is None
    assert read_trace_request({"_meta": "x"}) is None
    assert read_trace_request({"_meta": wish}) == (False, (0, 0))
    named = read_trace_request({"_meta": {**wish, "traceparent": f"01-{TRACE}-{PARENT}-00-later"}})
    assert named == (False, (int(TRACE, 16), int(PARENT, 16)))


ALONE = """
import asyncio, json, sys
if {without}:
    sys.modules["opentelemetry.sdk"] = None
from server_core.middleware import MiddlewareContext
from server_core.middleware.telemetry import TelemetryPassbackMiddleware
from server_core.protocol.jsonrpc import Request

async def work(context):
    if not {without}:
        from opentelemetry import trace
        with trace.get_tracer("app").start_as_current_span("phase1"):
            pass
    return {{"content": [{{"type": "text", "text": "ok"}}]}}

async def main():
    meta = {{"otel": {{"traces": {{"request": True}}}}, "traceparent": "00-{trace}-{parent}-01"}}
    request = Request(1, "tools/call", {{"name": "work", "_meta": meta}})
    context = MiddlewareContext(message=request, method="tools/call")
    print(json.dumps(await TelemetryPassbackMiddleware("svc")(context, work)))

asyncio.run(main())
"""


@pytest.mark.parametrize(("without", "names"), [(True, ["tools/call work"]), (False, ["phase1", "tools/call work"])])
def test_it_needs_no_provider_and_without_opentelemetry_there_is_one_span(without: bool, names: list[str]) -> None:
    code = ALONE.format(without=without, trace=TRACE, parent=PARENT)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=20, check=True, text=True)
    spans = spans_of(json.loads(done.stdout)["_meta"]["otel"]["traces"])
    assert [span["name"] for span in spans] == names
    assert spans[-1]["traceId"] == TRACE
    assert spans[-1]["parentSpanId"] == PARENT
    assert done.stderr == ""
