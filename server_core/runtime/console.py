"""Messages of a core to the user who started it, and its exit codes.

In a core, only this module writes messages to stderr; the commands of the workbench use `workbench.cli.console`.
Untrusted names and text are escaped here, because a terminal interprets control characters.
"""

import sys
import time
from collections.abc import Callable

# The exit codes of a core.
DONE, MISUSED, UNREACHABLE, INTERRUPTED = 0, 2, 3, 130

_write: Callable[[bytes], object] | None = None


def write(text: str) -> None:
    """Write a message to the user who started this process."""
    # Imported late: compiling its patterns would delay the first response, which does not need them.
    from server_core.runtime.terminal_text import escaped_lines

    line = f"{escaped_lines(text.rstrip())}\n"
    if _write is None:
        print(line, end="", file=sys.stderr, flush=True)
    else:
        _write(line.encode("utf-8", "backslashreplace"))


def write_with(write: Callable[[bytes], object] | None) -> None:
    """Write with this function instead of `sys.stderr`, which a tool may replace or close; None undoes this."""
    import server_core.runtime.terminal_text  # noqa: F401  Once descriptors have run out, nothing can be imported.

    global _write
    _write = write


class RecurringMessage:
    """Write messages about a recurring event: the first at once, then at most one per interval, in seconds."""

    def __init__(self, interval: float = 10.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval = interval
        self._clock = clock
        self._next = float("-inf")
        self._suppressed = 0

    def write(self, text: str) -> None:
        """Write the message, with the number of messages suppressed before it; or suppress it."""
        now = self._clock()
        if now < self._next:
            self._suppressed += 1
            return
        more = f" ({self._suppressed} more since the last report)" if self._suppressed else ""
        self._next, self._suppressed = now + self._interval, 0
        write(f"{text}{more}")
