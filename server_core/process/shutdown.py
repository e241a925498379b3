"""Shutdown of a serving process: cleanly on a signal, and forcibly when that takes too long.

Rule 1: signals are handled by Python itself and not by the event loop, which a tool may be blocking.
Rule 2: a tool that refuses to be cancelled, or never yields to the loop, delays the end for a limited time only: then
a thread (:mod:`~server_core.process.watchdog`) ends the process, even if the blocked loop cannot notice that its
client has disconnected.
Rule 3: the same holds for leftovers of a tool, threads and `atexit` functions, where the process has no other purpose.
Rule 4: author's code cannot stop the event loop: a `sys.exit` in a task that a tool started, a signal handler that
raises or a `loop.stop()` ends no other call.
"""

import _thread
import asyncio
import contextlib
import signal
import threading
import traceback
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any, TypeVar

from server_core.process.watchdog import Watchdog
from server_core.runtime.console import DONE, INTERRUPTED, RecurringMessage, write
from server_core.runtime.processes import force_exit, on_fork
from server_core.runtime.safe_text import class_name, safe_str

T = TypeVar("T")

# Seconds; used until the grace period of running calls is known.
DEFAULT_GRACE = 5.0
# Seconds that cancelled calls get to end, once everything else has ended.
FINAL_SECONDS = 1.0
# How many exceptions the event loop itself may raise before a callback has run.
MAX_ESCAPED = 1000


class Shutdown:
    """Request a clean end on SIGTERM, SIGINT and SIGHUP; end the process on a second signal, or after a timeout.

    Create it before the event loop is started, and close it after the loop's end, which may be delayed.
    """

    def __init__(self) -> None:
        self.interrupted = False
        self._requested = False
        self._stop: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        self._last_action: Callable[[], None] = lambda: None
        self._grace = self._time_limit = DEFAULT_GRACE
        self._has_begun = False
        self._watchdog = Watchdog(self._force)
        self._handlers_before = {number: signal.signal(number, self._on_signal) for number in _stop_signals()}
        # A process that a tool forks has no watchdog: signals have their usual effect there.
        self._forget_forks = on_fork(self._restore_signals)

    def request_stop_with(
        self, stop_requested: asyncio.Event, grace: float, last_action: Callable[[], None] = lambda: None
    ) -> None:
        """Set how signals request a clean end; call it on the event loop.

        The event is set at once if there was a signal already. Before the process is ended by force, `last_action` is
        called on a thread, if possible.
        """
        loop = asyncio.get_running_loop()
        self._stop = loop, stop_requested
        self._grace, self._time_limit = grace, 2 * grace + FINAL_SECONDS
        self._last_action = last_action
        self._watchdog.watch_loop(loop, grace + FINAL_SECONDS)
        if self._requested:
            stop_requested.set()

    def watch_client(self, fd: int) -> None:
        """Detect a closed client, though the loop is blocked; the descriptor stays open until :meth:`begin`."""
        self._watchdog.watch_client(fd)

    def begin(self) -> None:
        """Begin the shutdown: from now on it has a time limit."""
        if not self._has_begun:
            self._has_begun = True
            self._watchdog.begin_shutdown()
            self._watchdog.set_deadline(self._time_limit)

    def hurry(self) -> None:
        """Shorten the time limit: calls have had their grace period, and are cancelled."""
        if self._has_begun:
            self._watchdog.set_deadline(FINAL_SECONDS)

    def close(self) -> None:
        """Restore the signal handlers and stop the watchdog."""
        self._restore_signals()
        self._forget_forks()
        self._watchdog.close()

    def leave(self) -> None:
        """Return without closing the watchdog: it ends the process if Python does not exit within the grace period.

        Python waits for threads and runs `atexit` functions, and a tool may have left some that never end.
        """
        self._restore_signals()
        self._watchdog.cancel()
        self._watchdog.set_deadline(self._grace)

    def _restore_signals(self) -> None:
        for number, handler in self._handlers_before.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.interrupted |= number == signal.SIGINT
        if self._requested:
            self._exit()
        self._requested = True
        self.begin()
        if self._stop is not None:
            loop, stop_requested = self._stop
            loop.call_soon_threadsafe(stop_requested.set)

    @property
    def _exit_code(self) -> int:
        return INTERRUPTED if self.interrupted else DONE

    def _force(self) -> None:
        try:
            self._run_last_action()
            write("workbench: a tool is still running; the process exits without waiting for it.")
        finally:
            self._exit()

    def _exit(self) -> None:
        force_exit(self._exit_code)

    def _run_last_action(self) -> None:
        """Run the last action with a timeout: a tool may hold a lock that it needs."""
        done = threading.Lock()
        done.acquire()

        def run() -> None:
            try:
                self._last_action()
            finally:
                done.release()

        # `_thread`, not a `threading.Thread`, whose start blocks forever if there is no memory for its first step.
        with contextlib.suppress(RuntimeError, MemoryError):
            _thread.start_new_thread(run, ())
            done.acquire(timeout=FINAL_SECONDS)


def _stop_signals() -> list[signal.Signals]:
    """Return the signals that request a clean end."""
    # A server that was started with `nohup` should outlive the terminal.
    is_hangup_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [signal.SIGTERM, signal.SIGINT, *([] if is_hangup_ignored else [signal.SIGHUP])]


def run_until_complete(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on a new event loop, and resume the loop when an author's code stops it."""
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        task = loop.create_task(main, name="main")
        task.add_done_callback(lambda _: loop.stop())
        escaped = EscapedExceptions(loop)
        while not task.done():
            try:
                loop.run_forever()
            except BaseException as error:
                if not task.done():
                    escaped.report(error)
        return task.result()


class EscapedExceptions:
    """Reports exceptions of an author's code that stopped the event loop, which is about to be resumed.

    These are exits and interrupts, exceptions of signal handlers, and failures of asyncio while it reports a failed
    callback.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._reports = RecurringMessage()
        self._since_progress = 0

    def report(self, error: BaseException) -> None:
        """Report an exception to the author, or raise it again when the loop does nothing but raise."""
        if not _is_from_callback(error):
            self._loop.call_soon(self._note_progress)
            self._since_progress += 1
            if self._since_progress > MAX_ESCAPED:
                raise error
        name, text = class_name(type(error)), safe_str(error)
        description = f"{name}: {text}" if text and isinstance(error, Exception) else name
        self._reports.write(f"workbench: a task or a callback of a tool raised {description}; serving continues.")

    def _note_progress(self) -> None:
        self._since_progress = 0


def _is_from_callback(error: BaseException) -> bool:
    """Return whether a callback raised the exception: then the loop, which has dequeued it, makes progress."""
    # Private, but there is no other sign: the loop raises its own exceptions and those of callbacks in the same way.
    run = asyncio.Handle._run.__code__
    return any(frame.f_code is run for frame, _ in traceback.walk_tb(error.__traceback__))
