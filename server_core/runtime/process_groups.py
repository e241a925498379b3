"""The process groups of the child processes that serve us: none of them outlives this process, however it ends."""

import atexit
import contextlib
import os
import signal
from collections.abc import Sequence

from server_core.runtime.forced_exit import before_force

SHOWN_STDERR_LINES = 5
"""How much of a process's standard error is shown with its end."""

_owners: dict[int, int] = {}
"""The groups that are alive, and the process that has started each: what that forks does not own them."""


def register(group: int) -> None:
    """Note that a group was started, and has to end with this process."""
    if kill_all not in before_force:
        before_force.append(kill_all)
        atexit.register(kill_all)
    _owners[group] = os.getpid()


def unregister(group: int) -> None:
    """Note that a group has ended."""
    _owners.pop(group, None)


def signal_group(group: int, number: int) -> bool:
    """Send a signal to every process of a group; 0 only looks.

    Returns:
        Whether there is anybody left in it who can be reached.
    """
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
        return True
    return False


def kill_all() -> None:
    """Kill what is left of every group; for the end of the process, when there is no time for anything else."""
    for group, owner in tuple(_owners.items()):
        if owner == os.getpid():
            signal_group(group, signal.SIGKILL)
            unregister(group)


def describe_exit(code: int) -> str:
    """Return how a process ended, as the end of a sentence that begins with its name.

    Args:
        code: its exit code, or minus the number of the signal that killed it.
    """
    return f"was killed by {_signal_name(-code)}" if code < 0 else f"ended with exit code {code}"


def describe_stderr(lines: Sequence[str]) -> list[str]:
    """Return the last lines that a process wrote to standard error, below a heading that says what they are.

    Args:
        lines: what is known of its standard error, the oldest first.
    """
    if not lines:
        return ["It wrote nothing to its stderr."]
    return ["Last lines on its stderr:", *lines[-SHOWN_STDERR_LINES:]]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
