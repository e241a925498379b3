"""How a process that serves comes to its end: asked to by signals, and by force when that takes too long.

Rule 1: signals are taken by Python itself and not by the event loop, which a tool may be holding up.
Rule 2: a tool that refuses to be cancelled, or never gives the loop back, holds up the end for a while, not for ever:
a thread (:mod:`~server_core.process.watchdog`) ends the process then, also where the loop cannot notice that its
client left.
Rule 3: so does what a tool has left behind, threads and functions of `atexit`, where the process has no other purpose.
Rule 4: nobody else leaves the event loop: a `sys.exit` in a task that a tool has begun, a signal handler that raises
or a `loop.stop()` ends no other call.
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
from server_core.runtime.console import DONE, INTERRUPTED, Repeated, write
from server_core.runtime.forced_exit import end_by_force
from server_core.runtime.forks import in_forked
from server_core.runtime.safe_text import class_name, readable

T = TypeVar("T")

# Seconds, before it is known how long running calls get to finish.
PATIENCE = 5.0
LAST_WORDS = 1.0
"""Seconds for what has been cancelled and does not end, once everything else has."""
MOST_ESCAPED = 1000
"""How many exceptions the event loop itself may raise before one callback has run."""


class Shutdown:
    """Ask for a clean end on SIGTERM, SIGINT and SIGHUP; end the process at once on a second one, or after a while.

    Make it before the event loop is started, and close it after the loop's end, which something may hold up.
    """

    def __init__(self) -> None:
        self.interrupted = False
        self._requested = False
        self._stop: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        self._last_action: Callable[[], None] = lambda: None
        self._grace = self._patience = PATIENCE
        self._has_begun = False
        self._watchdog = Watchdog(self._force)
        self._before = {number: signal.signal(number, self._on_signal) for number in _signals()}
        # A process that a tool forks has no watchdog: a signal ends it as it ends any other.
        self._forget_forks = in_forked(self._restore_signals)

    def ask(self, stop_requested: asyncio.Event, grace: float, last_words: Callable[[], None] = lambda: None) -> None:
        """Say how a clean end is asked for; call it on the event loop.

        Args:
            stop_requested: set on the first signal, or at once if there was one.
            grace: seconds that running calls get to finish.
            last_words: called, on a thread and without a promise, before the process is ended by force.
        """
        loop = asyncio.get_running_loop()
        self._stop = loop, stop_requested
        self._grace, self._patience = grace, 2 * grace + LAST_WORDS
        self._last_action = last_words
        self._watchdog.watch_loop(loop, grace + LAST_WORDS)
        if self._requested:
            stop_requested.set()

    def watch_client(self, fd: int) -> None:
        """Notice that the client has closed its end while the event loop is held up.

        Args:
            fd: where its messages come from; it stays open until :meth:`begin`.
        """
        self._watchdog.watch_client(fd)

    def begin(self) -> None:
        """Note that the end has begun: from now on it may take only so long."""
        if not self._has_begun:
            self._has_begun = True
            self._watchdog.end_begins()
            self._watchdog.set_deadline(self._patience)

    def hurry(self) -> None:
        """Note that nothing is left but what does not end: calls have had their time, and are cancelled."""
        if self._has_begun:
            self._watchdog.set_deadline(LAST_WORDS)

    def close(self) -> None:
        """Take no more notice of signals and of time."""
        self._restore_signals()
        self._forget_forks()
        self._watchdog.close()

    def leave(self) -> None:
        """Note that nothing is left to do but for Python to end the process: that, too, may take only so long."""
        self._restore_signals()
        self._watchdog.cancel()
        self._watchdog.set_deadline(self._grace)

    def _restore_signals(self) -> None:
        for number, handler in self._before.items():
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
    def _code(self) -> int:
        return INTERRUPTED if self.interrupted else DONE

    def _force(self) -> None:
        try:
            self._run_last_action()
            write("workbench: a tool does not end, so the process ends without it.")
        finally:
            self._exit()

    def _exit(self) -> None:
        end_by_force(self._code)

    def _run_last_action(self) -> None:
        """Give what has to be written down a moment: the tool may hold a lock that it needs."""
        said = threading.Lock()
        said.acquire()

        def run() -> None:
            try:
                self._last_action()
            finally:
                said.release()

        # Not a `threading.Thread`, whose start waits for ever where there is no memory for its first step.
        with contextlib.suppress(RuntimeError, MemoryError):
            _thread.start_new_thread(run, ())
            said.acquire(timeout=LAST_WORDS)


def _signals() -> list[signal.Signals]:
    """Return the signals that ask for an end."""
    # Whoever starts a server with `nohup` wants it to outlive the terminal.
    is_hangup_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [signal.SIGTERM, signal.SIGINT, *([] if is_hangup_ignored else [signal.SIGHUP])]


def run_to_its_end(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on an event loop of its own, and run that again where an author's code makes it stop.

    Args:
        main: what is run; when it ends, so does the loop.

    Returns:
        What it returns.
    """
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        task = loop.create_task(main, name="main")
        task.add_done_callback(lambda _: loop.stop())
        escaped = _Escaped(loop)
        while not task.done():
            try:
                loop.run_forever()
            except BaseException as error:
                if not task.done():
                    escaped.report(error)
        return task.result()


class _Escaped:
    """What an author's code has raised through an event loop: Python raises exits and interrupts there, signal handlers
    whatever they like, and asyncio what fails while it reports a failed callback.

    Args:
        loop: the loop, which is about to be run again.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._reports = Repeated()
        self._since_progress = 0

    def report(self, error: BaseException) -> None:
        """Tell the author, for whom the server goes on.

        Raises:
            BaseException: the same, when the loop does nothing but raise.
        """
        if not _is_of_callback(error):
            self._loop.call_soon(self._progressed)
            self._since_progress += 1
            if self._since_progress > MOST_ESCAPED:
                raise error
        what, text = class_name(type(error)), readable(error)
        said = f"{what}: {text}" if text and isinstance(error, Exception) else what
        self._reports.write(f"workbench: a task or a callback of a tool raised {said}; the server goes on.")

    def _progressed(self) -> None:
        self._since_progress = 0


def _is_of_callback(error: BaseException) -> bool:
    """Whether a callback has raised it: then the loop, which has taken it out of its queue, does its work."""
    run = asyncio.Handle._run.__code__
    return any(frame.f_code is run for frame, _ in traceback.walk_tb(error.__traceback__))
