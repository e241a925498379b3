"""Limits on receiving requests: the memory for all bodies together, and the time for each body.

Rule 1: a body counts from its first bytes to the end of its response, since it is in memory for that long.
Rule 2: the first bytes of each body do not count, so that small bodies are accepted even while large bodies use up the
budget.
Rule 3: there is no timer for each request, which would cost more than a small request: one task checks all of them.
"""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from server_core.runtime.background import spawn

T = TypeVar("T")

# How many counted bytes all bodies of an endpoint may have together.
MAX_BYTES = 256 * 1024 * 1024
# How many bytes of each body do not count.
UNCOUNTED = 64 * 1024
# How many times the deadlines are checked within the timeout.
CHECKS = 10


class BodyBudgetExceeded(Exception):
    """All bodies together would exceed the limit."""


class BodyBudget:
    """The memory, in bytes, for the bodies of one endpoint."""

    def __init__(self, limit: int = MAX_BYTES) -> None:
        self.left = limit

    def take(self, size: int) -> None:
        """Count more bytes; raise BodyBudgetExceeded when fewer are left."""
        if size > self.left:
            raise BodyBudgetExceeded
        self.left -= size

    def release(self, size: int) -> None:
        self.left += size


class Deadlines:
    """Deadlines with one timeout, checked by one task periodically, so that a wait may last a tenth longer."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        # When the wait of each task began; the oldest come first, since a dict has the order of insertion.
        self._started: dict[asyncio.Task[Any], float] = {}
        self._timed_out: set[asyncio.Task[Any]] = set()
        self._checker: asyncio.Task[None] | None = None
        # Whether a wait has begun since the last check.
        self._has_new_waits = False

    async def wait_for(self, awaitable: Awaitable[T]) -> T:
        """Await in the current task, and return the result; raise TimeoutError after the timeout."""
        task = asyncio.current_task()
        assert task is not None
        self._started[task] = asyncio.get_running_loop().time()
        # The checker then runs for another interval, so that it is not restarted for each of many short waits.
        self._has_new_waits = True
        if self._checker is None or self._checker.done():
            self._checker = spawn(self._check(), "check the deadlines of requests")
        try:
            return await awaitable
        except asyncio.CancelledError:
            # As in `asyncio.timeout`: a cancellation for another reason takes precedence over the timeout.
            if task in self._timed_out and task.uncancel() == 0:
                raise TimeoutError from None
            raise
        finally:
            del self._started[task]
            self._timed_out.discard(task)

    async def _check(self) -> None:
        loop = asyncio.get_running_loop()
        while self._started or self._has_new_waits:
            self._has_new_waits = False
            await asyncio.sleep(self._timeout / CHECKS)
            for task, started in list(self._started.items()):
                if started > loop.time() - self._timeout:
                    break  # All others began later.
                if task not in self._timed_out:
                    self._timed_out.add(task)
                    task.cancel()
