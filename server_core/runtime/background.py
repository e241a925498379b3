"""Tasks that nobody awaits: referenced until they end, and their failures logged."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from server_core.runtime.eager import eager_task

_running: set[asyncio.Task[Any]] = set()
_log = logging.getLogger(__name__)


def spawn(coroutine: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
    """Start a task and keep it referenced until it ends.

    Args:
        coroutine: the coroutine to run.
        name: shown in tracebacks and in the log when the task fails.

    Returns:
        The task; the caller may cancel it, and need not await it.
    """
    task = asyncio.get_running_loop().create_task(coroutine, name=name)
    _running.add(task)
    task.add_done_callback(_ended)
    return task


def start(coroutine: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
    """Start a task like :func:`spawn`, but run it at once up to its first suspension; it may be done on return."""
    task = eager_task(coroutine, name)
    if task.done():
        _ended(task)
    else:
        _running.add(task)
        task.add_done_callback(_ended)
    return task


def _ended(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if task.cancelled():
        return
    if (error := task.exception()) is not None:
        _log.error("background task %r failed", task.get_name(), exc_info=error)
