"""The collector that traces and counts are sent to, over OTLP on HTTP; where it is, the standard variables say.

Source: OpenTelemetry specification, OTLP exporter configuration and SDK environment variables.
"""

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from server_core.adapters.redaction import without_secrets
from server_core.errors import ConfigurationError, ConnectionFailed

if TYPE_CHECKING:
    from opentelemetry.metrics import Counter, MeterProvider
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

SCOPE = "server_core"
# Seconds; who starts a server waits for it.
PATIENCE = 3.0
MISSING = (
    "OpenTelemetry is not installed, so nothing can be sent to a collector; install it with "
    "`pip install 'mcp-tool-workbench[otel]'`, or leave out --otel-enable."
)


@dataclass(frozen=True)
class Collector:
    """What sends to a collector.

    Attributes:
        traces: makes the tracers.
        metrics: makes the counters.
        endings: what sends the rest and ends them; none where the process has set them up itself.
    """

    traces: "TracerProvider"
    metrics: "MeterProvider"
    endings: tuple[Callable[[], object], ...] = ()

    @property
    def tracer(self) -> "Tracer":
        """Makes our spans."""
        return self.traces.get_tracer(SCOPE)

    @property
    def calls(self) -> "Counter":
        """Counts calls of tools."""
        return self.metrics.get_meter(SCOPE).create_counter("tool_call", "1", "Calls of tools")

    def close(self) -> None:
        """Send what is left, which may take some seconds, and no more."""
        for end in self.endings:
            end()


def connect(name: str, version: str) -> Collector:
    """Return what sends to the collector, once that has taken a first span, `ping`.

    The spans of authors, who use the API of OpenTelemetry, are sent as well. A process that has set up OpenTelemetry
    itself has said where it sends to: then it is that.

    Args:
        name: of the server; `OTEL_SERVICE_NAME` comes first.
        version: of the server.

    Raises:
        ConfigurationError: when OpenTelemetry is not installed.
        ConnectionFailed: when the collector does not take the span.
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
    found: Any = trace.get_tracer_provider()
    if isinstance(found, TracerProvider):
        return Collector(found, metrics.get_meter_provider())
    resource = Resource.create(_about(name, version))
    traces = TracerProvider(resource=resource, shutdown_on_exit=False)
    _ping(traces)
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    counts = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
    trace.set_tracer_provider(traces)
    metrics.set_meter_provider(counts)
    return Collector(traces, counts, (traces.shutdown, counts.shutdown))


def _about(name: str, version: str) -> dict[str, str]:
    # What is given here would come before what the variables say.
    is_named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    return {"service.version": version} if is_named else {"service.name": name, "service.version": version}


def _ping(traces: "TracerProvider") -> None:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExportResult

    span: Any = traces.get_tracer(SCOPE).start_span("ping")
    span.end()
    if not isinstance(span, ReadableSpan):
        return  # OTEL_SDK_DISABLED: nothing is to be sent.
    exporter: Any = OTLPSpanExporter(timeout=PATIENCE)
    # It would tell of each of its tries; we tell once how they ended.
    log = logging.getLogger("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    was_disabled, log.disabled = log.disabled, True
    try:
        result = exporter.export([span])
    finally:
        log.disabled = was_disabled
        exporter.shutdown()
    if result is not SpanExportResult.SUCCESS:
        raise ConnectionFailed(
            f"The OpenTelemetry collector at {without_secrets(_endpoint())} has not taken a first span; start it, "
            "set OTEL_EXPORTER_OTLP_ENDPOINT to where it is, or leave out --otel-enable."
        )


def _endpoint() -> str:
    base = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or "http://localhost:4318"
    return os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") or f"{base.rstrip('/')}/v1/traces"
