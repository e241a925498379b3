"""Call a function again where its error says that this may help: what `retries` of `@tool` asks for.

Rule 1: only what may end otherwise with the same arguments is tried again. A hint for the agent makes it the agent's
matter, and so does a pause that is longer than a caller should be kept.
Rule 2: each try gets arguments of its own, so that what one has changed in them is not what the next one finds.
Rule 3: the author is told of each try that failed; the agent hears only of the last.
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
"""Seconds before the second try, where the error does not say how long; each further pause is twice as long."""
LONGEST_PAUSE = 30.0


async def invoke_until_it_succeeds(tool: Tool, arguments: Json, context: Context) -> Any:
    """Call the function of a tool, as often as the tool says, and return what it returns.

    Args:
        tool: what to run; its time limit holds for all tries together, and is kept by the caller.
        arguments: as they came over the wire.
        context: the call.

    Raises:
        Exception: what the last try raised.
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
    """Return how many seconds to wait before the next try; None when there should be none.

    Args:
        error: how the last one ended.
        tried: how many there have been.
    """
    if not error.can_retry or getattr(error, "additional_prompt_content", None):
        return None
    told = getattr(error, "retry_after_ms", None)
    pause = told / 1000 if isinstance(told, int | float) else FIRST_PAUSE * 2 ** (tried - 1)
    return pause if 0 <= pause <= LONGEST_PAUSE else None


def _retry_meta(failure: Failure, tried: int, pause: float) -> Json:
    told = failure.report()
    return {
        "tool": failure.tool.name,
        "tried": tried,
        "most": failure.tool.retries + 1,
        "waiting_ms": round(pause * 1000),
        **{key: told[key] for key in ("kind", "message", "developer_message")},
    }
