"""The calls made so far, newest first, with their arguments and status."""

import time
from typing import ClassVar

from textual.strip import Strip

from workbench.model import describe
from workbench.model.history import CallRun, History
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import fit
from workbench.tui.widgets.run_line import RUN_CLASSES, STATUS_CLASSES, STATUS_SIGNS

# The smallest width, in columns, at which the time is shown.
_MIN_WIDTH_FOR_TIME = 60


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
        return len(self._runs)

    @property
    def run(self) -> CallRun | None:
        return self.run_at(self.cursor)

    def run_at(self, index: int) -> CallRun | None:
        return self._runs[index] if index < len(self._runs) else None

    def show(self, history: History, current: CallRun | None) -> None:
        """Show the runs, with the cursor on the current run; None leaves it in its row."""
        self._runs = list(reversed(list(history)))
        if current in self._runs:
            self.cursor = self._runs.index(current)
        self.lines_changed()

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        run = self._runs[index]
        has_time = width >= _MIN_WIDTH_FOR_TIME
        started = time.strftime("%H:%M:%S ", time.localtime(run.started)) if has_time else ""
        name_width = min(max(len(run.tool), 8), width // 3)
        duration = describe.duration(run.duration)
        rest = width - len(started) - name_width - len(duration) - 6
        return self.paint(
            [
                (f" {STATUS_SIGNS[run.status]} ", STATUS_CLASSES[run.status]),
                (started, "run--muted"),
                (fit(run.tool, name_width), ""),
                (f" {fit(describe.json_line(run.arguments, 200), rest)} ", "run--muted"),
                (duration, "run--muted"),
            ],
            selected,
        )
