"""The log of a run: each line with its time since the start and its source."""

from textwrap import wrap
from typing import ClassVar

from textual.strip import Strip

from workbench.model import describe
from workbench.model.short_text import escaped
from workbench.model.traffic.run_log import LogLine, RunLog
from workbench.tui.widgets.json_rows import folded
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.links import with_link
from workbench.tui.widgets.paint import fit, fit_right

_TIME_WIDTH = 8
_SOURCE_WIDTH = 8
# The smallest width, in columns, at which the time is shown.
_MIN_WIDTH_FOR_TIME = 40
# The same for the number of the record, which leads to it.
_MIN_WIDTH_FOR_NUMBERS = 50
_NUMBER_WIDTH = 6


class LogView(Lines):
    """The lines of a log; long lines are folded, and the end is followed until the user scrolls up."""

    HAS_CURSOR = False

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "log--plain",
        "log--muted",
        "log--warning",
        "log--error",
        "log--question",
    }

    DEFAULT_CSS = """
    LogView {
        padding: 0 1;
        scrollbar-gutter: stable;
        & > .log--muted { color: $text-muted; }
        & > .log--warning { color: $text-warning; }
        & > .log--error { color: $text-error; }
        & > .log--question { color: $text-accent; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._log: RunLog | None = None
        # Each row is a line and a part of its text; None stands for the notes above the lines.
        self._rows: list[tuple[LogLine | None, str]] = []
        self._count = 0
        self._dropped = 0

    @property
    def line_count(self) -> int:
        return len(self._rows)

    @property
    def text(self) -> str:
        """The lines of the log, unfolded."""
        lines = () if self._log is None else self._log.lines
        return "\n".join(f"{describe.duration(line.time):>8} {line.source:<8} {line.text}" for line in lines)

    def show(self, log: RunLog | None) -> None:
        """Show a log from its end."""
        self._log = log
        self.lay_out_again()
        self.is_following = True

    def update_lines(self) -> None:
        """Show the lines that the log has received since the last call, and the current note."""
        log = self._log
        if log is None:
            return
        if log.dropped != self._dropped or not self._count:
            self.lay_out_again()
            return
        for line in log.lines[self._count - self._dropped :]:
            self._add(line)
        self._count = log.count
        self.lines_changed()

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        line, text = self._rows[index]
        if line is None:
            return self.paint([(text, "log--muted")])
        # The parts of a folded line, and further lines of one record, stand below its first row.
        is_first = not line.continues and (index == 0 or self._rows[index - 1][0] is not line)
        tone = f"log--{line.tone}"
        time = fit_right(describe.duration(line.time), _TIME_WIDTH) + " " if self._has_time else ""
        number = fit_right(f"#{line.seq}", _NUMBER_WIDTH) + " " if self._has_numbers else ""
        head = [(number + time, "log--muted"), (fit(line.source, _SOURCE_WIDTH) + " ", tone)]
        if not is_first:
            head = [(" " * (len(number) + len(time) + _SOURCE_WIDTH + 1), "")]
        strip = self.paint([*head, (text, tone)])
        if not number or not is_first:
            return strip
        return with_link(strip, number.index("#"), len(number) - 1, f"go_to_message({line.seq})")

    def action_move(self, rows: int) -> None:
        if rows < 0:
            self.is_following = False
        super().action_move(rows)

    def action_last(self) -> None:
        self.is_following = True

    @property
    def _has_time(self) -> bool:
        return self.size.width >= _MIN_WIDTH_FOR_TIME

    @property
    def _has_numbers(self) -> bool:
        # The numbers in a capture are not those of the Inspector.
        is_captured = self._log is not None and bool(self._log.records.run.capture)
        return self.size.width >= _MIN_WIDTH_FOR_NUMBERS and not is_captured

    @property
    def _text_width(self) -> int:
        head = _SOURCE_WIDTH + 1 + (_TIME_WIDTH + 1) * self._has_time + (_NUMBER_WIDTH + 1) * self._has_numbers
        return max(8, self.size.width - self.scrollbar_size_vertical - head)

    def lay_out(self) -> None:
        """Fold all lines for the current width; before the view has a size, nothing is shown."""
        log = self._log if self.size.width else None
        self._rows = []
        self._count, self._dropped = (0, 0) if log is None else (log.count, log.dropped)
        if log is not None:
            self._rows += [(None, part) for part in wrap(_note(log), self.size.width - self.scrollbar_size_vertical)]
            for line in log.lines:
                self._add(line)
        self.lines_changed()

    def _add(self, line: LogLine) -> None:
        width = self._text_width
        is_short = len(line.text) <= width and line.text.isascii()
        self._rows += [(line, part) for part in ([line.text] if is_short else folded(line.text, width))]


def _note(log: RunLog) -> str:
    """Return the text above the lines; empty for none."""
    if log.dropped:
        return f"{describe.plural(log.dropped, 'earlier line')}: see the Inspector."
    if log.lines:
        return ""
    if log.records.run.is_running:
        return "No output yet. Prints, log messages, progress and questions of the call appear here."
    if log.records.first is None and log.records.run.capture:
        return f"The records of this call are not in memory. Its capture is {escaped(log.records.run.capture)}"
    if log.records.first is None:
        return "The records of this call are not in memory."
    return "No output: the call printed, logged and asked nothing."
