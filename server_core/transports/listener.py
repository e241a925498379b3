"""A listening socket for a process that may run out of descriptors: whoever connects then is turned away at once.

asyncio alone would log each refused connection as often as many may wait, and try again as often. Where not even the
descriptor is left that is kept for this, asyncio looks again after a second; what it logs of that is told here already.
"""

import contextlib
import errno
import logging
import os
import socket
from typing import Any

from server_core.runtime.console import Repeated

BACKLOG = 1024
"""How many connections may wait to be accepted: so many clients may come at once."""
AT_ONCE = 8
"""How many of them are accepted in one turn of the event loop; asyncio logs no failure more often than that."""
EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class Listener(socket.socket):
    """A listening socket; give it to asyncio with a backlog of :data:`AT_ONCE`, and call `listen(BACKLOG)` then.

    Args:
        bound: the socket that it takes the place of.
        whom: those who connect to it, for people.
        farewell: what is sent to those who are turned away.
    """

    def __init__(self, bound: socket.socket, whom: str, farewell: bytes = b"") -> None:
        super().__init__(bound.family, bound.type, bound.proto, fileno=bound.detach())
        self._whom = whom
        self._farewell = farewell
        self._spare = _open_spare()
        self._reports = Repeated()
        logging.getLogger("asyncio").addFilter(_is_new)

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection.

        Raises:
            BlockingIOError: when none waits, or it had to be turned away.
            OSError: when nothing can be accepted for now.
        """
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in EXHAUSTED:
                raise
            self._reports.write(
                f"workbench: no more connections of {self._whom} can be taken: {error.strerror}. Raise the limit"
                " (`ulimit -n`), or look for a tool that leaves files or connections open."
            )
            self._turn_away()
            raise BlockingIOError from error

    def close(self) -> None:
        """Close it, and the descriptor that it keeps."""
        self._close_spare()
        super().close()

    def _turn_away(self) -> None:
        """Accept a connection with the descriptor that is kept for this, and close it.

        Raises:
            OSError: when that descriptor is gone as well, or does not help.
        """
        self._spare = _open_spare() if self._spare is None else self._spare
        self._close_spare()
        try:
            connection, _ = super().accept()
            with connection, contextlib.suppress(OSError):
                connection.setblocking(False)
                connection.send(self._farewell)
                connection.recv(65536)  # Closed with something unread, it would take the farewell back.
        finally:
            self._spare = _open_spare()

    def _close_spare(self) -> None:
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None


def _open_spare() -> int | None:
    try:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def _is_new(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("socket.accept() out of system resource")
