"""Cancel a call when its time limit is over: the `timeout` option of `@tool`.

Rule 1: a cancelled call gets :data:`CANCEL_GRACE` seconds for its `finally` blocks. A call that does not stop, such as
a function on a thread, continues without its caller.
Rule 2: the task returns exceptions instead of raising them: a SystemExit that leaves a task ends the event loop.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

from server_core.errors import ToolTimeoutError
from server_core.runtime.background import spawn

CANCEL_GRACE = 1.0
"""How many seconds to wait for a cancelled call to end."""


async def within_time(name: str, seconds: float, running: Coroutine[Any, Any, Any]) -> Any:
    """Run a call of a tool and return its result.

    Args:
        name: the name of the tool.
        seconds: the time limit.
        running: the call.

    Raises:
        ToolTimeoutError: when the call takes longer.
        asyncio.CancelledError: when the caller is cancelled.
        BaseException: the exception of the call.
    """
    task = spawn(_outcome(running), f"tool {name}")
    try:
        await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        await _cancel(task)
        raise
    if not task.done():
        await _cancel(task)
        raise ToolTimeoutError(f"Tool {name!r} did not finish within {seconds:g} seconds.")
    value, error = task.result()
    if error is not None:
        raise error
    return value


async def _outcome(running: Coroutine[Any, Any, Any]) -> tuple[Any, BaseException | None]:
    try:
        return await running, None
    except BaseException as error:
        return None, error


async def _cancel(task: asyncio.Task[Any]) -> None:
    task.cancel()
    await asyncio.wait({task}, timeout=CANCEL_GRACE)
