"""Give a call up when its time is over: what `timeout` of `@tool` asks for.

Rule 1: what is given up gets a moment for its own `finally`. What does not let itself be cancelled goes on without its
caller, as a function on a thread does.
Rule 2: what runs here ends with an outcome, whatever it raises: SystemExit that leaves a task ends the event loop.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

from server_core.errors import ToolTimeoutError
from server_core.runtime.background import spawn

CANCEL_GRACE = 1.0
"""Seconds for which a caller waits for what it has given up."""


async def within_time(name: str, seconds: float, running: Coroutine[Any, Any, Any]) -> Any:
    """Run a call of a tool and return what it returns.

    Args:
        name: of the tool.
        seconds: how long it may take.
        running: the call.

    Raises:
        ToolTimeoutError: when it takes longer.
        asyncio.CancelledError: when the caller is cancelled.
        BaseException: whatever the call raises.
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
