"""The state of the current run: its status, times and progress."""

from collections.abc import Callable
from typing import ClassVar

from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from workbench.model import describe
from workbench.model.history import CallRun
from workbench.model.traffic.held_records import CallHold
from workbench.model.traffic.run_records import RunTimes
from workbench.tui.widgets.links import with_link
from workbench.tui.widgets.paint import Paint, StyledText
from workbench.tui.widgets.run_rows import RUN_CLASSES, held_row, progress_row, status_rows

_TICKS_PER_SECOND = 10
_TO_MESSAGES = "app.do('tools', 'show_messages')"


class RunLine(Widget):
    """The status with the times, and below it, while the call runs, its progress with its message.

    Where one row has no room for all times, the second has them.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = RUN_CLASSES

    DEFAULT_CSS = """
    RunLine {
        height: 1;
        padding: 0 1;
        &.-two-rows { height: 2; }
        & > .run--ok { color: $text-success; }
        & > .run--bad { color: $text-error; text-style: bold; }
        & > .run--running { color: $text-warning; }
        & > .run--muted { color: $text-muted; }
        & > .run--done { color: $primary; }
        & > .run--rest { color: $panel-lighten-2; }
    }
    """

    def __init__(self, clock: Callable[[], float], *, id: str | None = None) -> None:
        super().__init__(id=id)
        # Returns seconds since the epoch, as the start of a run is counted.
        self._clock = clock
        self._run: CallRun | None = None
        self._times: RunTimes | None = None
        self._hold = CallHold()
        self._tokens = 0
        self._paint = Paint(self)
        self._ticks: Timer | None = None

    def on_mount(self) -> None:
        # The timer ticks only while a call runs, so that the processor is idle otherwise.
        self._ticks = self.set_interval(1 / _TICKS_PER_SECOND, self.refresh, pause=True)

    def show(self, run: CallRun | None) -> None:
        self._run = run
        if self._ticks is not None:
            if run is not None and run.is_running:
                self._ticks.resume()
            else:
                self._ticks.pause()
        self._update_rows()

    def show_figures(self, times: RunTimes | None, tokens: int) -> None:
        """Show the times of the run as far as they are known, and about how many tokens its result has."""
        if (times, tokens) != (self._times, self._tokens):
            self._times, self._tokens = times, tokens
            self._update_rows()

    def show_hold(self, hold: CallHold) -> None:
        """Show for how long the run was held, and which of its messages waits for an operator."""
        if hold != self._hold:
            self._hold = hold
            self._update_rows()

    def on_resize(self) -> None:
        self._update_rows()

    def _update_rows(self) -> None:
        self.set_class(len(self._rows) > 1, "-two-rows")
        self.refresh()

    @property
    def _rows(self) -> list[list[StyledText]]:
        run, width = self._run, self.size.width
        if run is None:
            return [[("No result yet.", "run--muted")]]
        rows = status_rows(run, self._duration(run), self._times, self._tokens, width)
        if not run.is_running:
            return rows
        if self._hold.waiting:
            # Nothing else goes on: the progress is at most what keeps the client waiting.
            return [*rows, held_row(self._hold, self._clock(), width)]
        return [*rows, progress_row(run, width)] if run.progress else rows

    def render_line(self, y: int) -> Strip:
        run, rows = self._run, self._rows
        strip = self._paint.strip(rows[y] if y < len(rows) else [])
        if run is not None and y == 0 and run.number > 0:
            start = len(strip.text) - len(run.title)
            strip = with_link(strip, start, -1, _TO_MESSAGES)
        elif run is not None and run.is_running and self._hold.waiting and y == len(rows) - 1:
            strip = with_link(strip, 0, -1, _TO_MESSAGES)
        return strip.adjust_cell_length(self.size.width, self.rich_style)

    def notify_style_update(self) -> None:
        # The theme has changed.
        self._paint.clear()
        super().notify_style_update()

    def _duration(self, run: CallRun) -> str:
        if run.is_running:
            now = self._clock()
            return describe.duration(max(now - run.started - self._hold.seconds_at(now), 0.0))
        if run.wire is not None:
            return f"wire {describe.duration(run.wire)}"
        return describe.duration(None if run.duration is None else max(run.duration - self._hold.seconds, 0.0))
