"""A listening socket for a process that may run out of descriptors: new connections are then rejected at once.

asyncio alone would retry and log each failed accept as often as its backlog allows. If even the reserved descriptor is
lost, asyncio retries after a second; its log messages about that are filtered, because the failure is reported here.
"""

import contextlib
import errno
import logging
import os
import socket
from typing import Any

from server_core.runtime.console import RecurringMessage

# How many connections may wait to be accepted: so many clients may connect at once.
BACKLOG = 1024
# How many connections are accepted in one iteration of the event loop, which also limits asyncio's log messages.
ACCEPTS_PER_ITERATION = 8
EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class Listener(socket.socket):
    """A listening socket; pass it to asyncio with a backlog of ACCEPTS_PER_ITERATION, then call `listen(BACKLOG)`."""

    def __init__(self, bound: socket.socket, clients: str, rejection: bytes = b"") -> None:
        super().__init__(bound.family, bound.type, bound.proto, fileno=bound.detach())
        self._clients = clients
        self._rejection = rejection
        # Reserved: when there are no descriptors left, it is closed so that a connection can be accepted and rejected.
        self._spare = _open_spare()
        self._reports = RecurringMessage()
        logging.getLogger("asyncio").addFilter(_is_not_accept_failure)

    # asyncio calls `accept` of the socket itself, until it raises BlockingIOError.
    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection; raise BlockingIOError when no connection waits, or it had to be rejected."""
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in EXHAUSTED:
                raise
            self._reports.write(
                f"workbench: no more connections of {self._clients} can be accepted: {error.strerror}. Raise the limit"
                " (`ulimit -n`), or look for a tool that leaves files or connections open."
            )
            self._reject()
            raise BlockingIOError from error

    def close(self) -> None:
        self._close_spare()
        super().close()

    def _reject(self) -> None:
        """Accept a connection with the reserved descriptor, and close it."""
        self._spare = _open_spare() if self._spare is None else self._spare
        self._close_spare()
        try:
            connection, _ = super().accept()
            with connection, contextlib.suppress(OSError):
                connection.setblocking(False)
                connection.send(self._rejection)
                connection.recv(65536)  # Closing with unread data would reset the connection and lose the farewell.
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


def _is_not_accept_failure(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("socket.accept() out of system resource")
