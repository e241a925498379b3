"""How long a request may take to come, at the cost of no timer for each: one task looks at all that are coming."""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from server_core.runtime.background import spawn

T = TypeVar("T")

# How often is looked, in parts of the patience.
LOOKS = 10


class Deadlines:
    """Bound waits that nearly always end at once.

    Args:
        patience: seconds that one may last; a tenth of that more at the worst.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        # Those that have lasted longest come first.
        self._waits: dict[asyncio.Task[Any], float] = {}
        self._late: set[asyncio.Task[Any]] = set()
        self._looking: asyncio.Task[None] | None = None
        self._is_needed = False

    async def bounded(self, wait: Awaitable[T]) -> T:
        """Return what the task that runs now waits for.

        Raises:
            TimeoutError: when it does not come in time.
        """
        task = asyncio.current_task()
        assert task is not None
        self._waits[task] = asyncio.get_running_loop().time()
        self._is_needed = True
        if self._looking is None or self._looking.done():
            self._looking = spawn(self._check(), "look for requests that do not come")
        try:
            return await wait
        except asyncio.CancelledError:
            if task in self._late and task.uncancel() == 0:
                raise TimeoutError from None
            raise
        finally:
            del self._waits[task]
            self._late.discard(task)

    async def _check(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waits or self._is_needed:
            self._is_needed = False
            await asyncio.sleep(self._patience / LOOKS)
            for task, since in list(self._waits.items()):
                if since > loop.time() - self._patience:
                    break
                if task not in self._late:
                    self._late.add(task)
                    task.cancel()
