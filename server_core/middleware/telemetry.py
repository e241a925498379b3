"""`TelemetryPassbackMiddleware`: a client that asks for it gets, with a result, the trace of how it came about.

A client names its trace in `_meta.traceparent` and asks with `_meta.otel.traces`; the spans come back in the `_meta` of
the result, in OTLP's JSON. The spans of authors, who use the API of OpenTelemetry, are among them where its SDK is
installed; without it there is one span, of the whole request.

Rule 1: nothing is collected for a client that has not asked.
Rule 2: arguments and results are only in what goes to the client, who has them anyway, and not in spans that are
exported elsewhere.
Rule 3: what comes back is bounded; what is left out is counted.
"""

import contextlib
import json
import os
import re
import time
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from server_core.middleware import otlp_json
from server_core.middleware.middleware import CallNext, Middleware, MiddlewareContext

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer, TracerProvider

    from server_core.middleware.span_collection import Collected

Json = dict[str, Any]

SCOPE = "mcp-telemetry-passback"
CAPABILITY: Json = {
    "serverExecutionTelemetry": {"version": "2026-03-01", "signals": {"traces": {"supported": True}}},
}
MOST_BYTES = 512 * 1024
"""How much of spans goes with one result."""
# W3C Trace Context; version ff and ids of zeros are invalid.
_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?")


class Wanted(NamedTuple):
    """What a client asks for.

    Attributes:
        detailed: spans within others as well, not only those right within the request.
        parent: the ids of its trace and of its span; zeros where it names none.
    """

    detailed: bool
    parent: tuple[int, int]


class TelemetryPassbackMiddleware(Middleware):
    """Return spans to clients that ask for them.

    Args:
        service_name: how the service names itself in what is returned.
        tracer_provider: makes the spans; that of this process when not given.
    """

    def __init__(self, service_name: str, tracer_provider: "TracerProvider | None" = None) -> None:
        self._service = service_name
        self._provider = tracer_provider

    def get_capabilities(self) -> Json:
        """Tell clients that they may ask."""
        return CAPABILITY

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """Return the trace of a call."""
        params = context.message.params
        name = _text(params.get("name"))
        arguments = _json(params.get("arguments") or None)
        asked = {"gen_ai.tool.name": name, "gen_ai.tool.call.arguments": arguments}
        return await self._answer(
            context, call_next, {"mcp.tool": name}, asked | _message_event("input", "user", arguments)
        )

    async def on_read_resource(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """Return the trace of a read."""
        uri = _text(context.message.params.get("uri"))
        asked = {"gen_ai.tool.name": f"resources/read {uri}"} | _message_event("input", "user", _json({"uri": uri}))
        return await self._answer(context, call_next, {"mcp.resource.uri": uri}, asked)

    async def _answer(self, context: MiddlewareContext[Any], call_next: CallNext, about: Json, asked: Json) -> Any:
        wanted = read_wish(context.message.params)
        if wanted is None:
            return await call_next(context)
        (subject,) = about.values()
        name = f"{context.method} {subject}"
        began = time.time_ns()
        facts = {"mcp.method": context.method, **about}
        with self._collecting(name, wanted, facts) as collected:
            result = await call_next(context)
        if not isinstance(result, dict):
            return result
        facts |= {"gen_ai.system": "mcp", "gen_ai.operation.name": "execute_tool", **asked, **_outcome(result)}
        status: Json = {"code": otlp_json.UNSET}
        if result.get("isError") is True:
            status = {"code": otlp_json.FAILED, "message": otlp_json.cut(_texts(result))}
        ids = (*_ids(collected, wanted), wanted.parent[1])
        root = otlp_json.span_json(
            name, otlp_json.SERVER, ids, (began, time.time_ns()), otlp_json.attributes_json(facts), status
        )
        return _with_traces(result, _masked(context, self._traces(root, collected)))

    @contextlib.contextmanager
    def _collecting(self, name: str, wanted: Wanted, facts: dict[str, str]) -> "Iterator[Collected | None]":
        if self._tracer is None:
            yield None
            return
        from server_core.middleware.span_collection import collecting

        with collecting(self._tracer, name, wanted.parent, facts, wanted.detailed) as collected:
            yield collected

    @cached_property
    def _tracer(self) -> "Tracer | None":
        """Makes the spans of requests; None without OpenTelemetry."""
        try:
            from server_core.middleware.span_collection import join
        except ImportError:
            return None
        # Only now, so that a provider which is set up behind us is found.
        return join(self._provider, self._service).get_tracer(SCOPE)

    def _traces(self, root: Json, collected: "Collected | None") -> Json:
        spans: list[Json] = []
        left_out, room = (0, MOST_BYTES) if collected is None else (collected.dropped, MOST_BYTES)
        for span in collected.spans if collected is not None else ():
            made = otlp_json.readable_span_json(span)
            room -= len(_json(made))
            if room < 0:
                left_out += 1
            else:
                spans.append(made)
        return {
            "resourceSpans": otlp_json.traces_json(self._service, SCOPE, [*spans, root]),
            "truncated": left_out > 0,
            "droppedSpanCount": left_out,
        }


def read_wish(params: Json) -> Wanted | None:
    """Return what the client of a request asks for; None where it asks for nothing.

    Args:
        params: those of the request.
    """
    meta = params.get("_meta")
    asked: Any = meta
    for name in ("otel", "traces"):
        asked = asked.get(name) if isinstance(asked, dict) else None
    if not isinstance(meta, dict) or not isinstance(asked, dict) or asked.get("request") is not True:
        return None
    named = _TRACEPARENT.fullmatch(_text(meta.get("traceparent")))
    parent = (int(named[1], 16), int(named[2], 16)) if named else (0, 0)
    return Wanted(asked.get("detailed") is True, parent)


def _ids(collected: "Collected | None", wanted: Wanted) -> tuple[int, int]:
    """The ids of the trace and of the span that stands for the request."""
    if collected is not None and collected.is_recorded:
        return collected.root.trace_id, collected.root.span_id
    return wanted.parent[0] or _random(16), _random(8)


def _random(size: int) -> int:
    return int.from_bytes(os.urandom(size), "big") or 1


def _with_traces(result: Json, traces: Json) -> Json:
    meta = result.get("_meta") if isinstance(result.get("_meta"), dict) else {}
    otel = meta.get("otel") if meta and isinstance(meta.get("otel"), dict) else {}
    return {**result, "_meta": {**(meta or {}), "otel": {**(otel or {}), "traces": traces}}}


def _masked(context: MiddlewareContext[Any], traces: Json) -> Json:
    """The traces with every secret's value replaced by its name."""
    home = context.mcp_context.home if context.mcp_context is not None else None
    if home is None or not home.tap.masker.has_secrets:
        return traces
    masked: Json = home.tap.masker.mask_value(traces)
    return masked


def _outcome(result: Json) -> dict[str, str]:
    text = _texts(result)
    return {"gen_ai.tool.call.result": text} | _message_event("output", "assistant", text)


def _message_event(way: str, role: str, content: str) -> dict[str, str]:
    if not content:
        return {}
    content = otlp_json.cut(content)
    # As a whole it must not be cut, or it would be no JSON any more.
    while len(messages := _json([{"role": role, "content": content}])) > otlp_json.LONGEST_TEXT:
        content = content[: len(content) // 2]
    return {f"gen_ai.{way}.messages": messages}


def _texts(result: Json) -> str:
    parts = result.get("content", result.get("contents"))
    found = [one.get("text") for one in parts if isinstance(one, dict)] if isinstance(parts, list) else []
    return "\n".join(text for text in found if isinstance(text, str))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _json(value: object) -> str:
    """The JSON text of a value; empty for None, and for what has none."""
    try:
        return "" if value is None else json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return ""
