"""Two captures compared on a thread, which leaves the interpreter to the keyboard again and again."""

import asyncio
import sqlite3
import threading
import time
from pathlib import Path

from server_core.errors import WorkbenchError
from workbench.model.difference import ValueChange
from workbench.replay.comparison import CallComparison, ComparedCall, changes_in, compare, places_of

_PAUSE_S = 0.001
_PAUSE_EVERY_S = 0.01
MAX_CHANGES = 500
"""How many changes of one answer are shown."""


class CaptureComparison:
    """A comparison of two captures, by their paths; without a result until :meth:`run` has ended."""

    def __init__(self, first: str, second: str) -> None:
        self.first, self.second = first, second
        self.has_all = False
        """Whether also what clients request by themselves is compared."""
        self.result: CallComparison | None = None

    async def run(self) -> None:
        """Compare the captures; WorkbenchError if one cannot be read. Cancelling it stops the thread."""
        self.result = None
        stop = threading.Event()
        last_pause = time.monotonic()

        def pause() -> bool:
            nonlocal last_pause
            if time.monotonic() - last_pause >= _PAUSE_EVERY_S:
                stop.wait(_PAUSE_S)
                last_pause = time.monotonic()
            return stop.is_set()

        paths = Path(self.first), Path(self.second)
        try:
            self.result = await asyncio.to_thread(compare, *paths, has_all=self.has_all, stopped=pause)
        except (OSError, sqlite3.Error) as error:
            raise WorkbenchError(f"the captures cannot be compared: {error}") from error
        finally:
            stop.set()

    async def changes(self, call: ComparedCall) -> list[ValueChange]:
        """Return how the answers to a call differ; WorkbenchError if they cannot be read any more."""
        result = self.result
        if result is None:
            return []
        try:
            return await asyncio.to_thread(_changes, result, call)
        except (OSError, sqlite3.Error) as error:
            raise WorkbenchError(f"the captures cannot be read: {error}") from error


def _changes(result: CallComparison, call: ComparedCall) -> list[ValueChange]:
    changes = (change for place in places_of(result, call) for change in changes_in(place))
    return [change for _, change in zip(range(MAX_CHANGES), changes, strict=False)]
