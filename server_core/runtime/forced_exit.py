"""Terminating this process immediately, and the actions that run before."""

import os
from collections.abc import Callable

before_force: list[Callable[[], None]] = []
"""Actions to run before the process is terminated; they must not block."""


def end_by_force(code: int) -> None:
    """Terminate the process immediately.

    Args:
        code: its exit code.
    """
    try:
        for act in before_force:
            act()
    finally:
        os._exit(code)
