"""Send traces and metrics to a collector, with OTLP over HTTP; the standard environment variables name its URL.

Source: OpenTelemetry specification, OTLP exporter configuration and SDK environment variables.
"""

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from server_core.adapters.redaction import redact
from server_core.errors import ConfigurationError, ConnectionFailed

if TYPE_CHECKING:
    from opentelemetry.metrics import Counter, MeterProvider
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

SCOPE = "server_core"
# Seconds; the start of the server waits for it.
PING_TIMEOUT = 3.0
MISSING = (
    "OpenTelemetry is not installed, which is required to send traces and metrics; install it with "
    "`pip install 'mcp-tool-workbench[otel]'`, or omit --otel-enable."
)


@dataclass(frozen=True)
class Collector:
    """A connection to a collector.

    Attributes:
        traces: the tracer provider.
        metrics: the meter provider.
        closers: flush and shut down both providers; empty if the process has set them up itself.
    """

    traces: "TracerProvider"
    metrics: "MeterProvider"
    closers: tuple[Callable[[], object], ...] = ()

    @property
    def tracer(self) -> "Tracer":
        """The tracer for our spans."""
        return self.traces.get_tracer(SCOPE)

    @property
    def calls(self) -> "Counter":
        """The counter of tool calls."""
        return self.metrics.get_meter(SCOPE).create_counter("tool_call", "1", "Calls of tools")

    def close(self) -> None:
        """Flush what is queued, which may take some seconds, and shut down."""
        for end in self.closers:
            end()


def connect(name: str, version: str) -> Collector:
    """Connect to the collector, and check with a first span, `ping`, that it accepts spans.

    Spans that authors create with the OpenTelemetry API are sent, too. If the process has already set up
    OpenTelemetry, its providers are used.

    Args:
        name: the name of the server; `OTEL_SERVICE_NAME` takes precedence.
        version: the version of the server.

    Raises:
        ConfigurationError: when OpenTelemetry is not installed.
        ConnectionFailed: when the collector does not accept the span.
    """
    try:
        from opentelemetry import metrics, trace
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise ConfigurationError(MISSING) from None
    existing: Any = trace.get_tracer_provider()
    if isinstance(existing, TracerProvider):
        return Collector(existing, metrics.get_meter_provider())
    resource = Resource.create(_resource_attributes(name, version))
    traces = TracerProvider(resource=resource, shutdown_on_exit=False)
    _ping(traces)
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    counts = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
    trace.set_tracer_provider(traces)
    metrics.set_meter_provider(counts)
    return Collector(traces, counts, (traces.shutdown, counts.shutdown))


def _resource_attributes(name: str, version: str) -> dict[str, str]:
    # Attributes given here would take precedence over the environment variables.
    is_named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    return {"service.version": version} if is_named else {"service.name": name, "service.version": version}


def _ping(traces: "TracerProvider") -> None:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExportResult

    span: Any = traces.get_tracer(SCOPE).start_span("ping")
    span.end()
    if not isinstance(span, ReadableSpan):
        return  # OTEL_SDK_DISABLED: nothing is sent.
    exporter: Any = OTLPSpanExporter(timeout=PING_TIMEOUT)
    # The exporter would log each attempt; the exception below reports the result once.
    log = logging.getLogger("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    was_disabled, log.disabled = log.disabled, True
    try:
        result = exporter.export([span])
    finally:
        log.disabled = was_disabled
        exporter.shutdown()
    if result is not SpanExportResult.SUCCESS:
        raise ConnectionFailed(
            f"The OpenTelemetry collector at {redact(_endpoint())} has not accepted a first span; start it, "
            "set OTEL_EXPORTER_OTLP_ENDPOINT to its URL, or omit --otel-enable."
        )


def _endpoint() -> str:
    base = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or "http://localhost:4318"
    return os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") or f"{base.rstrip('/')}/v1/traces"
