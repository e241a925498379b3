"""How long an answer may take: a patience that every sign of life begins anew, under a maximum that nothing moves.

While a person is asked something, the patience stands still; the maximum does not.

Source: basic/lifecycle, timeouts.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from server_core.errors import WorkbenchError


class TimedOut(WorkbenchError):
    """The server did not answer in the time that it had."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long an answer may take.

    Attributes:
        patience: seconds without an answer and without progress; None for as long as it takes.
        most: seconds in all; None for no maximum.
    """

    patience: float | None = None
    most: float | None = None


AS_LONG_AS_IT_TAKES = Limits()
"""For calls of tools, unless somebody says otherwise: a person can cancel them."""

USUAL = Limits(patience=60.0, most=600.0)
"""For every other request."""


class Deadline:
    """The time that one request has; a context manager around waiting for it.

    Args:
        limits: how long it may take.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pauses = 0
        self._end: float | None = None
        self._timeout: asyncio.Timeout | None = None

    async def __aenter__(self) -> "Deadline":
        now = asyncio.get_running_loop().time()
        self._end = None if self._limits.most is None else now + self._limits.most
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
        """Begin the patience anew: there was a sign of life."""
        if self._timeout is not None and not self._timeout.expired():
            self._timeout.reschedule(self._next())

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let the patience stand still meanwhile."""
        self._pauses += 1
        self.extend()
        try:
            yield
        finally:
            self._pauses -= 1
            self.extend()

    def _next(self) -> float | None:
        if self._pauses or self._limits.patience is None:
            return self._end
        soon = asyncio.get_running_loop().time() + self._limits.patience
        return soon if self._end is None else min(soon, self._end)

    def _reason(self) -> str:
        at_most = self._end is not None and asyncio.get_running_loop().time() >= self._end
        if at_most:
            return f"no answer within {self._limits.most:g} seconds"
        return f"no answer and no progress within {self._limits.patience:g} seconds"
