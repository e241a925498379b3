"""Retry a function after an error that may be temporary: the `retries` option of `@tool`.

Rule 1: a call is retried only if the same arguments may succeed later. If the error has a hint for the agent, or asks
for a pause longer than :data:`LONGEST_PAUSE`, the agent decides instead.
Rule 2: each attempt gets a new copy of the arguments, so that changes made by one attempt do not affect the next.
Rule 3: the author gets a report of each failed attempt; the agent gets only the last error.
"""

import asyncio
from itertools import count
from typing import Any, TypeAlias

from server_core.catalog.definitions import Tool
from server_core.errors import ToolRuntimeError
from server_core.execution.context.context import Context
from server_core.execution.failures import Failure, failure_of
from server_core.execution.invocation import invoke

Json: TypeAlias = dict[str, Any]

FIRST_PAUSE = 0.5
"""Seconds before the second attempt if the error does not specify a pause; each further pause is twice as long."""
LONGEST_PAUSE = 30.0


async def invoke_until_it_succeeds(tool: Tool, arguments: Json, context: Context) -> Any:
    """Call the function of a tool, with up to `tool.retries` retries, and return its result.

    Args:
        tool: the tool; its time limit is for all attempts together, and enforced by the caller.
        arguments: the arguments as received.
        context: the context of the call.

    Raises:
        Exception: the exception of the last attempt.
    """
    for tried in count(1):
        try:
            return await invoke(tool.callback, tool.bind(arguments), context)
        except Exception as error:
            failure = failure_of(error, tool)
            pause = pause_after(failure.error, tried)
            if pause is None or tried > tool.retries:
                raise
            context.report("tool_retried", {"id": context.request_id, **_retry_meta(failure, tried, pause)})
        await asyncio.sleep(pause)


def pause_after(error: ToolRuntimeError, tried: int) -> float | None:
    """Return how many seconds to wait before the next attempt; None if there should be none.

    Args:
        error: the error of the last attempt.
        tried: how many attempts have failed.
    """
    if not error.can_retry or getattr(error, "additional_prompt_content", None):
        return None
    requested_ms = getattr(error, "retry_after_ms", None)
    pause = requested_ms / 1000 if isinstance(requested_ms, int | float) else FIRST_PAUSE * 2 ** (tried - 1)
    return pause if 0 <= pause <= LONGEST_PAUSE else None


def _retry_meta(failure: Failure, tried: int, pause: float) -> Json:
    report = failure.report()
    return {
        "tool": failure.tool.name,
        "tried": tried,
        "most": failure.tool.retries + 1,
        "waiting_ms": round(pause * 1000),
        **{key: report[key] for key in ("kind", "message", "developer_message")},
    }
