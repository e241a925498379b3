"""How processes end: this one, copies of it that an author's code forks and does not end, and its child processes.

A forked process has a copy of everything but only one thread, so it would answer clients a second time, or wait
forever and hold open the pipes and sockets that others wait on. It exits as soon as control returns to our code.

No process group of a child process outlives this process, however it ends.
"""

import atexit
import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from typing import NoReturn

from server_core.runtime.console import DONE

SHOWN_STDERR_LINES = 5
"""The number of lines of a process's standard error that are shown when it ends."""

before_force: list[Callable[[], None]] = []
"""Actions to run before the process is terminated; they must not block."""

_fork_actions: list[Callable[[], None]] = []
_group_owners: dict[int, int] = {}
"""The live groups, and the process that started each: a forked copy of that process does not own them."""


def force_exit(code: int) -> None:
    try:
        for act in before_force:
            act()
    finally:
        os._exit(code)


def exit_fork() -> NoReturn:
    """Exit from a forked process, without any cleanup: files and connections belong to its parent as well.

    Code that runs an author's code compares `os.getpid()` before and after it, since only the fork may exit.
    """
    os._exit(DONE)


def on_fork(action: Callable[[], None]) -> Callable[[], None]:
    """Register an action, which must not raise, to run first in each forked process; return how to unregister it."""
    _fork_actions.append(action)
    return lambda: _fork_actions.remove(action)


def _run_fork_actions() -> None:
    for action in _fork_actions:
        action()


# `os` cannot unregister a function, so a single function is registered for good.
os.register_at_fork(after_in_child=_run_fork_actions)


def register_group(group: int) -> None:
    """Register a group, so that it is killed when this process ends."""
    if kill_groups not in before_force:
        before_force.append(kill_groups)
        atexit.register(kill_groups)
    _group_owners[group] = os.getpid()


def unregister_group(group: int) -> None:
    _group_owners.pop(group, None)


def signal_group(group: int, number: int) -> bool:
    """Send a signal to every process of a group (0: none), and return whether it has a process left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
        return True
    return False


def kill_groups() -> None:
    """Kill every registered group; for the end of the process, when there is no time for anything else."""
    for group, owner in tuple(_group_owners.items()):
        if owner == os.getpid():
            signal_group(group, signal.SIGKILL)
            unregister_group(group)


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
