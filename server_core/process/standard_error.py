"""The real standard error, while descriptor 2 leads elsewhere.

Its reader may stop reading, or go: a core outlives the terminal that has started it. What is written here is recorded
elsewhere, so it is dropped where nobody reads it, and nobody waits for a reader.
"""

import contextlib
import os
import select
import threading

PATIENCE_MS = 50

_descriptor = 2


def descriptor() -> int:
    """Return the descriptor that leads to the real standard error: 2, unless somebody has moved it."""
    return _descriptor


class StandardError:
    """Keep the real standard error on a descriptor of its own, so that something else may take the place of 2."""

    def __init__(self) -> None:
        global _descriptor
        self.fd = os.dup(2)
        self._room = select.poll()
        self._room.register(self.fd, select.POLLOUT)
        self._patience = PATIENCE_MS
        self._writing = threading.Lock()
        self._before, _descriptor = _descriptor, self.fd

    def write(self, data: bytes) -> None:
        """Write what is recorded elsewhere: it is dropped where nobody reads."""
        with self._writing:
            # A pipe that is ready takes so many bytes without waiting.
            for start in range(0, len(data), select.PIPE_BUF):
                ready = self._room.poll(self._patience)
                self._patience = PATIENCE_MS if ready else 0
                if not ready:
                    return
                with contextlib.suppress(OSError):
                    os.write(self.fd, data[start : start + select.PIPE_BUF])

    def put_back(self) -> None:
        """Let descriptor 2 lead to the real standard error again; :meth:`write` still works."""
        global _descriptor
        os.dup2(self.fd, 2)
        _descriptor = self._before

    def close(self) -> None:
        """Close the descriptor of its own."""
        os.close(self.fd)
