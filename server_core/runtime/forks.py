"""What becomes of a process that an author's code forks and does not end: it ends where it comes back to us.

It has a copy of everything and one thread alone, so it would answer clients a second time, or wait for ever and hold
open what others wait for the end of.
"""

import os
from collections.abc import Callable

from server_core.runtime.console import DONE

_actions: list[Callable[[], None]] = []


def end_if_forked(process: int) -> None:
    """End this process unless it has this id; to be called behind an author's code.

    Args:
        process: the id that the process had before that code ran.
    """
    if os.getpid() != process:
        os._exit(DONE)


def in_forked(action: Callable[[], None]) -> Callable[[], None]:
    """Do something in each process that is forked from now on, first of all.

    Args:
        action: what to do; it must not raise.

    Returns:
        What takes that back.
    """
    _actions.append(action)
    return lambda: _actions.remove(action)


def _forked() -> None:
    for action in _actions:
        action()


os.register_at_fork(after_in_child=_forked)
