"""How a process that serves comes to its end: asked to by signals, and by force when that takes too long.

Rule 1: signals are taken by Python itself and not by the event loop, which a tool may be holding up.
Rule 2: a tool that refuses to be cancelled, or never gives the loop back, holds up the end for a while, not for ever.
Rule 3: so does what a tool has left behind, threads and functions of `atexit`, where the process has no other purpose.
Rule 4: nobody else leaves the event loop: a `sys.exit` in a task that a tool has begun, or a `loop.stop()`, ends no
other call.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Coroutine
from types import FrameType
from typing import Any, TypeVar

from server_core.narration import DONE, INTERRUPTED, tell

T = TypeVar("T")

# Seconds, before it is known how long running calls get to finish.
PATIENCE = 5.0
LAST_WORDS = 1.0
"""Seconds for what has been cancelled and does not end, once everything else has."""


class Ending:
    """Ask for a clean end on SIGTERM and SIGINT; end the process where it stands on a second one, or after a while.

    Take it before the event loop is started and let it go behind the loop's end: what holds up that end is its concern.
    """

    def __init__(self) -> None:
        self.interrupted = False
        self._requested = False
        self._stop: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        self._grace = self._patience = PATIENCE
        self._timer: threading.Timer | None = None
        self._before = {number: signal.signal(number, self._taken) for number in (signal.SIGTERM, signal.SIGINT)}

    def ask(self, stop_requested: asyncio.Event, grace: float) -> None:
        """Say how a clean end is asked for; call it on the event loop.

        Args:
            stop_requested: set on the first signal, or at once if there was one.
            grace: seconds that running calls get to finish.
        """
        self._stop = asyncio.get_running_loop(), stop_requested
        self._grace, self._patience = grace, 2 * grace + 1
        if self._requested:
            stop_requested.set()

    def begin(self) -> None:
        """Note that the end has begun: from now on it may take only so long."""
        if self._timer is None:
            self._force_in(self._patience)

    def hurry(self) -> None:
        """Note that nothing is left but what does not end: calls have had their time, and are cancelled."""
        if self._timer is not None:
            self._timer.cancel()
            self._force_in(LAST_WORDS)

    def close(self) -> None:
        """Take no more notice of signals and of time."""
        if self._timer is not None:
            self._timer.cancel()
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def leave(self) -> None:
        """Note that nothing is left to do but for Python to end the process: that, too, may take only so long."""
        self._force_in(self._grace)

    def _taken(self, number: int, frame: FrameType | None) -> None:
        self.interrupted |= number == signal.SIGINT
        if self._requested:
            os._exit(INTERRUPTED if self.interrupted else DONE)
        self._requested = True
        self.begin()
        if self._stop is not None:
            loop, stop_requested = self._stop
            loop.call_soon_threadsafe(stop_requested.set)

    def _force_in(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._force)
        self._timer.daemon = True
        self._timer.start()

    def _force(self) -> None:
        tell("workbench: a tool does not end, so the process ends without it.")
        os._exit(INTERRUPTED if self.interrupted else DONE)


def run_to_its_end(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on an event loop of its own, and run that again where an author's code makes it stop.

    Args:
        main: what is run; when it ends, so does the loop.

    Returns:
        What it returns.
    """
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        task = loop.create_task(main, name="main")
        task.add_done_callback(lambda _: loop.stop())
        while not task.done():
            try:
                loop.run_forever()
            except (SystemExit, KeyboardInterrupt) as left:
                # Python raises these through the loop, and not only in the task or the callback that they end.
                if not task.done():
                    tell(f"workbench: a task or a callback of a tool raised {type(left).__name__}; the server goes on.")
        return task.result()
