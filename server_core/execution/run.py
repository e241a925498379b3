"""Run one call of a tool: bind the arguments, call the function, convert the result.

Every failure becomes a CallToolResult: SystemExit, a result that has no JSON form, an exception that cannot be printed.
The exceptions are a call that was cancelled from outside, and errors that the protocol defines as request errors.
"""

import asyncio
import functools
import os
from collections.abc import Callable, Coroutine
from itertools import count
from typing import Any, NamedTuple, TypeAlias

from server_core.catalog.definitions import Callback, Tool
from server_core.errors import ContextError, ToolRuntimeError, ToolTimeoutError, UrlElicitationRequired
from server_core.execution import observation
from server_core.execution.context.context import Context, current_context
from server_core.execution.failures import Failure, convert_safely, failure_of, normalise_exception
from server_core.execution.requirements import meet_requirements
from server_core.execution.time_limits import limited
from server_core.execution.tracebacks import traceback_of
from server_core.execution.wire_errors import failure_result, is_request_error
from server_core.execution.wire_results import MAX_BYTES, check_result_size
from server_core.runtime.background import spawn
from server_core.runtime.processes import exit_fork
from server_core.runtime.threads import shared_threads

Json: TypeAlias = dict[str, Any]

CANCEL_GRACE = 1.0
"""Seconds that a call whose time limit is over has for its `finally` blocks."""
FIRST_PAUSE = 0.5
"""Seconds before the second attempt if the error does not specify a pause; each further pause is twice as long."""
LONGEST_PAUSE = 30.0
"""Seconds; if an error asks for a longer pause, the agent decides whether to call the tool again."""
MAX_VISITS = 5
"""How many URL elicitations one call may require of a client that answers them in multi-round requests."""


async def run_tool(tool: Tool, arguments: Json, context: Context, max_bytes: int = MAX_BYTES) -> Json:
    """Run a tool and return its CallToolResult; the context is closed when this function returns.

    A CancelledError from outside is raised, and MissingCapability for a stateless request that lacks one.
    """
    context.begin()
    try:
        if tool.has_requirements:
            await meet_requirements(tool, context)
        if tool.retries:
            call = invoke_with_retries(tool, arguments, context)
        else:
            call = invoke(tool.callback, tool.bind(arguments), context)
        if observation.observers:
            call = observation.measured(call, tool, context)
        value = await call if tool.timeout is None else await _run_within(tool.timeout, call, tool.name)
        result = tool.dump(value)
        check_result_size(result, max_bytes)
    except BaseException as raised:
        error = normalise_exception(raised)
        if ends_the_task(error):
            context.end(cancelled=True, answered=False)
            raise
        if is_request_error(error, context.port.client.revision):
            context.end()
            raise error from error.__cause__  # The same exception, or the single member of a group.
        failed = convert_safely(error, lambda error: _failed_call(error, tool, context))
        if tool.requires_auth is not None and failed.refusal_status is not None:
            from server_core.execution.tool_authorization import report_refusal

            await report_refusal(tool, tool.requires_auth, context, failed.refusal_status)
        context.report("tool_failed", {"tool": tool.name, "id": context.request_id, **failed.report})
        context.end(cancelled=isinstance(error, ToolTimeoutError))
        return failed.result
    context.end()
    return result


class _FailedCall(NamedTuple):
    result: Json
    report: Json  # For the author.
    refusal_status: int | None  # The HTTP status if a service refused the request.


def _failed_call(error: BaseException, tool: Tool, context: Context) -> _FailedCall:
    failure = failure_of(error, tool)
    status = failure.error.status_code if failure.error.is_upstream_error else None
    return _FailedCall(failure_result(failure, context.masked), failure.report(), status)


def ends_the_task(error: BaseException) -> bool:
    """Return whether an exception ends the whole call; else it is an error that the author's code did not catch."""
    try:
        task = asyncio.current_task()
    except RuntimeError:  # The loop has been closed, and Python closes the remaining coroutines.
        return True
    kind = type(error)  # Not `error.__class__`, which an author's class can override.
    if issubclass(kind, GeneratorExit):
        return task is None
    # An author may raise CancelledError as well: only a task that was cancelled counts cancellations.
    return issubclass(kind, asyncio.CancelledError) and task is not None and task.cancelling() > 0


# The function of the author.


async def invoke(callback: Callback, arguments: Json, context: Context | None) -> Any:
    """Call an author's function and return its result: `async def` on the event loop, `def` on a thread.

    The arguments do not contain the context; it is also the value of `current_context` while the function runs.

    Raises:
        UrlElicitationRequired: when the function raises it and the client expects it as an error.
        ContextError: when the function still raises UrlElicitationRequired after :data:`MAX_VISITS` visits.
    """
    if callback.context_parameter is not None:
        arguments = {**arguments, callback.context_parameter: context}
    if context is not None and context.own_server is not None and context.own_server.context_values:
        from server_core.loading.import_context import enter

        enter(context.own_server.context_values)
    visits = 0
    process = os.getpid()
    while True:
        token = current_context.set(context)
        try:
            if callback.is_async:
                return await callback.function(**arguments)
            return await shared_threads().run(functools.partial(_call_on_thread, callback.function, arguments))
        except UrlElicitationRequired as required:
            if context is None:
                raise
            if visits == MAX_VISITS:
                raise ContextError(f"The user agreed {visits} times without effect. {required}") from required
            visits += 1
            await context.ui.elicit_urls(required)
        finally:
            # A function that forks returns in the child process as well, which must not send a second response.
            if os.getpid() != process:
                exit_fork()
            current_context.reset(token)


def _call_on_thread(function: Callable[..., Any], arguments: Json) -> Any:
    try:
        return function(**arguments)
    except BaseException as error:
        # Format the exception on this thread first: an author's `__str__` that never returns must not block the loop.
        traceback_of(normalise_exception(error))
        raise


# The option `timeout` of `@tool`.


async def _run_within(seconds: float, call: Coroutine[Any, Any, Any], name: str) -> Any:
    """Return the result of a call, or cancel it when its time is over.

    A call that does not stop, such as a function on a thread, continues without its caller.
    """
    task = spawn(_outcome(call), f"tool {name}")
    try:
        async with limited(seconds) as limit:
            await asyncio.wait({task})
    except asyncio.CancelledError:
        await _cancel(task)
        raise
    except TimeoutError:
        if not task.done():
            await _cancel(task)
            raise ToolTimeoutError(f"Tool {name!r} did not finish within {limit.seconds:g} seconds.") from None
    value, error = task.result()
    if error is not None:
        raise error
    return value


async def _outcome(call: Coroutine[Any, Any, Any]) -> tuple[Any, BaseException | None]:
    # The task returns exceptions, because a SystemExit that leaves a task ends the event loop.
    try:
        return await call, None
    except BaseException as error:
        return None, error


async def _cancel(task: asyncio.Task[Any]) -> None:
    task.cancel()
    await asyncio.wait({task}, timeout=CANCEL_GRACE)


# The option `retries` of `@tool`.


async def invoke_with_retries(tool: Tool, arguments: Json, context: Context) -> Any:
    """Call the function of a tool, with up to `tool.retries` retries, and return its result.

    The time limit of the tool is for all attempts together. The author gets a report of each failed attempt; the agent
    gets only the last error.
    """
    for attempts in count(1):
        try:
            # Each attempt gets a new copy of the arguments, since the last one may have changed its own.
            return await invoke(tool.callback, tool.bind(arguments), context)
        except Exception as error:
            failure = failure_of(error, tool)
            pause = pause_after(failure.error, attempts)
            if pause is None or attempts > tool.retries:
                raise
            context.report("tool_retried", {"id": context.request_id, **_retry_facts(failure, attempts, pause)})
        await asyncio.sleep(pause)


def pause_after(error: ToolRuntimeError, attempts: int) -> float | None:
    """Return the seconds to wait before the next attempt; None if the same arguments cannot succeed, or not soon."""
    # With a hint for the agent, other arguments may be better than the same.
    if not error.can_retry or getattr(error, "additional_prompt_content", None):
        return None
    requested_ms = getattr(error, "retry_after_ms", None)
    pause = requested_ms / 1000 if isinstance(requested_ms, int | float) else FIRST_PAUSE * 2 ** (attempts - 1)
    return pause if 0 <= pause <= LONGEST_PAUSE else None


def _retry_facts(failure: Failure, attempts: int, pause: float) -> Json:
    report = failure.report()
    return {
        "tool": failure.tool.name,
        "tried": attempts,
        "most": failure.tool.retries + 1,
        "waiting_ms": round(pause * 1000),
        **{key: report[key] for key in ("kind", "message", "developer_message")},
    }
