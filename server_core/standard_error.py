"""Descriptor 2, whose reader may stop reading, or go: a core outlives the terminal that has started it.

A pipe that nobody reads any more kills the programs that write to it, those that tools start among them. So when its
reader has gone, this process reads it instead, for nobody, and programs that run already go on; where that cannot be
done, descriptor 2 leads to /dev/null from then on, and programs that start later are safe.
"""

import contextlib
import os
import select
import stat
from collections.abc import Mapping

PATIENCE_MS = 50


class StandardError:
    """Writes to descriptor 2, and looks after it.

    Args:
        poll: reports the events of descriptors; :meth:`look` is to be called with what it reports.
    """

    def __init__(self, poll: "select.poll") -> None:
        self._room = select.poll()
        self._room.register(2, select.POLLOUT)
        self._patience = PATIENCE_MS
        self._watch = poll
        # That the reader has gone is reported without being asked for.
        self._watch.register(2, 0)
        self._own_end: int | None = None

    def write(self, data: bytes) -> None:
        """Write what is recorded elsewhere: it is let go where nobody reads."""
        # A pipe that is ready takes so many bytes without waiting.
        for start in range(0, len(data), select.PIPE_BUF):
            ready = self._room.poll(self._patience)
            self._patience = PATIENCE_MS if ready else 0
            if not ready:
                return
            with contextlib.suppress(OSError):
                os.write(2, data[start : start + select.PIPE_BUF])

    def look(self, reported: Mapping[int, int]) -> None:
        """Take the place of a reader that has gone, and read what has come since.

        Args:
            reported: descriptor -> its events.
        """
        events = reported.get(2, 0)
        if events & select.POLLNVAL:
            # A tool has closed it.
            self._watch.unregister(2)
        elif events:
            self._reader_left()
        if self._own_end is not None and self._own_end in reported:
            self._discard(self._own_end)

    def close(self) -> None:
        """Leave the descriptor to whoever writes to it from now on."""
        if self._own_end is not None:
            _lead_nowhere()
            os.close(self._own_end)
            self._own_end = None

    def _reader_left(self) -> None:
        self._own_end = _open_to_read()
        if self._own_end is None:
            _lead_nowhere()
        else:
            self._watch.register(self._own_end, select.POLLIN)

    def _discard(self, own_end: int) -> None:
        with contextlib.suppress(BlockingIOError):
            if not os.read(own_end, 1 << 20):
                # A tool has put something else in the place of descriptor 2.
                self._watch.unregister(own_end)
                os.close(own_end)
                self._own_end = None


def _open_to_read() -> int | None:
    """Open the other end of descriptor 2; None where that is no pipe, or the system has no way to do it (Linux has)."""
    with contextlib.suppress(OSError):
        if stat.S_ISFIFO(os.fstat(2).st_mode):
            return os.open("/proc/self/fd/2", os.O_RDONLY | os.O_NONBLOCK)
    return None


def _lead_nowhere() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
