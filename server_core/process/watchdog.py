"""A thread that terminates the process when its deadline has passed or the event loop is blocked.

It is started with the process, because no thread can be started once memory or threads have run out. It needs neither
the event loop, which a tool may block, nor a signal.
"""

import asyncio
import contextlib
import os
import select
import threading
import time
from collections.abc import Callable

CHECK_INTERVAL = 0.25
"""Seconds between two checks of the event loop, once the process has to end."""
# Linux reports the half-closed end of a socket separately; a pipe and a terminal always report POLLHUP.
_HANGUP = getattr(select, "POLLRDHUP", 0)
_HUNG_UP = _HANGUP | select.POLLHUP | select.POLLERR


class Watchdog:
    """Supervise the end of the process, on a separate thread.

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
        """End the process after so many seconds; this replaces an earlier deadline. Safe in a signal handler."""
        self._deadline = time.monotonic() + seconds
        self._notify()

    def watch_loop(self, loop: asyncio.AbstractEventLoop, limit: float) -> None:
        """End the process if its end has begun and its event loop is blocked for too long.

        Args:
            loop: the event loop.
            limit: how many seconds a callback may block it then.
        """
        self._loop_limit = limit
        self._loop = loop
        self._notify()

    def watch_client(self, fd: int) -> None:
        """Begin the end of the process when the other end of a descriptor is closed.

        Args:
            fd: a pipe, a socket or a terminal; it must stay open until :meth:`end_begins` or :meth:`close`.
        """
        self._client = fd
        self._notify()

    def end_begins(self) -> None:
        """Note that the process has to end. Safe in a signal handler."""
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
        with contextlib.suppress(BlockingIOError):  # The pipe is full: the thread wakes up anyway.
            os.write(self._wake, b".")

    def _run(self) -> None:
        while not self._is_closed:
            self._wait()
            if not self._is_closed and self._is_over(time.monotonic()):
                self._force()
                return

    def _wait(self) -> None:
        """Wait until there is something to check."""
        poll, client = select.poll(), self._client
        poll.register(self._woken, select.POLLIN)
        if client is not None:
            poll.register(client, _HANGUP)
        events: dict[int | None, int] = dict(poll.poll(self._patience()))
        if self._woken in events:
            os.read(self._woken, 4096)
        # A descriptor that is no longer watched may have been reused.
        if client in events and client == self._client:
            if events[client] & _HUNG_UP:
                self.end_begins()
            self._client = None

    def _patience(self) -> float | None:
        """Return for how many milliseconds nothing has to be checked; None for an unlimited time."""
        limits = []
        if self._deadline is not None:
            limits.append(max(0.0, self._deadline - time.monotonic()))
        if self._is_ending and self._loop is not None:
            limits.append(CHECK_INTERVAL)
        # Rounded up: after a wait that ends too early, this would be called in a busy loop.
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
                self._loop = None  # It is closed: from now on, only the deadline counts.
            return False
        return now - self._unanswered_since >= self._loop_limit

    def _loop_runs(self) -> None:
        self._unanswered_since = None
