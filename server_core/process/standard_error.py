"""The real standard error, while descriptor 2 is redirected.

Its reader may stop reading, or disappear: a core outlives the terminal that started it. Whatever is written here is
recorded as well, so it is dropped if no process reads it, and writing never blocks for long.
"""

import contextlib
import os
import select
import threading

WRITE_TIMEOUT_MS = 50

# Of the module, since messages of the command line are written here as well, by code that has no guard.
_descriptor = 2


def descriptor() -> int:
    """Return the descriptor of the real standard error: 2, unless it is redirected."""
    return _descriptor


class StandardError:
    """Duplicate the real standard error to another descriptor, so that descriptor 2 can be redirected."""

    def __init__(self) -> None:
        global _descriptor
        self.fd = os.dup(2)
        self._poll = select.poll()
        self._poll.register(self.fd, select.POLLOUT)
        # 0 after a timeout: a reader that has stopped must not delay every later write as well.
        self._timeout_ms = WRITE_TIMEOUT_MS
        self._writing = threading.Lock()
        self._descriptor_before, _descriptor = _descriptor, self.fd

    def write(self, data: bytes) -> None:
        """Write data that is recorded elsewhere; it is dropped if no process reads it."""
        with self._writing:
            # A pipe that is ready accepts this many bytes without blocking.
            for start in range(0, len(data), select.PIPE_BUF):
                ready = self._poll.poll(self._timeout_ms)
                self._timeout_ms = WRITE_TIMEOUT_MS if ready else 0
                if not ready:
                    return
                with contextlib.suppress(OSError):
                    os.write(self.fd, data[start : start + select.PIPE_BUF])

    def restore(self) -> None:
        """Point descriptor 2 to the real standard error again; :meth:`write` still works."""
        global _descriptor
        os.dup2(self.fd, 2)
        _descriptor = self._descriptor_before

    def close(self) -> None:
        """Close the duplicate descriptor."""
        os.close(self.fd)
