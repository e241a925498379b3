"""Convert failures of middleware and handlers to responses: a call of a tool is answered with a result.

A ProtocolError is passed on. So are failures of other requests, since they become an error of the request
in any case; only their text may be masked.
"""

from dataclasses import replace
from typing import Any

from server_core.catalog.definitions import Tool
from server_core.errors import ContextError, FatalToolError, ProtocolError, ToolRuntimeError, WorkbenchError
from server_core.execution.context.context import Context
from server_core.execution.failures import convert_safely, failure_of, normalise_exception, unhandled_message
from server_core.execution.wire_errors import failure_result, is_request_error
from server_core.middleware.middleware import CallNext, Middleware, MiddlewareContext
from server_core.protocol.codes import INTERNAL_ERROR

_OUTSIDE = "outside of the tool, while its call was answered"
_MASKED = "The request failed; the details are in the logs of the server."


class ErrorHandlingMiddleware(Middleware):
    """Answers requests that fail.

    Args:
        mask_error_details: whether to send clients a generic message instead of details.
    """

    def __init__(self, mask_error_details: bool = False) -> None:
        self._masks_details = mask_error_details

    async def on_request(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        try:
            return await call_next(context)
        except ProtocolError:
            raise
        except Exception as error:
            tool = called_tool(context)
            if tool is not None:
                return self._result(context, error, tool)
            if self._masks_details and isinstance(normalise_exception(error), WorkbenchError):
                raise ProtocolError(INTERNAL_ERROR, _MASKED) from error
            raise

    def _result(self, context: MiddlewareContext[Any], raised: Exception, tool: Tool) -> dict[str, Any]:
        call = context.mcp_context
        assert call is not None
        error = normalise_exception(raised, _OUTSIDE)
        if is_request_error(error, call.port.client.revision):
            raise error
        return convert_safely(error, lambda error: self._error_result(context, call, error, tool), _OUTSIDE)

    def _error_result(
        self, context: MiddlewareContext[Any], call: Context, error: BaseException, tool: Tool
    ) -> dict[str, Any]:
        failure = failure_of(error, tool)
        if not isinstance(error, ToolRuntimeError | ContextError):
            unhandled = FatalToolError(unhandled_message(error, _OUTSIDE), failure.error.developer_message)
            failure = replace(failure, error=unhandled)
        call.report("tool_failed", {"tool": tool.name, "id": context.request_id, **failure.report()})
        return failure_result(
            replace(failure, error=FatalToolError(_MASKED)) if self._masks_details else failure, call.masked
        )


def called_tool(context: MiddlewareContext[Any]) -> Tool | None:
    """Return the tool that is called; None if there is none: the params are as the client sent them."""
    if context.method != "tools/call" or context.mcp_context is None:
        return None
    try:
        return context.mcp_context.catalog.find_tool(context.message.params["name"])
    except (ProtocolError, LookupError, TypeError):
        return None
