"""Processes that an author's code forks and does not end: they exit as soon as control returns to our code.

A forked process has a copy of everything but only one thread, so it would answer clients a second time, or wait
forever and hold open the pipes and sockets that others wait on.
"""

import os
from collections.abc import Callable
from typing import NoReturn

from server_core.runtime.console import DONE

_actions: list[Callable[[], None]] = []


def exit_fork() -> NoReturn:
    """Exit from a forked process, without any cleanup: files and connections belong to its parent as well.

    Code that runs an author's code compares `os.getpid()` before and after it, since only the fork may exit.
    """
    os._exit(DONE)


def in_forked(action: Callable[[], None]) -> Callable[[], None]:
    """Register an action that runs first in each process that is forked from now on.

    Args:
        action: the function to call; it must not raise.

    Returns:
        A function that unregisters the action.
    """
    _actions.append(action)
    return lambda: _actions.remove(action)


def _forked() -> None:
    for action in _actions:
        action()


os.register_at_fork(after_in_child=_forked)
