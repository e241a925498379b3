"""The difference of a run from the previous run of the same tool: its arguments, and its result."""

import time
from textwrap import wrap
from typing import ClassVar

from rich.cells import cell_len
from textual.strip import Strip

from workbench.model.difference import ChangeKind, ValueChange
from workbench.model.history import CallRun
from workbench.model.run_difference import MAX_CHANGES, RunDifference, run_difference
from workbench.tui.widgets.json_rows import folded
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.links import with_links
from workbench.tui.widgets.paint import StyledText

_CLASSES = {
    ChangeKind.ADDED: "diff--added",
    ChangeKind.REMOVED: "diff--removed",
    ChangeKind.CHANGED: "diff--changed",
}

# The width of a copy, in which each change is on one line.
_UNLIMITED = 1_000_000


class DiffView(Lines):
    """A row for each change, with its sign, its path and its values."""

    HAS_CURSOR = False

    COMPONENT_CLASSES: ClassVar[set[str]] = {"diff--heading", "diff--muted", *_CLASSES.values()}

    DEFAULT_CSS = """
    DiffView {
        padding: 0 1;
        scrollbar-gutter: stable;
        & > .diff--heading { text-style: bold; }
        & > .diff--muted { color: $text-muted; }
        & > .diff--added { color: $text-success; }
        & > .diff--removed { color: $text-error; }
        & > .diff--changed { color: $text-warning; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: list[list[StyledText]] = []
        self._key: object = None
        self._difference: RunDifference | None = None
        # Why there is no difference.
        self._note = ""

    @property
    def line_count(self) -> int:
        return len(self._rows)

    @property
    def text(self) -> str:
        """The difference, each change on one line; empty without one."""
        rows = [] if self._difference is None else _rows(self._difference, _UNLIMITED)
        return "\n".join("".join(text for text, _ in row) for row in rows)

    def show_runs(self, run: CallRun | None, previous: CallRun | None) -> None:
        """Show the difference of a run from the previous one; None if there is none."""
        key = (run, None if run is None else run.status, previous)
        if key == self._key:
            return
        self._key, self._difference, self._note = key, None, ""
        if run is not None and run.is_running:
            self._note = "The call is running."
        elif run is not None and previous is None:
            self._note = "There is no earlier call to compare with."
        elif run is not None and previous is not None:
            self._difference = run_difference(run, previous)
        self.lay_out_again()
        self.scroll_home(animate=False, immediate=True)

    def lay_out(self) -> None:
        width = max(8, self.size.width - self.scrollbar_size_vertical)
        if self._difference is not None:
            self._rows = _rows(self._difference, width)
        else:
            self._rows = [[(row, "diff--muted")] for row in wrap(self._note, width)]
        self.lines_changed()

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        strip = self.paint(self._rows[index])
        is_heading = bool(self._rows[index]) and self._rows[index][0][1] == "diff--heading"
        return with_links(strip, of_runs=True) if is_heading else strip


def _rows(difference: RunDifference, width: int) -> list[list[StyledText]]:
    previous = difference.previous
    when = "" if previous.is_earlier else time.strftime("  %H:%M:%S", time.localtime(previous.started))
    return [
        [(f"Against {previous.title}", "diff--heading"), (when, "diff--muted")],
        [],
        *_section("Arguments", difference.arguments, previous.title, width),
        [],
        *_section("Result", difference.result, previous.title, width),
    ]


def _section(title: str, changes: list[ValueChange], run: str, width: int) -> list[list[StyledText]]:
    if not changes:
        return [[(title, "diff--heading"), (f"  the same as {run}", "diff--muted")]]
    rows: list[list[StyledText]] = [[(title, "diff--heading"), (f"  {_count(len(changes))}", "diff--muted")]]
    rows += [row for change in changes[:MAX_CHANGES] for row in _change_rows(change, width)]
    if len(changes) > MAX_CHANGES:
        rows.append([("  … further changes are left out", "diff--muted")])
    return rows


def _count(count: int) -> str:
    if count > MAX_CHANGES:
        return f"more than {MAX_CHANGES} changes"
    return "1 change" if count == 1 else f"{count} changes"


def _change_rows(change: ValueChange, width: int) -> list[list[StyledText]]:
    """Return a change on one row if the path and the values fit, else the values below the path."""
    head = (f"{change.kind} {change.path or 'the whole value'}", _CLASSES[change.kind])
    is_changed = change.kind is ChangeKind.CHANGED
    values: list[StyledText] = [(change.before or change.after, "")]
    if is_changed:
        values = [(change.before, "diff--removed"), (" → ", "diff--muted"), (change.after, "diff--added")]
    if _cells([head, *values]) + 2 <= width:
        return [[head, ("  ", ""), *values]]
    if _cells(values) + 4 <= width:
        return [[head], [("    ", ""), *values]]
    if not is_changed:
        return [[head], *_value_rows("    ", values[0], width)]
    return [[head], *_value_rows("  - ", values[0], width), *_value_rows("  + ", values[2], width)]


def _value_rows(sign: str, value: StyledText, width: int) -> list[list[StyledText]]:
    text, name = value
    rows = folded(text, width - len(sign))
    signs = (sign, *(" " * len(sign) for _ in rows[1:]))
    return [[(sign, "diff--muted"), (row, name)] for sign, row in zip(signs, rows, strict=True)]


def _cells(texts: list[StyledText]) -> int:
    return sum(cell_len(text) for text, _ in texts)
