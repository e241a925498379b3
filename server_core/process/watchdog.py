"""A thread that ends the process where it stands, when its time is over or nobody else can.

It is started at the beginning: when memory or threads have run out, no new one can be started for the end. It needs
neither the event loop, which a tool may hold, nor a signal.
"""

import asyncio
import contextlib
import os
import select
import threading
import time
from collections.abc import Callable

LOOK_EVERY = 0.25
"""Seconds between two looks at the event loop, once the process has to end."""
# Linux reports the half-closed end of a socket separately; a pipe and a terminal always report POLLHUP.
_HANGUP = getattr(select, "POLLRDHUP", 0)
_HUNG_UP = _HANGUP | select.POLLHUP | select.POLLERR


class Watchdog:
    """Watch over the end of a process, on a thread of its own.

    Args:
        force: ends the process; called on that thread.
    """

    def __init__(self, force: Callable[[], None]) -> None:
        self._force = force
        self._deadline: float | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loop_limit = 0.0
        self._unanswered_since: float | None = None
        self._is_ending = False
        self._client: int | None = None
        self._is_closed = False
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
        self._thread.start()

    def set_deadline(self, seconds: float) -> None:
        """End the process in so many seconds; this replaces an earlier deadline. Safe in a signal handler."""
        self._deadline = time.monotonic() + seconds
        self._notify()

    def watch_loop(self, loop: asyncio.AbstractEventLoop, limit: float) -> None:
        """End the process when it has to end and its event loop does not run for a time.

        Args:
            loop: the event loop.
            limit: seconds that one callback may hold it then.
        """
        self._loop_limit = limit
        self._loop = loop
        self._notify()

    def watch_client(self, fd: int) -> None:
        """Take it that the process has to end when the other end of a descriptor is closed.

        Args:
            fd: a pipe, a socket or a terminal; it must stay open until :meth:`end_begins` or :meth:`close`.
        """
        self._client = fd
        self._notify()

    def end_begins(self) -> None:
        """Take it that the process has to end. Safe in a signal handler."""
        self._is_ending = True
        self._client = None
        self._notify()

    def cancel(self) -> None:
        """Forget the deadline, the event loop and the client."""
        self._deadline = self._loop = self._client = None
        self._notify()

    def close(self) -> None:
        """End the thread."""
        self._is_closed = True
        self._notify()
        self._thread.join()
        os.close(self._woken)
        os.close(self._wake)

    def _notify(self) -> None:
        with contextlib.suppress(BlockingIOError):  # It is full: the thread wakes up anyway.
            os.write(self._wake, b".")

    def _run(self) -> None:
        while not self._is_closed:
            self._wait()
            if not self._is_closed and self._is_over(time.monotonic()):
                self._force()
                return

    def _wait(self) -> None:
        """Wait until there is something to look at."""
        poll, client = select.poll(), self._client
        poll.register(self._woken, select.POLLIN)
        if client is not None:
            poll.register(client, _HANGUP)
        events: dict[int | None, int] = dict(poll.poll(self._patience()))
        if self._woken in events:
            os.read(self._woken, 4096)
        # A descriptor that is no longer watched may be another file by now.
        if client in events and client == self._client:
            if events[client] & _HUNG_UP:
                self.end_begins()
            self._client = None

    def _patience(self) -> float | None:
        """Return for how many milliseconds nothing has to be looked at; None for ever."""
        limits = []
        if self._deadline is not None:
            limits.append(max(0.0, self._deadline - time.monotonic()))
        if self._is_ending and self._loop is not None:
            limits.append(LOOK_EVERY)
        # Rounded up: a wait that ends too early would be repeated without a pause.
        return min(limits) * 1000 + 1 if limits else None

    def _is_over(self, now: float) -> bool:
        if self._deadline is not None and now >= self._deadline:
            return True
        if not self._is_ending or self._loop is None:
            return False
        if self._unanswered_since is None:
            self._unanswered_since = now
            try:
                self._loop.call_soon_threadsafe(self._loop_runs)
            except RuntimeError:
                self._loop = None  # It is closed: from here on, there is only the deadline.
            return False
        return now - self._unanswered_since >= self._loop_limit

    def _loop_runs(self) -> None:
        self._unanswered_since = None
