"""A collector receives what a server sends; without a collector or OpenTelemetry, a server explains what is missing."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.server_core.toolkit import INITIALIZED, call, initialize
from tests.waiting import within

pytestmark = pytest.mark.promises("telemetry")

PROJECT = '''
from server_core import Context, MCPApp
from opentelemetry import trace

app = MCPApp("shop", "2.0.0", toolkit="")

@app.tool
def sell(thing: str) -> str:
    """Sell something."""
    with trace.get_tracer("shop").start_as_current_span("wrap it up"):
        return thing
'''
WITHOUT = """
import sys
for name in ("sdk", "exporter"):
    sys.modules[f"opentelemetry.{name}"] = None
from server_core.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


class CollectorServer(ThreadingHTTPServer):
    """A collector of OTLP over HTTP that stores what it receives."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: list[tuple[str, bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def spans(self) -> dict[str, Any]:
        """The spans by name, and under "service" the name of the service."""
        spans: dict[str, Any] = {}
        for path, body in self.received:
            if path == "/v1/traces":
                for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                    about = {attribute.key: attribute.value.string_value for attribute in resource.resource.attributes}
                    spans["service"] = about["service.name"]
                    spans |= {span.name: span for scope in resource.scope_spans for span in scope.spans}
        return spans

    @property
    def count_names(self) -> list[str]:
        bodies = [body for path, body in self.received if path == "/v1/metrics"]
        return [
            metric.name
            for body in bodies
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        ]


class _Handler(BaseHTTPRequestHandler):
    server: CollectorServer

    def do_POST(self) -> None:
        self.server.received.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@pytest.fixture
def collector() -> Iterator[CollectorServer]:
    """A collector that runs."""
    with CollectorServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "server.py").write_text(PROJECT)
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    return {**clean, "no_proxy": "127.0.0.1", **more}


async def run_server(project: Path, messages: list[bytes], *words: str, **more: str) -> tuple[int | None, bytes, str]:
    """Return the exit code of a server on stdio, its answers and its stderr."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "workbench",
        "serve",
        "--stdio",
        *words,
        str(project),
        env=environment(**more),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(b"".join(message + b"\n" for message in messages)), 20)
    return process.returncode, out, err.decode()


CALLS = [initialize(), INITIALIZED, call(1, "tools/call", name="sell", arguments={"thing": "a hat"})]


async def test_a_collector_receives_a_first_span_the_calls_the_spans_of_authors_and_the_count(
    collector: CollectorServer, project: Path
) -> None:
    code, out, err = await run_server(project, CALLS, "--otel-enable", OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
    assert (code, err) == (0, "")
    assert b"a hat" in out
    spans = collector.spans
    assert set(spans) == {"service", "ping", "CallTool", "RunTool", "wrap it up"}
    assert spans["service"] == "shop"
    assert spans["wrap it up"].parent_span_id == spans["RunTool"].span_id
    assert spans["RunTool"].parent_span_id == spans["CallTool"].span_id
    assert collector.count_names == ["tool_call"]


async def test_the_environment_enables_it_and_names_the_service(collector: CollectorServer, project: Path) -> None:
    more = {"ARCADE_MCP_OTEL_ENABLE": "true", "OTEL_SERVICE_NAME": "the shop"}
    code, _, _ = await run_server(project, CALLS, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, **more)
    assert code == 0
    assert collector.spans["service"] == "the shop"
    assert "CallTool" in collector.spans


async def test_without_a_collector_the_server_does_not_start_and_explains_it_in_one_sentence(project: Path) -> None:
    # The port of the discard service, on which no process listens.
    code, out, err = await run_server(
        project, CALLS, "--otel-enable", OTEL_EXPORTER_OTLP_ENDPOINT="http://ada:pass@127.0.0.1:9?key=abc"
    )
    assert (code, out) == (3, b"")
    assert err.count("\n") == 1
    assert "collector at http://127.0.0.1:9" in err
    assert "pass" not in err
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in err


async def test_without_anything_to_send_nothing_is_attempted(project: Path) -> None:
    more = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_SDK_DISABLED": "true"}
    code, out, _ = await run_server(project, CALLS, "--otel-enable", **more)
    assert code == 0
    assert b"a hat" in out


@pytest.mark.parametrize("words", [["--otel-enable", "--stdio"]])
def test_without_opentelemetry_the_missing_package_is_named(project: Path, words: list[str]) -> None:
    command = [sys.executable, "-c", WITHOUT, *words, str(project)]
    done = subprocess.run(command, env=environment(), input=b"", capture_output=True, timeout=20, check=False)
    assert done.returncode == 2
    assert b"pip install 'mcp-tool-workbench[otel]'" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_a_relay_explains_that_the_other_server_has_its_own_traces() -> None:
    command = [sys.executable, "-m", "server_core", "--stdio", "--otel-enable", "--upstream", "http://127.0.0.1:9/mcp"]
    done = subprocess.run(command, env=environment(), input=b"", capture_output=True, timeout=20, check=False)
    assert done.returncode == 2
    assert b"--otel-enable" in done.stderr


async def test_nothing_is_imported_where_it_is_not_enabled(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(
        "import sys\n"
        "from server_core import tool\n\n\n"
        "@tool\n"
        "def sell(thing: str) -> list[str]:\n"
        '    """Return what is imported."""\n'
        '    return [name for name in sys.modules if name.startswith(("opentelemetry", "server_core.telemetry"))]\n'
    )
    code, out, _ = await within(run_server(tmp_path, CALLS))
    assert code == 0
    assert b'"result":[]' in out


SHARED = """
from opentelemetry import trace
from server_core.middleware.span_collection import register_processor
from server_core.telemetry.collector import connect

def work(name):
    with trace.get_tracer("shop").start_as_current_span(name):
        pass

"""
ALONE = SHARED + (
    'register_processor(None, "kitchen")\nprint(trace.get_tracer_provider().resource.attributes["service.name"])'
)
AFTER_PASSBACK = SHARED + (
    'register_processor(None, "kitchen")\ncollector = connect("shop", "2.0.0")\n'
    'collector.calls.add(1)\nwork("work")\ncollector.close()'
)
AGAIN = SHARED + (
    'for name in ("first", "second"):\n    collector = connect("shop", "2.0.0")\n'
    "    collector.calls.add(1)\n    work(name)\n    collector.close()\n"
)
TOGETHER = SHARED + (
    'left, right = connect("left", "1.0.0"), connect("right", "1.0.0")\nwork("both")\n'
    'left.close()\nwork("right alone")\nright.close()\nwork("after")'
)


async def run_script(code: str, **more: str) -> str:
    """Return the stdout of a Python script that ends with exit code 0 and writes nothing to stderr."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, env=environment(**more),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await asyncio.wait_for(process.communicate(), 20)
    assert (process.returncode, err.decode()) == (0, "")
    return out.decode().strip()


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({}, "kitchen"),
        ({"OTEL_SERVICE_NAME": "the shop"}, "the shop"),
        ({"OTEL_RESOURCE_ATTRIBUTES": "service.name=the shop"}, "the shop"),
    ],
)
async def test_the_provider_that_passback_creates_has_the_name_of_the_environment(
    variables: dict[str, str], name: str
) -> None:
    assert await run_script(ALONE, **variables) == name


@pytest.mark.parametrize(
    ("code", "spans"),
    [
        pytest.param(AFTER_PASSBACK, {"work"}, id="after passback"),
        pytest.param(AGAIN, {"first", "second"}, id="after it was closed"),
        pytest.param(TOGETHER, {"both", "right alone"}, id="beside another app"),
    ],
)
async def test_the_spans_of_a_process_are_sent_while_an_app_of_it_is_traced(
    collector: CollectorServer, code: str, spans: set[str]
) -> None:
    await run_script(code, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
    assert set(collector.spans) == {"service", "ping"} | spans
    assert collector.count_names == (["tool_call"] * {AFTER_PASSBACK: 1, AGAIN: 2, TOGETHER: 0}[code])
