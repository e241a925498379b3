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
    """A connection to a collector."""

    traces: "TracerProvider"
    metrics: "MeterProvider"
    # Flush and disconnect both; empty if the process has set up OpenTelemetry itself.
    closers: tuple[Callable[[], object], ...] = ()

    @property
    def tracer(self) -> "Tracer":
        return self.traces.get_tracer(SCOPE)

    @property
    def calls(self) -> "Counter":
        return self.metrics.get_meter(SCOPE).create_counter("tool_call", "1", "Calls of tools")

    def close(self) -> None:
        """Flush what is queued, which may take some seconds, and disconnect."""
        for closer in self.closers:
            closer()


def connect(name: str, version: str) -> Collector:
    """Connect to the collector; ConnectionFailed if it does not accept a first span, `ping`.

    Spans that authors create with the OpenTelemetry API are sent, too. If the process has already set up
    OpenTelemetry, its providers are used; ConfigurationError if OpenTelemetry is not installed.
    """
    try:
        from opentelemetry import metrics, trace
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        from server_core.middleware.process_provider import ProcessProvider, process_provider, service_resource
    except ImportError:
        raise ConfigurationError(MISSING) from None
    resource = service_resource(name, version)
    existing: Any = trace.get_tracer_provider()
    if not isinstance(existing, TracerProvider) or isinstance(existing, ProcessProvider):
        # Before a provider is created: after a failure, the process can still set up OpenTelemetry itself.
        _ping(TracerProvider(resource=resource, shutdown_on_exit=False))
    traces: Any = process_provider(resource)
    if not isinstance(traces, ProcessProvider):
        return Collector(traces, metrics.get_meter_provider())
    traces.exporter.open(lambda: BatchSpanProcessor(OTLPSpanExporter()))
    counts = MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())], resource, shutdown_on_exit=False)
    # As with traces, OpenTelemetry accepts only one; ours is only needed for the metrics of authors.
    if not isinstance(metrics.get_meter_provider(), MeterProvider):
        metrics.set_meter_provider(counts)
    return Collector(traces, counts, (traces.exporter.close, counts.shutdown))


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
