"""Limits on receiving requests: the memory for all bodies together, and the time for each body.

Rule 1: a body counts from its first bytes to the end of its response, since it is in memory for that long.
Rule 2: small bodies do not count, so that clients with large bodies cannot block the others.
Rule 3: there is no timer for each request, which would cost more than a small request: one task checks all of them.
"""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from server_core.runtime.background import spawn

T = TypeVar("T")

MAX_BYTES = 256 * 1024 * 1024
# How many bytes of each body do not count.
UNCOUNTED = 64 * 1024
# The number of checks within the timeout.
CHECKS = 10


class TooMuchAtOnce(Exception):
    """All bodies together would exceed the limit."""


class BodyBudget:
    """The memory for the bodies of one endpoint."""

    def __init__(self, most: int = MAX_BYTES) -> None:
        # How many bytes are left in the budget.
        self.left = most

    def take(self, size: int) -> None:
        """Count more bytes; raise TooMuchAtOnce when the budget is exhausted."""
        if size > self.left:
            raise TooMuchAtOnce
        self.left -= size

    def release(self, size: int) -> None:
        self.left += size


class Deadlines:
    """A timeout, in seconds, for waits that nearly always end at once; a wait may last up to a tenth longer."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        # When each wait began; the oldest come first, since a dict has the order of insertion.
        self._waits: dict[asyncio.Task[Any], float] = {}
        self._timed_out: set[asyncio.Task[Any]] = set()
        self._checking: asyncio.Task[None] | None = None
        self._is_needed = False

    async def wait_for(self, wait: Awaitable[T]) -> T:
        """Return the result of an awaitable, in the current task; raise TimeoutError when it takes too long."""
        task = asyncio.current_task()
        assert task is not None
        self._waits[task] = asyncio.get_running_loop().time()
        # Lets the checking task run for another interval, so that it is not restarted for each of many short waits.
        self._is_needed = True
        if self._checking is None or self._checking.done():
            self._checking = spawn(self._check(), "check the deadlines of requests")
        try:
            return await wait
        except asyncio.CancelledError:
            # As in `asyncio.timeout`: a cancellation for another reason takes precedence over the timeout.
            if task in self._timed_out and task.uncancel() == 0:
                raise TimeoutError from None
            raise
        finally:
            del self._waits[task]
            self._timed_out.discard(task)

    async def _check(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waits or self._is_needed:
            self._is_needed = False
            await asyncio.sleep(self._timeout / CHECKS)
            for task, since in list(self._waits.items()):
                if since > loop.time() - self._timeout:
                    break
                if task not in self._timed_out:
                    self._timed_out.add(task)
                    task.cancel()
