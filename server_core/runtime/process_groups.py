"""The process groups of our child processes: none of them outlives this process, however it ends."""

import atexit
import contextlib
import os
import signal
from collections.abc import Sequence

from server_core.runtime.process_exit import before_force

SHOWN_STDERR_LINES = 5
"""The number of lines of a process's standard error that are shown when it ends."""

_owners: dict[int, int] = {}
"""The live groups, and the process that started each: a forked copy of that process does not own them."""


def register(group: int) -> None:
    """Register a group, so that it is killed when this process ends."""
    if kill_all not in before_force:
        before_force.append(kill_all)
        atexit.register(kill_all)
    _owners[group] = os.getpid()


def unregister(group: int) -> None:
    """Unregister a group that has ended."""
    _owners.pop(group, None)


def signal_group(group: int, number: int) -> bool:
    """Send a signal to every process of a group (0: none), and return whether it has a process left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
        return True
    return False


def kill_all() -> None:
    """Kill every registered group; for the end of the process, when there is no time for anything else."""
    for group, owner in tuple(_owners.items()):
        if owner == os.getpid():
            signal_group(group, signal.SIGKILL)
            unregister(group)


def describe_exit(code: int) -> str:
    """Describe how a process ended, as the end of a sentence that begins with its name; `code` as in `subprocess`."""
    return f"was killed by {_signal_name(-code)}" if code < 0 else f"ended with exit code {code}"


def describe_stderr(lines: Sequence[str]) -> list[str]:
    """Return the last of the lines that a process wrote to standard error, below a heading."""
    if not lines:
        return ["It wrote nothing to its stderr."]
    return ["Last lines on its stderr:", *lines[-SHOWN_STDERR_LINES:]]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
