"""Timeouts of a request: an idle timeout that every sign of life restarts, and a maximum that nothing extends.

While the user is asked for input, the idle timeout is suspended; the maximum is not.

Source: basic/lifecycle, timeouts.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from server_core.errors import WorkbenchError


class TimedOut(WorkbenchError): ...


@dataclass(frozen=True, slots=True)
class Limits:
    """The timeouts of a request, in seconds; None for no limit."""

    idle: float | None = None  # without a response or progress
    total: float | None = None


NO_LIMITS = Limits()  # For calls of tools, since the user can cancel them.

DEFAULT_LIMITS = Limits(idle=60.0, total=600.0)  # For every other request.


class Deadline:
    """The timeouts of one request, as a context manager around waiting for it."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pauses = 0
        self._end: float | None = None
        self._timeout: asyncio.Timeout | None = None

    async def __aenter__(self) -> "Deadline":
        now = asyncio.get_running_loop().time()
        self._end = None if self._limits.total is None else now + self._limits.total
        # Entered by hand, because it lasts until `__aexit__`.
        self._timeout = asyncio.timeout_at(self._next())
        await self._timeout.__aenter__()
        return self

    async def __aexit__(self, *raised: object) -> None:
        timeout, self._timeout = self._timeout, None
        assert timeout is not None
        try:
            await timeout.__aexit__(*raised)  # type: ignore[arg-type]
        except TimeoutError:
            raise TimedOut(self._reason()) from None

    def extend(self) -> None:
        # An expired timeout raises when it is rescheduled.
        if self._timeout is not None and not self._timeout.expired():
            self._timeout.reschedule(self._next())

    @contextmanager
    def paused(self) -> Iterator[None]:
        self._pauses += 1
        self.extend()
        try:
            yield
        finally:
            self._pauses -= 1
            self.extend()

    def _next(self) -> float | None:
        if self._pauses or self._limits.idle is None:
            return self._end
        soon = asyncio.get_running_loop().time() + self._limits.idle
        return soon if self._end is None else min(soon, self._end)

    def _reason(self) -> str:
        at_most = self._end is not None and asyncio.get_running_loop().time() >= self._end
        if at_most:
            return f"no response within {self._limits.total:g} seconds"
        return f"no response and no progress within {self._limits.idle:g} seconds"
