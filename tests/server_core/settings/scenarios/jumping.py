"""An event loop whose clock jumps to the next timer whenever nothing else is to be done: hours pass at once."""

import asyncio
import selectors
from typing import Any

# Real seconds for which a loop waits that has no timer: for threads and sockets.
PATIENCE = 5.0


class JumpingLoop(asyncio.SelectorEventLoop):
    """The loop; begins at 0 seconds."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        return self._now

    def jump(self, seconds: float) -> None:
        """Let so many seconds pass."""
        self._now += seconds


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, loop: JumpingLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(PATIENCE if timeout is None else 0)
        if not ready and timeout is None:
            raise TimeoutError("nothing is to be done, and nothing happens")
        if not ready and timeout is not None and timeout > 0:
            self._loop.jump(timeout)
        return ready
