"""An app that is mounted into another application is traced as `workbench serve` is, if the settings enable it."""

import subprocess
import sys
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from server_core import MCPApp
from server_core.errors import ConnectionFailed
from server_core.telemetry import startup
from tests.server_core.telemetry.memory import MemoryCollector
from tests.server_core.telemetry.test_collector import environment
from tests.server_core.toolkit import Toolkit, call, initialize
from tests.server_core.transports.test_http_mount import client_of, opened
from tests.waiting import within

pytestmark = pytest.mark.promises("telemetry")

IN_A_PROCESS_THAT_HAS_ITS_OWN = """
import asyncio, sys
import httpx
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.server_core.telemetry.test_mounted import call_tool
from tests.server_core.toolkit import Toolkit

kept = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)
mounted = Toolkit().app.http_app()

async def main():
    async with mounted.lifespan():
        await call_tool(mounted)
    with trace.get_tracer("host").start_as_current_span("afterwards"):
        pass

asyncio.run(main())
print(*(span.name for span in kept.get_finished_spans()))
"""


@pytest.fixture
def enabled(monkeypatch: pytest.MonkeyPatch) -> MemoryCollector:
    """Telemetry is enabled, and stored in memory."""
    memory = MemoryCollector()
    monkeypatch.setenv("ARCADE_MCP_OTEL_ENABLE", "true")
    monkeypatch.setattr(startup, "connect", lambda name, version: memory.collector)
    return memory


async def call_tool(application: Any, path: str = "/mcp") -> httpx.Response:
    """Call a tool."""
    async with client_of(application) as client:
        session = await opened(client, path)
        request = call(1, "tools/call", name="add", arguments={"a": 1, "b": 2})
        return await within(client.post(path, content=request, headers=session))


async def test_an_app_with_the_lifespan_of_another_is_traced(enabled: MemoryCollector) -> None:
    mounted = Toolkit().app.http_app()
    async with mounted.lifespan():
        answer = await call_tool(Starlette(routes=[Mount("/tools", mounted)]), "/tools/mcp")
    assert answer.json()["result"]["structuredContent"] == {"result": 3}
    assert set(enabled.spans) == {"CallTool", "RunTool"}
    assert [name for name, _, _ in enabled.counts()] == ["tool_call"]


async def test_an_app_without_a_lifespan_is_traced_from_its_first_request_on(enabled: MemoryCollector) -> None:
    await call_tool(Toolkit().app.http_app())
    assert set(enabled.spans) == {"CallTool", "RunTool"}


async def test_an_app_is_not_traced_by_default(enabled: MemoryCollector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARCADE_MCP_OTEL_ENABLE")
    await call_tool(Toolkit().app.http_app())
    assert enabled.spans == {}


def test_a_process_that_has_configured_opentelemetry_gets_the_spans_and_keeps_its_configuration() -> None:
    command = [sys.executable, "-c", IN_A_PROCESS_THAT_HAS_ITS_OWN]
    more = {"ARCADE_MCP_OTEL_ENABLE": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    done = subprocess.run(command, env=environment(**more), capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout.split() == ["RunTool", "CallTool", "afterwards"], done.stderr


async def test_an_app_whose_collector_is_missing_does_not_start_and_explains_it(
    enabled: MemoryCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str, version: str) -> None:
        raise ConnectionFailed("The collector is not there.")

    monkeypatch.setattr(startup, "connect", refuse)
    sent: list[Any] = []

    async def receive() -> dict[str, str]:
        return {"type": "lifespan.startup"}

    async def send(message: Any) -> None:
        sent.append(message)

    await within(MCPApp("shop").http_app()({"type": "lifespan"}, receive, send))
    assert sent == [{"type": "lifespan.startup.failed", "message": "The collector is not there."}]


async def test_an_app_tries_again_with_the_next_request_where_it_could_not_start(
    enabled: MemoryCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str, version: str) -> None:
        raise ConnectionFailed("The collector is not there.")

    mounted = Toolkit().app.http_app()
    with monkeypatch.context() as without:
        without.setattr(startup, "connect", refuse)
        async with client_of(mounted) as client:
            with pytest.raises(ConnectionFailed):
                await within(client.post("/mcp", content=initialize()))
    await call_tool(mounted)
    assert set(enabled.spans) == {"CallTool", "RunTool"}
