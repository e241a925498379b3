"""Tasks that are not awaited: referenced until they end, and their failures logged.

Tasks may be started eagerly: they run at once up to their first suspension, so a call that never waits needs no
iteration of the event loop.
"""

import asyncio
import logging
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_running: set[asyncio.Task[Any]] = set()
_log = logging.getLogger(__name__)


def spawn(coroutine: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
    """Start a task, which the caller may cancel and need not await; its failure is logged with its name."""
    task = asyncio.get_running_loop().create_task(coroutine, name=name)
    # The event loop itself has only weak references to its tasks.
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


if sys.version_info >= (3, 12):

    def eager_task(coroutine: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Return a task that has run up to its first suspension, or is done."""
        return asyncio.Task(coroutine, loop=asyncio.get_running_loop(), name=name, eager_start=True)

else:

    def eager_task(coroutine: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        # Python has eager tasks from 3.12 on. Here the task is created normally, and its first step is removed from the
        # queue of the loop (private, but unchanged in 3.11, the only version that runs this) and run. It is a step like
        # any other: the task is the current task, and has its own context.
        loop = asyncio.get_running_loop()
        task = asyncio.Task(coroutine, loop=loop, name=name)
        ready = getattr(loop, "_ready", None)
        if not ready:
            return task  # Not asyncio's own loop: the step runs in its turn.
        step = ready.pop()
        owner: object = getattr(step._callback, "__self__", None)
        if owner is not task:
            # Another thread has appended a callback after it.
            ready.append(step)
            return task
        # Only one task can be current at a time, so the current task is suspended around the step.
        # Source: https://docs.python.org/3.11/library/asyncio-extending.html
        if (current := asyncio.current_task(loop)) is None:
            step._run()
            return task
        asyncio._leave_task(loop, current)
        try:
            step._run()
        finally:
            asyncio._enter_task(loop, current)
        return task
