"""The time limit of a call whose tool runs in this process, and may block the event loop."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from server_core.process.watchdog import Watchdog
from server_core.runtime.forced_exit import end_by_force
from workbench.cli import console
from workbench.cli.exits import FAILED

GRACE_SECONDS = 1.0


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """End the process when the event loop is blocked for longer than a call may take.

    Args:
        seconds: the time limit; None for none.
    """
    if seconds is None:
        yield
        return

    def force() -> None:
        try:
            console.fail(
                f"no response within {seconds:g} seconds: the tool blocks the event loop, so the command exits"
            )
        finally:
            end_by_force(FAILED)

    watchdog = Watchdog(force)
    watchdog.watch_loop(asyncio.get_running_loop(), seconds + GRACE_SECONDS)
    watchdog.end_begins()
    try:
        yield
    finally:
        watchdog.close()
