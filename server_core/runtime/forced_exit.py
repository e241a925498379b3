"""The end of this process by force, where it stands, and what has to be done before."""

import os
from collections.abc import Callable

before_force: list[Callable[[], None]] = []
"""What has to be done before the process is ended by force; it must not wait."""


def end_by_force(code: int) -> None:
    """End the process where it stands.

    Args:
        code: its exit code.
    """
    try:
        for act in before_force:
            act()
    finally:
        os._exit(code)
