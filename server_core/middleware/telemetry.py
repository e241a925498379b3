"""`TelemetryPassbackMiddleware`: return the trace of a request to a client that asks for it.

A client sends its trace context in `_meta.traceparent` and a trace request in `_meta.otel.traces`; the spans are in the
`_meta` of the result, as OTLP JSON. They include spans that authors create with the OpenTelemetry API if its SDK is
installed; without the SDK there is a single span for the whole request.

Rule 1: nothing is collected for a client that has not asked.
Rule 2: arguments and results are only in the spans for the client, which has them anyway, not in exported spans.
Rule 3: the size of the spans is limited; spans over the limit are counted.
"""

import contextlib
import os
import re
import time
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from server_core.middleware import otlp_json
from server_core.middleware.middleware import CallNext, Middleware, MiddlewareContext
from server_core.runtime.safe_json import dump_json

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer, TracerProvider

    from server_core.middleware.span_collection import CollectedSpans

Json = dict[str, Any]

SCOPE = "mcp-telemetry-passback"
CAPABILITY: Json = {
    "serverExecutionTelemetry": {"version": "2026-03-01", "signals": {"traces": {"supported": True}}},
}
MAX_BYTES = 512 * 1024
"""The limit for the spans in one result."""
# W3C Trace Context; version ff and ids of zeros are invalid.
_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?")


class TraceRequest(NamedTuple):
    """The trace request of a client."""

    detailed: bool  # Whether to include nested spans, not only the direct children of the request.
    parent: tuple[int, int]  # The trace id and the span id that the client sent; zeros if it sent none.


class TelemetryPassbackMiddleware(Middleware):
    """Returns spans to clients that ask for them.

    Args:
        service_name: the name of the service in the spans.
        tracer_provider: creates the spans; the default is the provider of the process.
    """

    def __init__(self, service_name: str, tracer_provider: "TracerProvider | None" = None) -> None:
        self._service = service_name
        self._provider = tracer_provider

    def get_capabilities(self) -> Json:
        return CAPABILITY

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        params = context.message.params
        name = _text(params.get("name"))
        arguments = _json(params.get("arguments") or None)
        attributes = {"gen_ai.tool.name": name, "gen_ai.tool.call.arguments": arguments}
        return await self._answer(
            context, call_next, {"mcp.tool": name}, attributes | _message_event("input", "user", arguments)
        )

    async def on_read_resource(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        uri = _text(context.message.params.get("uri"))
        attributes = {"gen_ai.tool.name": f"resources/read {uri}"} | _message_event(
            "input", "user", _json({"uri": uri})
        )
        return await self._answer(context, call_next, {"mcp.resource.uri": uri}, attributes)

    async def _answer(
        self, context: MiddlewareContext[Any], call_next: CallNext, subject: Json, request_attributes: Json
    ) -> Any:
        trace_request = read_trace_request(context.message.params)
        if trace_request is None:
            return await call_next(context)
        (name,) = subject.values()
        span_name = f"{context.method} {name}"
        began = time.time_ns()
        attributes = {"mcp.method": context.method, **subject}
        with self._collect(span_name, trace_request, attributes) as collected:
            result = await call_next(context)
        if not isinstance(result, dict):
            return result
        attributes |= {
            "gen_ai.system": "mcp",
            "gen_ai.operation.name": "execute_tool",
            **request_attributes,
            **_outcome(result),
        }
        status: Json = {"code": otlp_json.UNSET}
        if result.get("isError") is True:
            status = {"code": otlp_json.FAILED, "message": otlp_json.cut(_texts(result))}
        ids = (*_ids(collected, trace_request), trace_request.parent[1])
        root = otlp_json.span_json(
            span_name, otlp_json.SERVER, ids, (began, time.time_ns()), otlp_json.attributes_json(attributes), status
        )
        return _with_traces(result, _masked(context, self._traces(root, collected)))

    @contextlib.contextmanager
    def _collect(
        self, name: str, trace_request: TraceRequest, attributes: dict[str, str]
    ) -> "Iterator[CollectedSpans | None]":
        if self._tracer is None:
            yield None
            return
        from server_core.middleware.span_collection import collect_spans

        with collect_spans(self._tracer, name, trace_request.parent, attributes, trace_request.detailed) as collected:
            yield collected

    @cached_property
    def _tracer(self) -> "Tracer | None":
        """Makes the spans of requests; None without OpenTelemetry."""
        try:
            from server_core.middleware.span_collection import register_processor
        except ImportError:
            return None
        # On first use, so that a provider that is set up later than this middleware is used.
        return register_processor(self._provider, self._service).get_tracer(SCOPE)

    def _traces(self, root: Json, collected: "CollectedSpans | None") -> Json:
        spans: list[Json] = []
        left_out, room = (0, MAX_BYTES) if collected is None else (collected.dropped, MAX_BYTES)
        for span in collected.spans if collected is not None else ():
            span_object = otlp_json.readable_span_json(span)
            room -= len(_json(span_object))
            if room < 0:
                left_out += 1
            else:
                spans.append(span_object)
        return {
            "resourceSpans": otlp_json.traces_json(self._service, SCOPE, [*spans, root]),
            "truncated": left_out > 0,
            "droppedSpanCount": left_out,
        }


def read_trace_request(params: Json) -> TraceRequest | None:
    """Return the trace request in the params of a request; None if there is none."""
    meta = params.get("_meta")
    member: Any = meta
    for name in ("otel", "traces"):
        member = member.get(name) if isinstance(member, dict) else None
    if not isinstance(meta, dict) or not isinstance(member, dict) or member.get("request") is not True:
        return None
    match = _TRACEPARENT.fullmatch(_text(meta.get("traceparent")))
    parent = (int(match[1], 16), int(match[2], 16)) if match else (0, 0)
    return TraceRequest(member.get("detailed") is True, parent)


def _ids(collected: "CollectedSpans | None", trace_request: TraceRequest) -> tuple[int, int]:
    """Return the ids of the trace and of the span of the request."""
    if collected is not None and collected.is_recorded:
        return collected.root.trace_id, collected.root.span_id
    return trace_request.parent[0] or _random(16), _random(8)


def _random(size: int) -> int:
    return int.from_bytes(os.urandom(size), "big") or 1


def _with_traces(result: Json, traces: Json) -> Json:
    meta = result.get("_meta") if isinstance(result.get("_meta"), dict) else {}
    otel = meta.get("otel") if meta and isinstance(meta.get("otel"), dict) else {}
    return {**result, "_meta": {**(meta or {}), "otel": {**(otel or {}), "traces": traces}}}


def _masked(context: MiddlewareContext[Any], traces: Json) -> Json:
    """Return the traces with the value of every secret replaced by its name."""
    home = context.mcp_context.own_server if context.mcp_context is not None else None
    if home is None or not home.tap.masker.has_secrets:
        return traces
    masked: Json = home.tap.masker.mask_value(traces)
    return masked


def _outcome(result: Json) -> dict[str, str]:
    text = _texts(result)
    return {"gen_ai.tool.call.result": text} | _message_event("output", "assistant", text)


def _message_event(direction: str, role: str, content: str) -> dict[str, str]:
    if not content:
        return {}
    content = otlp_json.cut(content)
    # Truncating the JSON text would make it invalid, so the content is shortened.
    while len(messages := _json([{"role": role, "content": content}])) > otlp_json.LONGEST_TEXT:
        content = content[: len(content) // 2]
    return {f"gen_ai.{direction}.messages": messages}


def _texts(result: Json) -> str:
    parts = result.get("content", result.get("contents"))
    texts = [part.get("text") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return "\n".join(text for text in texts if isinstance(text, str))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _json(value: object) -> str:
    """Return the JSON text of a value; empty for None, and for a value that has no JSON form."""
    try:
        return "" if value is None else dump_json(value)
    except ValueError:
        return ""
