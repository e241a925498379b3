"""Collect the spans that an author's code creates while a request is handled.

Spans are assigned to requests by the context that they start in, not by their trace: a client may use one trace for
many requests.
"""

import contextlib
import threading
from collections.abc import Iterator, Mapping
from weakref import WeakSet

from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, TraceFlags

from server_core.middleware.process_provider import process_provider, service_resource

MAX_SPANS = 256
_KEY = contexts.create_key("passed-back-spans")


class CollectedSpans:
    """The spans of one request, in the order in which they ended; nested spans are only included if it is detailed."""

    def __init__(self, root: trace.Span, detailed: bool) -> None:
        self.root = root.get_span_context()
        self.is_recorded = root.is_recording()
        """Whether there will be any spans: a process may be configured to record none."""
        self.spans: list[ReadableSpan] = []
        self.dropped = 0
        """How many spans were dropped."""
        self.begun: set[int] = set()
        """The ids of the spans that have not ended."""
        self._detailed = detailed

    def add(self, span: ReadableSpan) -> None:
        """Add a span that has ended, or count it as dropped."""
        is_direct = span.parent is not None and span.parent.span_id == self.root.span_id
        if (self._detailed or is_direct) and len(self.spans) < MAX_SPANS:
            self.spans.append(span)
        else:
            self.dropped += 1


class CollectingProcessor(SpanProcessor):
    """Adds each span that ends to the request that it belongs to."""

    def __init__(self) -> None:
        self._open: dict[int, CollectedSpans] = {}

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        collected = contexts.get_value(_KEY, parent_context)
        if isinstance(collected, CollectedSpans):
            span_id = span.get_span_context().span_id
            collected.begun.add(span_id)
            self._open[span_id] = collected

    def on_end(self, span: ReadableSpan) -> None:
        if span.context is not None and (collected := self._open.pop(span.context.span_id, None)) is not None:
            collected.begun.discard(span.context.span_id)
            collected.add(span)

    def forget(self, collected: CollectedSpans) -> None:
        """Collect no more spans for a request."""
        for span_id in tuple(collected.begun):
            self._open.pop(span_id, None)


_processor = CollectingProcessor()
_registered: WeakSet[TracerProvider] = WeakSet()
_lock = threading.Lock()


def register_processor(provider: trace.TracerProvider | None, service: str) -> trace.TracerProvider:
    """Register our span processor with the author's provider, the process's, or a new one; return the provider."""
    chosen = provider or process_provider(service_resource(service))
    with _lock:
        if isinstance(chosen, TracerProvider) and chosen not in _registered:
            _registered.add(chosen)
            chosen.add_span_processor(_processor)
    return chosen


@contextlib.contextmanager
def collect_spans(
    tracer: trace.Tracer, name: str, parent: tuple[int, int], attributes: Mapping[str, str], detailed: bool
) -> Iterator[CollectedSpans]:
    """Collect the spans of the `with` block, below the client's (zeros: none); nested ones only if `detailed`."""
    context = Context()
    if all(parent):
        # The client asked for the spans, whether or not it samples its own.
        remote = SpanContext(*parent, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))
        context = trace.set_span_in_context(NonRecordingSpan(remote), context)
    root = tracer.start_span(name, context, SpanKind.SERVER, dict(attributes))
    collected = CollectedSpans(root, detailed)
    token = contexts.attach(contexts.set_value(_KEY, collected, trace.set_span_in_context(root, context)))
    try:
        yield collected
    finally:
        contexts.detach(token)
        root.end()
        _processor.forget(collected)
