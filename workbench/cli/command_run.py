"""Runs a command: its errors become a sentence on stderr and an exit code, which is API; a traceback is a bug."""

import asyncio
import contextlib
import errno
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from server_core.errors import ConfigurationError, ConnectionFailed, RemoteError, ToolkitError, WorkbenchError
from server_core.process.shutdown import DEFAULT_GRACE, run_until_complete
from server_core.process.watchdog import Watchdog
from server_core.runtime.paths import CURRENT_FOLDER_REMOVED, current_folder
from server_core.runtime.processes import force_exit
from workbench.cli import console, output

DONE = 0
FAILED = 1
"""The call failed, or the responses of a replay differ."""
USAGE = 2
"""An argument, a setting, a path, a standard stream or a tool is invalid: trying again is of no use."""
UNREACHABLE = 3
"""The server could not be reached, or the connection was lost: trying again may help."""
BROKEN = 70
"""The terminal failed because of a bug: stderr names the report. 70 is EX_SOFTWARE of sysexits.h."""
INTERRUPTED = 130
"""Ctrl-C, as in shells: 128 + SIGINT."""

GRACE_SECONDS = 2.0
"""Seconds for cancelled tasks to end, once a command is done or interrupted."""
_BLOCKED_SECONDS = 1.0
"""Seconds beyond the time limit of a call that the event loop may be blocked."""


def run(main: Coroutine[Any, Any, int]) -> int:
    """Run an asynchronous command on a new event loop and return its exit code.

    A tool that runs in this process may block the loop or suppress its cancellation. The command does not wait for it,
    neither when it is done, nor when it is interrupted; a second interrupt ends the process at once.
    """
    command = _Command(main)
    try:
        return run_until_complete(command.watched())
    finally:
        command.close()


def leave(code: int) -> None:
    """Limit the time for the interpreter's exit with this code: threads and `atexit` functions may delay it."""
    signal.signal(signal.SIGINT, lambda *_: force_exit(INTERRUPTED))
    with contextlib.suppress(OSError, RuntimeError):  # Without free descriptors or threads there is no limit.
        Watchdog(lambda: _end_without_tool(code)).set_deadline(DEFAULT_GRACE)


class _Command:
    """Cancels a command on the first interrupt, and ends the process on the next, or when the grace period is over."""

    def __init__(self, main: Coroutine[Any, Any, int]) -> None:
        self._main = main
        self._is_interrupted = False
        self._code = FAILED
        self._cancel: Callable[[], object] = lambda: None
        self._watchdog = Watchdog(self._force)
        self._before = signal.signal(signal.SIGINT, self._interrupted)

    async def watched(self) -> int:
        """Run the command, and return its exit code or that of an interrupt."""
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        self._watchdog.watch_loop(loop, GRACE_SECONDS)
        self._cancel = lambda: loop.call_soon_threadsafe(task.cancel)
        try:
            self._code = await self._main
        except asyncio.CancelledError:
            if not self._is_interrupted:
                raise
            self._code = INTERRUPTED
        except (OSError, WorkbenchError) as error:
            # Reported before the loop is closed, which a tool may delay.
            self._code = _report(error)
        finally:
            self._watchdog.set_deadline(GRACE_SECONDS)
        return self._code

    def close(self) -> None:
        """Restore the handling of interrupts, and stop the watchdog."""
        signal.signal(signal.SIGINT, self._before)
        self._watchdog.close()

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        # A Python signal handler, not one of the loop: the loop may be blocked.
        if self._is_interrupted:
            force_exit(INTERRUPTED)
        self._is_interrupted = True
        self._code = INTERRUPTED
        self._watchdog.begin_shutdown()
        self._cancel()

    def _force(self) -> None:
        _end_without_tool(self._code)


def guarded(command: Callable[[], int]) -> int:
    """Run a command and return its exit code; report its errors."""
    try:
        return command()
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, WorkbenchError) as error:
        return _report(error)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """End the process when the event loop is blocked for longer than a call may take; None for no limit."""
    if seconds is None:
        yield
        return

    def end_process() -> None:
        try:
            console.fail(
                f"no response within {seconds:g} seconds: the tool blocks the event loop, so the command exits"
            )
        finally:
            force_exit(FAILED)

    watchdog = Watchdog(end_process)
    watchdog.watch_loop(asyncio.get_running_loop(), seconds + _BLOCKED_SECONDS)
    watchdog.begin_shutdown()
    try:
        yield
    finally:
        watchdog.close()


def _report(error: OSError | WorkbenchError) -> int:
    """Report an error, and return the exit code; raise an error that is a bug."""
    if isinstance(error, WorkbenchError):
        console.fail(_sentence(error))
        return _exit_code(error)
    if isinstance(error, BrokenPipeError):
        output.end_quietly()
    elif error.errno in (errno.EMFILE, errno.ENFILE):
        console.fail(f"{error.strerror}; raise the limit of this process: ulimit -n 1024")
    elif isinstance(error, FileNotFoundError) and error.filename is None and current_folder() is None:
        console.fail(CURRENT_FOLDER_REMOVED)
    elif error.filename is None:
        raise error
    else:
        console.fail(f"{error.filename}: {error.strerror}; check the path and its permissions")
    return USAGE


def _exit_code(error: WorkbenchError) -> int:
    if isinstance(error, ConnectionFailed):
        return UNREACHABLE
    return USAGE if isinstance(error, ConfigurationError | ToolkitError) else FAILED


def _end_without_tool(code: int) -> None:
    try:
        if code != INTERRUPTED:
            console.write("a tool has not ended; the command exits without it")
    finally:
        force_exit(code)


def _sentence(error: WorkbenchError) -> str:
    if isinstance(error, RemoteError):
        from workbench.model.error_texts import remote_error_text

        return f"the server answered: {remote_error_text(error)}"
    return str(error)
