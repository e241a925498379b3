"""How a command runs: its errors become one sentence on stderr and an exit code; a traceback is a bug of ours."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from server_core.errors import RemoteError, WorkbenchError
from workbench.cli import narration, output
from workbench.cli.exits import FAILED, INTERRUPTED, USAGE, exit_code


def run(main: Coroutine[Any, Any, int]) -> int:
    """Run an asynchronous command on an event loop of its own and return its exit code."""
    return guarded(lambda: asyncio.run(main))


def guarded(command: Callable[[], int]) -> int:
    """Run a command and return its exit code, whatever was wrong with what it was given."""
    try:
        return command()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        output.end_quietly()
        return FAILED
    except OSError as error:
        if error.filename is None:
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
