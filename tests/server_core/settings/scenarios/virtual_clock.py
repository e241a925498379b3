"""An event loop with a virtual clock, which skips to the next timer when nothing else is to be done."""

import asyncio
import selectors
from typing import Any

# Real seconds that a loop without a timer waits for threads and sockets.
REAL_TIMEOUT = 5.0


class VirtualClockLoop(asyncio.SelectorEventLoop):
    """The event loop; its clock begins at 0 seconds."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_VirtualClockSelector(self))

    def time(self) -> float:
        return self._now

    def skip(self, seconds: float) -> None:
        """Move the clock forward."""
        self._now += seconds


class _VirtualClockSelector(selectors.DefaultSelector):
    def __init__(self, loop: VirtualClockLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(REAL_TIMEOUT if timeout is None else 0)
        if not ready and timeout is None:
            raise TimeoutError("the loop has no timer, and no event arrives")
        if not ready and timeout is not None and timeout > 0:
            self._loop.skip(timeout)
        return ready
