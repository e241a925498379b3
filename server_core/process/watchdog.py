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

# Seconds between two checks of the event loop, once the process has to end.
CHECK_INTERVAL = 0.25
# Linux reports the half-closed end of a socket separately; a pipe and a terminal always report POLLHUP.
_HANGUP = getattr(select, "POLLRDHUP", 0)
_HUNG_UP = _HANGUP | select.POLLHUP | select.POLLERR


class Watchdog:
    """Supervise the end of the process, on a separate thread, which calls `force` to end it."""

    def __init__(self, force: Callable[[], None]) -> None:
        self._force = force
        self._deadline: float | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loop_limit = 0.0
        self._unanswered_since: float | None = None
        self._is_shutting_down = False
        self._client: int | None = None
        self._is_closed = False
        self._wake_read_end, self._wake_write_end = os.pipe()
        os.set_blocking(self._wake_write_end, False)
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
        self._thread.start()

    def set_deadline(self, seconds: float) -> None:
        """End the process after so many seconds; this replaces an earlier deadline. Safe in a signal handler."""
        self._deadline = time.monotonic() + seconds
        self._wake_thread()

    def watch_loop(self, loop: asyncio.AbstractEventLoop, limit: float) -> None:
        """End the process if its shutdown has begun and a callback blocks the loop for longer than so many seconds."""
        self._loop_limit = limit
        self._loop = loop
        self._wake_thread()

    def watch_client(self, fd: int) -> None:
        """Begin the shutdown when the other end of a descriptor closes, which itself must stay open until then."""
        self._client = fd
        self._wake_thread()

    def begin_shutdown(self) -> None:
        """Check the event loop from now on, because the process has to end. Safe in a signal handler."""
        self._is_shutting_down = True
        self._client = None
        self._wake_thread()

    def cancel(self) -> None:
        """Cancel the deadline, and watch neither the event loop nor the client."""
        self._deadline = self._loop = self._client = None
        self._wake_thread()

    def close(self) -> None:
        """End the thread."""
        self._is_closed = True
        self._wake_thread()
        self._thread.join()
        os.close(self._wake_read_end)
        os.close(self._wake_write_end)

    def _wake_thread(self) -> None:
        with contextlib.suppress(BlockingIOError):  # The pipe is full: the thread wakes up anyway.
            os.write(self._wake_write_end, b".")

    def _run(self) -> None:
        while not self._is_closed:
            self._wait()
            if not self._is_closed and self._is_over(time.monotonic()):
                self._force()
                return

    def _wait(self) -> None:
        """Wait until there is something to check."""
        poll, client = select.poll(), self._client
        poll.register(self._wake_read_end, select.POLLIN)
        if client is not None:
            poll.register(client, _HANGUP)
        events: dict[int | None, int] = dict(poll.poll(self._poll_timeout()))
        if self._wake_read_end in events:
            os.read(self._wake_read_end, 4096)
        # A descriptor that is no longer watched may have been reused.
        if client in events and client == self._client:
            if events[client] & _HUNG_UP:
                self.begin_shutdown()
            self._client = None

    def _poll_timeout(self) -> float | None:
        """Return for how many milliseconds nothing has to be checked; None for an unlimited time."""
        limits = []
        if self._deadline is not None:
            limits.append(max(0.0, self._deadline - time.monotonic()))
        if self._is_shutting_down and self._loop is not None:
            limits.append(CHECK_INTERVAL)
        # Rounded up: after a wait that ends too early, this would be called in a busy loop.
        return min(limits) * 1000 + 1 if limits else None

    def _is_over(self, now: float) -> bool:
        if self._deadline is not None and now >= self._deadline:
            return True
        if not self._is_shutting_down or self._loop is None:
            return False
        if self._unanswered_since is None:
            self._unanswered_since = now
            try:
                self._loop.call_soon_threadsafe(self._on_loop_response)
            except RuntimeError:
                self._loop = None  # It is closed: from now on, only the deadline counts.
            return False
        return now - self._unanswered_since >= self._loop_limit

    def _on_loop_response(self) -> None:
        self._unanswered_since = None
