"""Ending a process at once: this process, and copies of it that an author's code forks and does not end.

A forked process has a copy of everything but only one thread, so it would answer clients a second time, or wait
forever and hold open the pipes and sockets that others wait on. It exits as soon as control returns to our code.
"""

import os
from collections.abc import Callable
from typing import NoReturn

from server_core.runtime.console import DONE

before_force: list[Callable[[], None]] = []
"""Actions to run before the process is terminated; they must not block."""

_fork_actions: list[Callable[[], None]] = []


def force_exit(code: int) -> None:
    """Terminate the process immediately with an exit code."""
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
    """Register an action that runs first in each process that is forked from now on; return how to unregister it.

    The action must not raise.
    """
    _fork_actions.append(action)
    return lambda: _fork_actions.remove(action)


def _run_fork_actions() -> None:
    for action in _fork_actions:
        action()


# `os` cannot unregister a function, so a single function is registered for good.
os.register_at_fork(after_in_child=_run_fork_actions)
