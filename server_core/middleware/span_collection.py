"""The spans that an author's code makes while one request is answered, taken where they end.

They are told apart by the context that they begin in, not by their trace: a client may name one for many requests.
"""

import contextlib
import threading
from collections.abc import Iterator, Mapping
from weakref import WeakSet

from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, TraceFlags

MOST_SPANS = 256
_KEY = contexts.create_key("passed-back-spans")


class Collected:
    """The spans of one request, in the order in which they ended.

    Args:
        root: the span that stands for the request.
        detailed: whether those within others are wanted as well.
    """

    def __init__(self, root: trace.Span, detailed: bool) -> None:
        self.root = root.get_span_context()
        self.is_recorded = root.is_recording()
        """Whether there will be any: a process may be told to record none."""
        self.spans: list[ReadableSpan] = []
        self.dropped = 0
        """How many were left out."""
        self.begun: set[int] = set()
        """The ids of those that have not ended."""
        self._detailed = detailed

    def add(self, span: ReadableSpan) -> None:
        """Take a span that has ended, or count it."""
        is_direct = span.parent is not None and span.parent.span_id == self.root.span_id
        if (self._detailed or is_direct) and len(self.spans) < MOST_SPANS:
            self.spans.append(span)
        else:
            self.dropped += 1


class Collecting(SpanProcessor):
    """Hands each span that ends to the request that it belongs to."""

    def __init__(self) -> None:
        self._open: dict[int, Collected] = {}

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Note whose span this is."""
        collected = contexts.get_value(_KEY, parent_context)
        if isinstance(collected, Collected):
            id = span.get_span_context().span_id
            collected.begun.add(id)
            self._open[id] = collected

    def on_end(self, span: ReadableSpan) -> None:
        """Hand it on."""
        if span.context is not None and (collected := self._open.pop(span.context.span_id, None)) is not None:
            collected.begun.discard(span.context.span_id)
            collected.add(span)

    def forget(self, collected: Collected) -> None:
        """Take nothing more for a request that is answered."""
        for id in tuple(collected.begun):
            self._open.pop(id, None)


_collecting = Collecting()
_joined: WeakSet[TracerProvider] = WeakSet()
_lock = threading.Lock()


def join(provider: trace.TracerProvider | None, service: str) -> trace.TracerProvider:
    """Return the provider, of whose spans we take those that belong to requests.

    Args:
        provider: the author's; for None that of this process, which is made where there is none.
        service: the name of the service, for one that is made.
    """
    with _lock:
        found = provider or trace.get_tracer_provider()
        if provider is None and not isinstance(found, TracerProvider):
            found = TracerProvider(resource=Resource.create({"service.name": service}), shutdown_on_exit=False)
            trace.set_tracer_provider(found)
        if isinstance(found, TracerProvider) and found not in _joined:
            _joined.add(found)
            found.add_span_processor(_collecting)
        return found


@contextlib.contextmanager
def collecting(
    tracer: trace.Tracer, name: str, parent: tuple[int, int], facts: Mapping[str, str], detailed: bool
) -> Iterator[Collected]:
    """Collect the spans that begin within.

    Args:
        tracer: makes the span that stands for the request.
        name: of that span.
        parent: the ids of the trace and of the span that the client names; zeros where it names none.
        facts: attributes of that span.
        detailed: whether spans within others are wanted as well.
    """
    context = Context()
    if all(parent):
        # It has asked for the spans, whatever it decided for its own.
        named = SpanContext(*parent, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))
        context = trace.set_span_in_context(NonRecordingSpan(named), context)
    root = tracer.start_span(name, context, SpanKind.SERVER, dict(facts))
    collected = Collected(root, detailed)
    token = contexts.attach(contexts.set_value(_KEY, collected, trace.set_span_in_context(root, context)))
    try:
        yield collected
    finally:
        contexts.detach(token)
        root.end()
        _collecting.forget(collected)
