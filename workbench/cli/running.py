"""How a command runs: its errors become one sentence on stderr and an exit code; a traceback is a bug of ours."""

import asyncio
import errno
import signal
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any

from server_core.ending import end_by_force, run_to_its_end
from server_core.errors import RemoteError, WorkbenchError
from server_core.places import CURRENT_FOLDER_REMOVED, current_folder
from workbench.cli import narration, output
from workbench.cli.exits import INTERRUPTED, USAGE, exit_code


def run(main: Coroutine[Any, Any, int]) -> int:
    """Run an asynchronous command on an event loop of its own and return its exit code.

    A tool that runs in this process may hold up the loop or refuse to be cancelled: a second interrupt ends that.
    """
    before = signal.getsignal(signal.SIGINT)
    interrupts = _Interrupts(main)
    signal.signal(signal.SIGINT, interrupts.taken)
    try:
        return guarded(lambda: run_to_its_end(interrupts.watched()))
    finally:
        signal.signal(signal.SIGINT, before)


class _Interrupts:
    """Cancel a command on the first interrupt, end the process where it stands on the next.

    Args:
        main: the command.
    """

    def __init__(self, main: Coroutine[Any, Any, int]) -> None:
        self._main = main
        self._count = 0
        self._cancel: Callable[[], object] = lambda: None

    async def watched(self) -> int:
        """Run the command, and return its exit code or that of an interrupt."""
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        self._cancel = lambda: loop.call_soon_threadsafe(task.cancel)
        try:
            return await self._main
        except asyncio.CancelledError:
            if not self._count:
                raise
            return INTERRUPTED

    def taken(self, number: int, frame: FrameType | None) -> None:
        """Take an interrupt, in Python itself: the loop may be held up."""
        self._count += 1
        if self._count > 1:
            end_by_force(INTERRUPTED)
        self._cancel()


def guarded(command: Callable[[], int]) -> int:
    """Run a command and return its exit code, whatever was wrong with what it was given."""
    try:
        return command()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        output.end_quietly()
        return USAGE
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            narration.fail(f"{error.strerror}; raise the limit of this process: ulimit -n 1024")
            return USAGE
        if error.filename is None:
            if isinstance(error, FileNotFoundError) and current_folder() is None:
                narration.fail(CURRENT_FOLDER_REMOVED)
                return USAGE
            raise
        narration.fail(f"{error.filename}: {error.strerror}; check the path and its permissions")
        return USAGE
    except WorkbenchError as error:
        narration.fail(_sentence(error))
        return exit_code(error)


def _sentence(error: WorkbenchError) -> str:
    if isinstance(error, RemoteError):
        from workbench.model.describe import remote_error

        return f"the server answered: {remote_error(error)}"
    return str(error)
