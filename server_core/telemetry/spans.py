"""The spans and the counter of a server.

    Catalog          the list of the tools
    CallTool         a call, with the middleware around it
      RunTool        the tool itself, with its requests to the client
    ListResources    the list of the resources
    ReadResource     a read

The spans of a tool's requests to its own server are children of its RunTool.

Rule 1: a failure is described by the author's messages, with secrets masked; never by arguments or results.
Rule 2: names that clients invent are never labels of the counter.
"""

from collections.abc import Callable
from typing import Any

from opentelemetry.context import Context
from opentelemetry.metrics import Counter
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from server_core.adapters.adapter import attribute
from server_core.adapters.redaction import redact
from server_core.catalog.definitions import Tool
from server_core.errors import ResourceNotFound
from server_core.middleware.error_handling import called_tool
from server_core.middleware.middleware import CallNext, Middleware, MiddlewareContext
from server_core.protocol.codes import INVALID_PARAMS, RESOURCE_NOT_FOUND
from server_core.runtime.safe_text import class_name
from server_core.serving.method_handlers import report_subscriber

# Clients choose names and URIs; collectors have limits for attributes.
_MAX_ATTRIBUTE_LENGTH = 2000
_TRACE_CONTEXT = ("traceparent", "tracestate")


class CallSpans(Middleware):
    """Creates the spans, and counts calls; `toolkit_of` returns name and version, those of the server for None."""

    def __init__(
        self,
        tracer: Tracer,
        calls: Counter,
        toolkit_of: Callable[[Tool | None], tuple[str, str]],
        environment: str,
        mask: Callable[[str], str],
    ) -> None:
        self._tracer = tracer
        self._calls = calls
        self._toolkit_of = toolkit_of
        self._environment = environment
        self._mask = mask

    async def on_list_tools(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        return await self._with_outcome("Catalog", context, call_next, {})

    async def on_list_resources(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        return await self._with_outcome("ListResources", context, call_next, {})

    async def on_read_resource(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        uri = self._text(context.message.params.get("uri"))
        return await self._with_outcome("ReadResource", context, call_next, {"resource_uri": uri})

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        tool = called_tool(context)
        facts = self._facts(context, tool)
        if tool is not None:
            self._calls.add(1, facts)
        failures: list[dict[str, Any]] = []

        def on_report(event: str, details: dict[str, Any]) -> None:
            if event == "tool_failed":
                failures.append(details)

        with self._span("CallTool", context, facts) as span:
            # The report of the failure has the developer message, which the result for the client lacks.
            token = report_subscriber.set(on_report)
            try:
                result = await call_next(context)
            except Exception as error:
                self._fail(span, {"kind": class_name(type(error)), "message": attribute(error, "message")})
                raise
            finally:
                report_subscriber.reset(token)
            if isinstance(result, dict) and result.get("isError") is True:
                self._fail(span, failures[-1] if failures else _error_attributes(result))
            return result

    async def run_tool(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        """Create `RunTool`; this runs behind all middleware."""
        if context.method != "tools/call":
            return await call_next(context)
        with self._span("RunTool", None, self._facts(context, called_tool(context))) as span:
            try:
                result = await call_next(context)
            except Exception:
                span.set_status(StatusCode.ERROR)
                raise
            if isinstance(result, dict) and result.get("isError") is True:
                span.set_status(StatusCode.ERROR)
            return result

    async def _with_outcome(
        self, name: str, context: MiddlewareContext[Any], call_next: CallNext, facts: dict[str, str]
    ) -> Any:
        """Return the result of a request, within a span that has the attribute `outcome`."""
        with self._span(name, context, {**facts, "environment": self._environment}) as span:
            try:
                result = await call_next(context)
            except Exception as error:
                span.set_attribute("outcome", _outcome_of(error))
                span.set_status(StatusCode.ERROR)
                raise
            span.set_attribute("outcome", "success")
            return result

    def _span(self, name: str, context: MiddlewareContext[Any] | None, facts: dict[str, str]) -> Any:
        is_inner = context is None or _is_nested(context)
        return self._tracer.start_as_current_span(
            name,
            context=None if context is None or is_inner else _parent_of(context.message.params),
            kind=SpanKind.INTERNAL if is_inner else SpanKind.SERVER,
            attributes=facts,
            # The text and the traceback of an exception are for the author, not for readers of traces.
            record_exception=False,
            set_status_on_exception=False,
        )

    def _facts(self, context: MiddlewareContext[Any], tool: Tool | None) -> dict[str, str]:
        toolkit, version = self._toolkit_of(tool)
        return {
            "tool_name": tool.name if tool is not None else self._text(context.message.params.get("name")),
            "toolkit_name": toolkit,
            "toolkit_version": version,
            "environment": self._environment,
        }

    def _fail(self, span: Span, failure: dict[str, Any]) -> None:
        span.set_status(StatusCode.ERROR)
        for name in ("kind", "message", "developer_message"):
            if failure.get(name):
                span.set_attribute(f"tool_error_{name}", self._text(failure[name]))

    def _text(self, value: object) -> str:
        return self._mask(redact(value if isinstance(value, str) else ""))[:_MAX_ATTRIBUTE_LENGTH]


def _is_nested(context: MiddlewareContext[Any]) -> bool:
    """Return whether a running tool, not a client, sent the request."""
    return context.mcp_context is not None and context.mcp_context.nested_caller is not None


def _error_attributes(result: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a failed result, for a failure without a report."""
    meta = result.get("_meta", {}).get("arcade")
    meta = meta if isinstance(meta, dict) else {}
    text = next((block.get("text") for block in result.get("content", ()) if block.get("type") == "text"), "")
    return {"kind": meta.get("errorKind"), "message": text}


def _outcome_of(error: Exception) -> str:
    code = attribute(error, "code")
    if isinstance(error, ResourceNotFound) or code == RESOURCE_NOT_FOUND:
        return "not_found"
    return "invalid_request" if code == INVALID_PARAMS else "failed"


def _parent_of(params: dict[str, Any]) -> Context:
    """Return the parent context for the spans of a request; empty if the client sends no trace context.

    Source: W3C Trace Context; `_meta` has members with the names of its headers.
    """
    meta = params.get("_meta")
    metadata = meta if isinstance(meta, dict) else {}
    carrier = {name: metadata[name] for name in _TRACE_CONTEXT if isinstance(metadata.get(name), str)}
    return TraceContextTextMapPropagator().extract(carrier, Context())
