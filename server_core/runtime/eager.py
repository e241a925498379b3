"""Tasks that run at once up to their first suspension: a call that never waits needs no iteration of the event loop.

Python has eager tasks from 3.12 on. Before that, the task is created normally, and its first step is removed from the
loop's queue and run. If the step is not in that queue (the loop is not asyncio's own), it runs in its turn.

The first step is like any other: the task is the current task, and has its own context.
"""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

if sys.version_info >= (3, 12):

    def eager_task(coroutine: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Return a task that has run up to its first suspension, or is done.

        Args:
            coroutine: the coroutine to run.
            name: the name of the task.
        """
        return asyncio.Task(coroutine, loop=asyncio.get_running_loop(), name=name, eager_start=True)

else:

    def eager_task(coroutine: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Return a task that has run up to its first suspension, or is done.

        Args:
            coroutine: the coroutine to run.
            name: the name of the task.
        """
        loop = asyncio.get_running_loop()
        task = asyncio.Task(coroutine, loop=loop, name=name)
        ready = getattr(loop, "_ready", None)
        if not ready:
            return task
        step = ready.pop()
        owner: object = getattr(step._callback, "__self__", None)
        if owner is not task:
            # Another thread has appended a callback after it.
            ready.append(step)
            return task
        # Only one task can be current at a time, so the current one is suspended around the step.
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
