"""The calls made so far, newest first, with their arguments and status."""

import time
from typing import ClassVar

from textual.strip import Strip

from workbench.model import describe
from workbench.model.history import CallRun, History
from workbench.tui.widgets.cells import fit
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.run_line import PARTS, RUN_CLASSES, SIGNS

_WIDE = 60
"""The smallest width, in columns, at which the time is shown."""


class CallHistory(Lines):
    """The runs of a history; the cursor is on the run whose result is shown."""

    COMPONENT_CLASSES: ClassVar[set[str]] = RUN_CLASSES

    DEFAULT_CSS = """
    CallHistory {
        & > .run--ok { color: $text-success; }
        & > .run--bad { color: $text-error; text-style: bold; }
        & > .run--running { color: $text-warning; }
        & > .run--muted { color: $text-muted; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._runs: list[CallRun] = []

    @property
    def line_count(self) -> int:
        """The number of runs."""
        return len(self._runs)

    @property
    def run(self) -> CallRun | None:
        """The run under the cursor."""
        return self.run_at(self.cursor)

    def run_at(self, index: int) -> CallRun | None:
        """Return the run in a row."""
        return self._runs[index] if index < len(self._runs) else None

    def show(self, history: History, on: CallRun | None) -> None:
        """Show the runs, with the cursor on one of them.

        Args:
            history: the history that holds the runs.
            on: the run whose result is shown; None leaves the cursor in its row.
        """
        self._runs = list(reversed(list(history)))
        if on in self._runs:
            self.cursor = self._runs.index(on)
        self.lines_changed()

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        """Return a run: its status, time, tool, duration and arguments."""
        run = self._runs[index]
        at = time.strftime("%H:%M:%S ", time.localtime(run.started)) if width >= _WIDE else ""
        name = min(max(len(run.tool), 8), width // 3)
        duration = describe.duration(run.duration)
        rest = width - len(at) - name - len(duration) - 6
        return self.paint(
            [
                (f" {SIGNS[run.status]} ", PARTS[run.status]),
                (at, "run--muted"),
                (fit(run.tool, name), ""),
                (f" {fit(describe.json_line(run.arguments, 200), rest)} ", "run--muted"),
                (duration, "run--muted"),
            ],
            selected,
        )
