"""The tracer provider of the process, which authors' spans, the collector and telemetry passback share.

OpenTelemetry accepts one provider per process and never replaces it. If the process has set one up, it is used as it
is. Otherwise the first that needs a provider creates ours, which is never shut down: an app may be traced after another
app, or beside it.
"""

import os
import threading
from collections.abc import Callable

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider


class ProcessProvider(TracerProvider):
    """The provider of a process that has not set one up; it sends spans while there is an exporter."""

    def __init__(self, resource: Resource) -> None:
        super().__init__(resource=resource, shutdown_on_exit=False)
        self.exporter = SharedExporter()
        self.add_span_processor(self.exporter)


class SharedExporter(SpanProcessor):
    """Passes spans to one processor, for as long as there are users; a provider cannot remove a processor itself."""

    def __init__(self) -> None:
        self._processor: SpanProcessor | None = None
        self._users = 0
        self._lock = threading.Lock()

    def open(self, create: Callable[[], SpanProcessor]) -> None:
        """Add a user, and create the processor for the first of them."""
        with self._lock:
            self._processor = self._processor or create()
            self._users += 1

    def close(self) -> None:
        """Remove a user: flush the processor, and shut it down after the last user."""
        with self._lock:
            self._users -= 1
            processor, is_last = self._processor, self._users == 0
            if is_last:
                self._processor = None
        # Outside of the lock: a collector that does not respond delays this for seconds.
        if processor is not None:
            processor.shutdown() if is_last else processor.force_flush()

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        if (processor := self._processor) is not None:
            processor.on_start(span, parent_context)

    def on_end(self, span: ReadableSpan) -> None:
        if (processor := self._processor) is not None:
            processor.on_end(span)

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        return (processor := self._processor) is None or processor.force_flush(timeout_millis)


_lock = threading.Lock()


def process_provider(resource: Resource) -> trace.TracerProvider:
    """Return the provider of the process, which is created for this resource if there is none."""
    with _lock:
        provider = trace.get_tracer_provider()
        if isinstance(provider, TracerProvider):
            return provider
        created = ProcessProvider(resource)
        trace.set_tracer_provider(created)
        return created


def service_resource(name: str, version: str = "") -> Resource:
    """Return the description of a service; `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` take precedence."""
    # `Resource.create` prefers its attributes to the environment variables.
    is_named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    names = {} if is_named else {"service.name": name}
    return Resource.create({**names, "service.version": version} if version else names)
