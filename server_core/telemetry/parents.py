"""The trace that a client's request belongs to.

Source: W3C Trace Context; in `_meta` under the names of its headers.
"""

from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_NAMES = ("traceparent", "tracestate")


def parent_of(params: dict[str, Any]) -> Context:
    """Return the context that spans of a request begin in; an empty one where the client names no trace.

    Args:
        params: those of the request.
    """
    meta = params.get("_meta")
    given = meta if isinstance(meta, dict) else {}
    carrier = {name: given[name] for name in _NAMES if isinstance(given.get(name), str)}
    return TraceContextTextMapPropagator().extract(carrier, Context())
