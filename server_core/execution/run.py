"""Run one call of a tool: bind the arguments, call the function, convert the result.

Every failure becomes a CallToolResult: SystemExit, a result that has no JSON form, an exception that cannot be printed.
The exceptions are a call that was cancelled from outside, and errors that the protocol defines as request errors.
"""

import asyncio
from typing import Any, NamedTuple, TypeAlias

from server_core.catalog.definitions import Tool
from server_core.errors import ToolTimeoutError
from server_core.execution.context.context import Context
from server_core.execution.failures import converted, failure_of, normalise_exception
from server_core.execution.invocation import invoke
from server_core.execution.requirements import meet_requirements
from server_core.execution.retries import invoke_until_it_succeeds
from server_core.execution.time_limit import within_time
from server_core.execution.wire_errors import is_request_error, tool_failure
from server_core.execution.wire_results import MAX_BYTES, check_result_size

Json: TypeAlias = dict[str, Any]


async def run_tool(tool: Tool, arguments: Json, context: Context, most_bytes: int = MAX_BYTES) -> Json:
    """Run a tool and return its CallToolResult.

    Args:
        tool: the tool.
        arguments: the arguments as received.
        context: the context of the call; it is closed when this function returns.
        most_bytes: the limit for the size of the result.

    Raises:
        asyncio.CancelledError: when the task is cancelled from outside.
        MissingCapability: when the tool needs a capability that a stateless request did not declare.
    """
    context.begin()
    try:
        if tool.has_requirements:
            await meet_requirements(tool, context)
        if tool.retries:
            running = invoke_until_it_succeeds(tool, arguments, context)
        else:
            running = invoke(tool.callback, tool.bind(arguments), context)
        value = await running if tool.timeout is None else await within_time(tool.name, tool.timeout, running)
        result = tool.dump(value)
        check_result_size(result, most_bytes)
    except BaseException as raised:
        error = normalise_exception(raised)
        if ends_the_task(error):
            context.end(cancelled=True, answered=False)
            raise
        if is_request_error(error, context.port.client.revision):
            context.end()
            raise error from error.__cause__  # The same exception, or the single member of a group.
        failed = converted(error, lambda error: _failed_call(error, tool, context))
        if tool.requires_auth is not None and failed.refused_with is not None:
            from server_core.execution.tool_authorization import note_refusal

            await note_refusal(tool, tool.requires_auth, context, failed.refused_with)
        context.report("tool_failed", {"tool": tool.name, "id": context.request_id, **failed.report})
        context.end(cancelled=isinstance(error, ToolTimeoutError))
        return failed.result
    context.end()
    return result


class _FailedCall(NamedTuple):
    """A failed call: the result, the report for the author, and the HTTP status if a service refused the request."""

    result: Json
    report: Json
    refused_with: int | None


def _failed_call(error: BaseException, tool: Tool, context: Context) -> _FailedCall:
    failure = failure_of(error, tool)
    status = failure.error.status_code if failure.error.is_upstream_error else None
    return _FailedCall(tool_failure(failure, context.masked), failure.report(), status)


def ends_the_task(error: BaseException) -> bool:
    """Return whether an exception ends the whole call, rather than being one that the author's code did not catch.

    Args:
        error: the exception that the author's code raised.
    """
    try:
        task = asyncio.current_task()
    except RuntimeError:  # The loop has been closed, and Python closes the remaining coroutines.
        return True
    kind = type(error)  # Not `error.__class__`, which an author's class can override.
    if issubclass(kind, GeneratorExit):
        return task is None
    return issubclass(kind, asyncio.CancelledError) and task is not None and task.cancelling() > 0
