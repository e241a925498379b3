"""Tasks that run at once, up to where they first have to wait: a call that never waits needs no turn of the loop.

Python has that from 3.12 on. Before, the task is made as always and its first step is taken out of the loop's queue and
run; where the step is not found there (a loop that is not asyncio's own), it is run in its turn, as that of any task.

Within the first step everything is as in any other: the task is the current one, and has its own context.
"""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

if sys.version_info >= (3, 12):

    def eager_task(coroutine: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Return a task that has run up to where it first has to wait, or is done.

        Args:
            coroutine: what to run.
            name: of the task.
        """
        return asyncio.Task(coroutine, loop=asyncio.get_running_loop(), name=name, eager_start=True)

else:

    def eager_task(coroutine: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Return a task that has run up to where it first has to wait, or is done.

        Args:
            coroutine: what to run.
            name: of the task.
        """
        loop = asyncio.get_running_loop()
        task = asyncio.Task(coroutine, loop=loop, name=name)
        ready = getattr(loop, "_ready", None)
        if not ready:
            return task
        step = ready.pop()
        owner: object = getattr(step._callback, "__self__", None)
        if owner is not task:
            # Another thread has put something behind it.
            ready.append(step)
            return task
        # Two tasks cannot be the current one at the same time.
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
