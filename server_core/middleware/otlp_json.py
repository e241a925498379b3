"""Encode spans as OTLP JSON, with limits on their size.

Source: OpenTelemetry protocol, JSON Protobuf encoding: ids in hex, 64-bit numbers as texts, enumerations as numbers.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

Json: TypeAlias = dict[str, Any]

LONGEST_TEXT = 4096
MAX_VALUES = 128
_CUT = "..."
UNSET, FAILED = 0, 2
INTERNAL, SERVER = 1, 2


def attributes_json(attributes: Mapping[str, Any] | None) -> list[Json]:
    """Return attributes as a list of keys and values, within :data:`MAX_VALUES` and :data:`LONGEST_TEXT`."""
    return [{"key": key, "value": _value(value)} for key, value in list((attributes or {}).items())[:MAX_VALUES]]


def span_json(
    name: str, kind: int, ids: tuple[int, int, int], times: tuple[int, int], attributes: list[Json], status: Json
) -> Json:
    """Return one span, whose parent has the id 0 if there is none; times are nanoseconds since the epoch."""
    trace, span, parent = ids
    members: Json = {
        "traceId": f"{trace:032x}",
        "spanId": f"{span:016x}",
        "name": cut(name),
        "kind": kind,
        "startTimeUnixNano": str(times[0]),
        "endTimeUnixNano": str(times[1]),
        "attributes": attributes,
        "status": status,
    }
    return members | ({"parentSpanId": f"{parent:016x}"} if parent else {})


def readable_span_json(span: "ReadableSpan") -> Json:
    """Return a span that has ended."""
    assert span.context is not None
    parent = span.parent.span_id if span.parent is not None else 0
    status: Json = {"code": span.status.status_code.value}
    if span.status.description:
        status["message"] = cut(span.status.description)
    span_object = span_json(
        span.name,
        span.kind.value + 1,
        (span.context.trace_id, span.context.span_id, parent),
        (span.start_time or 0, span.end_time or 0),
        attributes_json(span.attributes),
        status,
    )
    if span.events:
        span_object["events"] = [
            {
                "timeUnixNano": str(event.timestamp),
                "name": cut(event.name),
                "attributes": attributes_json(event.attributes),
            }
            for event in span.events[:MAX_VALUES]
        ]
    return span_object


def traces_json(service: str, scope: str, spans: list[Json]) -> list[Json]:
    """Return the `resourceSpans` for the spans of one service; the scope is the instrumentation scope."""
    resource = {"attributes": attributes_json({"service.name": service})}
    return [{"resource": resource, "scopeSpans": [{"scope": {"name": scope}, "spans": spans}]}]


def cut(text: str) -> str:
    """Return the text, truncated to :data:`LONGEST_TEXT`."""
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - len(_CUT)] + _CUT


def _value(value: Any) -> Json:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        # JSON has no NaN and no infinity.
        return {"doubleValue": value} if value == value and abs(value) != float("inf") else {"stringValue": str(value)}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return {"arrayValue": {"values": [_value(item) for item in value[:MAX_VALUES]]}}
    return {"stringValue": cut(str(value))}
