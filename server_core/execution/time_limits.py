"""Time limits of running calls, which an operator can extend: of the tool, and of its requests to the client."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server_core.execution.running_calls import NO_CALL, InFlight, current


class TimeLimit:
    """The limit of one block of code that runs within :func:`limited`."""

    def __init__(self, seconds: float, timeout: asyncio.Timeout) -> None:
        self.seconds = seconds
        """The limit with all extensions."""
        self._timeout = timeout

    @property
    def left(self) -> float:
        """The seconds until the limit."""
        end = self._timeout.when()
        return 0.0 if end is None else max(0.0, end - asyncio.get_running_loop().time())

    def extend(self, seconds: float) -> None:
        """Move the limit by so many seconds; too late, it has no effect."""
        end = self._timeout.when()
        if end is not None and not self._timeout.expired():
            self._timeout.reschedule(end + seconds)
            self.seconds += seconds


@asynccontextmanager
async def limited(seconds: float) -> AsyncIterator[TimeLimit]:
    """Limit a block of code, for the current call; TimeoutError beyond the limit and its extensions, as in asyncio."""
    call = current.get()
    async with asyncio.timeout(seconds) as timeout:
        limit = TimeLimit(seconds, timeout)
        if call is NO_CALL:
            yield limit
            return
        call.limits.append(limit)
        try:
            yield limit
        finally:
            call.limits.remove(limit)


def seconds_left(call: InFlight) -> float | None:
    """Return the seconds until the first limit of a call; None if it has no limit at the moment."""
    return min((limit.left for limit in call.limits), default=None)


def extend(call: InFlight, seconds: float) -> None:
    """Extend all limits of a call: it goes on only if none of them is exceeded."""
    for limit in call.limits:
        limit.extend(seconds)
