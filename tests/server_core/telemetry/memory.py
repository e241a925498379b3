"""Telemetry that stays in this process: spans and counts, as values."""

from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from server_core.telemetry.collector import Collector


class MemoryCollector:
    """A collector that stores spans and counts in memory."""

    def __init__(self) -> None:
        self._spans = InMemorySpanExporter()
        self._metrics = InMemoryMetricReader()
        traces = TracerProvider(shutdown_on_exit=False)
        traces.add_span_processor(SimpleSpanProcessor(self._spans))
        self.collector = Collector(traces, MeterProvider([self._metrics], shutdown_on_exit=False))

    @property
    def all(self) -> tuple[ReadableSpan, ...]:
        """The spans in the order in which they ended."""
        return self._spans.get_finished_spans()

    @property
    def spans(self) -> dict[str, ReadableSpan]:
        """The last span of each name."""
        return {span.name: span for span in self.all}

    def attributes(self, name: str) -> dict[str, Any]:
        """The attributes of the last span of a name."""
        return dict(self.spans[name].attributes or {})

    def counts(self) -> list[tuple[str, dict[str, Any], Any]]:
        """The name, the labels and the value of each count."""
        data = self._metrics.get_metrics_data()
        if data is None:
            return []
        return [
            (metric.name, dict(point.attributes or {}), getattr(point, "value", None))
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            for point in metric.data.data_points
        ]
