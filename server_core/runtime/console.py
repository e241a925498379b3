"""What a core says to the person who started it, and the exit codes that it says it with; the one writer of stderr.

Names and texts of others are escaped here: a terminal obeys what is printed to it.
"""

import sys
import time
from collections.abc import Callable

DONE, MISUSED, UNREACHABLE, INTERRUPTED = 0, 2, 3, 130

_write: Callable[[bytes], object] | None = None


def write(text: str) -> None:
    """Say something to the person who started this process."""
    # Compiling its patterns takes a part of the time to the first answer, which needs none of this.
    from server_core.runtime.terminal_text import escaped_lines

    line = f"{escaped_lines(text.rstrip())}\n"
    if _write is None:
        print(line, end="", file=sys.stderr, flush=True)
    else:
        _write(line.encode("utf-8", "backslashreplace"))


def write_with(write: Callable[[bytes], object] | None) -> None:
    """Hand what is told to a function from now on, and not to `sys.stderr`, which a tool may replace or close.

    Args:
        write: takes whole lines; None for `sys.stderr` again.
    """
    import server_core.runtime.terminal_text  # noqa: F401  When descriptors have run out, nothing can be imported.

    global _write
    _write = write


class Repeated:
    """Tells of what may happen again and again: at once, and then once in an interval at most.

    Args:
        interval: seconds between two lines.
        clock: seconds of a clock that never goes back.
    """

    def __init__(self, interval: float = 10.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval = interval
        self._clock = clock
        self._next = float("-inf")
        self._untold = 0

    def write(self, text: str) -> None:
        """Say it, with the number of times that it was not said; or count it."""
        now = self._clock()
        if now < self._next:
            self._untold += 1
            return
        more = f" ({self._untold} more since the last report)" if self._untold else ""
        self._next, self._untold = now + self._interval, 0
        write(f"{text}{more}")
