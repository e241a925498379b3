"""A timeout for receiving requests, without a timer for each: one task checks all pending requests."""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from server_core.runtime.background import spawn

T = TypeVar("T")

# The number of checks within the timeout.
CHECKS = 10


class Deadlines:
    """Timeouts for waits that nearly always end at once.

    Args:
        patience: the timeout in seconds; a wait may last up to a tenth longer.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        # The oldest waits come first.
        self._waits: dict[asyncio.Task[Any], float] = {}
        self._late: set[asyncio.Task[Any]] = set()
        self._checking: asyncio.Task[None] | None = None
        self._is_needed = False

    async def bounded(self, wait: Awaitable[T]) -> T:
        """Return the result of an awaitable that the current task waits for.

        Raises:
            TimeoutError: when it takes too long.
        """
        task = asyncio.current_task()
        assert task is not None
        self._waits[task] = asyncio.get_running_loop().time()
        self._is_needed = True
        if self._checking is None or self._checking.done():
            self._checking = spawn(self._check(), "look for requests that do not come")
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
            await asyncio.sleep(self._patience / CHECKS)
            for task, since in list(self._waits.items()):
                if since > loop.time() - self._patience:
                    break
                if task not in self._late:
                    self._late.add(task)
                    task.cancel()
