"""When records are read and shown: often enough to follow them, and never so often that keys have to wait."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import App

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

_POLLS_PER_SECOND = 30
# How long one poll may read records; the remaining ones wait for the next poll.
_BUDGET_S = 0.010
# How often records are shown while more of them arrive than a poll can read.
_FLOOD_PAINT_S = 0.1


class RecordPolling:
    """Reads the records of a workspace as they arrive, and shows them."""

    def __init__(self, app: App[int], show: Callable[[], None]) -> None:
        self._show = show
        self._workspace: Workspace | None = None
        # Whether records were read that are not shown yet, and when records were last shown.
        self._has_records = False
        self._shown = 0.0
        self._timer = app.set_interval(1 / _POLLS_PER_SECOND, self._poll, pause=True)

    def begin(self, workspace: "Workspace") -> None:
        self._workspace = workspace
        workspace.link.on_records = self._timer.resume
        self._timer.resume()

    def mark(self) -> None:
        self._has_records = True

    def show_records(self) -> None:
        if self._has_records:
            self._has_records, self._shown = False, time.perf_counter()
            self._show()

    def _poll(self) -> None:
        started = time.perf_counter()
        if self._workspace is None or not self._workspace.poll(_BUDGET_S):
            # While no records arrive the timer is paused, so that the processor is idle.
            self._timer.pause()
            self.show_records()
            return
        # In a flood the keyboard has priority: no user reads thirty lists a second.
        now = time.perf_counter()
        if now - started < _BUDGET_S or now - self._shown >= _FLOOD_PAINT_S:
            self.show_records()
