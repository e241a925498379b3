"""The trace that a client's request belongs to.

Source: W3C Trace Context; `_meta` has members with the names of its headers.
"""

from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_NAMES = ("traceparent", "tracestate")


def parent_of(params: dict[str, Any]) -> Context:
    """Return the parent context for the spans of a request; empty if the client sends no trace context.

    Args:
        params: the params of the request.
    """
    meta = params.get("_meta")
    metadata = meta if isinstance(meta, dict) else {}
    carrier = {name: metadata[name] for name in _NAMES if isinstance(metadata.get(name), str)}
    return TraceContextTextMapPropagator().extract(carrier, Context())
