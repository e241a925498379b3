"""The list of messages: a row for each record, or for each call, with as many columns as the width allows."""

import time
from typing import ClassVar

from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip

from server_core.records.tap import Kind
from workbench.model.traffic.annotations import MARKS, Annotation
from workbench.model.traffic.call_tree import Branch
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.filter import Filter
from workbench.model.traffic.list_columns import ListColumns
from workbench.model.traffic.list_rows import ListRows
from workbench.model.traffic.timeline import CORE_REPLACED, Timeline
from workbench.model.traffic.traffic_view import TrafficView
from workbench.tui.widgets.call_branches import branch_cells, unfolded_cells
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText, fit
from workbench.tui.widgets.traffic_columns import Messages, aligned, cell_of, columns_for
from workbench.tui.widgets.waterfall import WATERFALL, Window, bar, window_of

# The sign of a message that has a comment and no mark.
_COMMENTED = "✎"

# Rows from which a list has a summary.
_MIN_HEIGHT = 6


class TrafficList(Lines):
    """The messages or calls of a timeline that match a filter, newest last."""

    HAS_HEADING = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "unfold", show=False),
        Binding("left,h", "fold", show=False),
        Binding("space", "toggle_call", show=False),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "traffic--muted",
        "traffic--in",
        "traffic--out",
        "traffic--none",
        "traffic--good",
        "traffic--warn",
        "traffic--bad",
        "traffic--foreign",
        "traffic--marked",
        "traffic--red",
        "traffic--yellow",
        "traffic--green",
        "traffic--blue",
        "traffic--handshake",
        "traffic--stateless",
    }

    DEFAULT_CSS = """
    TrafficList {
        & > .traffic--muted { color: $text-muted; }
        & > .traffic--in { color: $text-primary; }
        & > .traffic--out { color: $text-accent; }
        & > .traffic--none { color: $text-muted; }
        & > .traffic--good { color: $text-success; }
        & > .traffic--warn { color: $text-warning; }
        & > .traffic--bad { color: $text-error; text-style: bold; }
        & > .traffic--marked { color: $text; background: $warning 50%; text-style: bold; }
        & > .traffic--red { color: $text-error; text-style: bold; }
        & > .traffic--yellow { color: $text-warning; text-style: bold; }
        & > .traffic--green { color: $text-success; text-style: bold; }
        & > .traffic--blue { color: $text-primary; text-style: bold; }
        & > .traffic--handshake { color: $text-muted; }
        & > .traffic--stateless { color: $text-accent; }
        & > .traffic--foreign { color: $text-muted; text-style: italic; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows = ListRows(TrafficView(Timeline()))
        """The messages in view, and the calls that are unfolded."""
        self._window: Window = (0.0, 0.0)
        # The number of the message under the cursor, which stays there when a call above grows.
        self._cursor_seq = 0
        self._is_on_request = False  # Whether that is the first record below its call, and not the row of the call.
        self.marking_filter: Filter | None = None
        """The filter whose matches are marked among the messages; None marks nothing."""

        self.columns = ListColumns()
        """The columns that the user has hidden, and the order."""
        self.has_summary = False
        """Whether the last line is the summary of the calls in the rows."""

    def on_resize(self) -> None:
        # In a very low list each row is needed.
        self.footer_height = int(self.has_summary and self.size.height >= _MIN_HEIGHT)
        super().on_resize()

    def render_lines(self, crop: Region) -> list[Strip]:
        first = self.scroll_offset.y
        rows = range(first, min(first + self.size.height, self.line_count))
        has_bars = any(column.title == WATERFALL for column, _ in columns_for(self.size.width, self.columns.hidden))
        if has_bars:
            self._window = window_of(self.messages_at(row)[0] for row in rows if self.branch_at(row) is None)
        return super().render_lines(crop)

    def refresh_summary(self) -> None:
        """Paint the last line, after the summary of the calls has changed."""
        self.refresh(Region(0, self.size.height - 1, self.size.width, 1))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if self.footer_height and y == self.size.height - 1:
            text = self.view.summary.text + ("" if self.view.is_settled else " · counting")
            return self.paint([(fit(f" {text}", width), "traffic--muted")])
        return super().render_line(y)

    @property
    def view(self) -> TrafficView:
        return self.rows.view

    @view.setter
    def view(self, view: TrafficView) -> None:
        self.rows = ListRows(view)

    @property
    def line_count(self) -> int:
        return len(self.rows)

    def messages_at(self, index: int) -> Messages:
        return self.rows.messages(index)

    @property
    def entry(self) -> Entry | None:
        return self.messages_at(self.cursor)[0] if self.cursor < self.line_count else None

    def set_order(self, order: list[int] | None) -> None:
        """Show the rows in an order of the timeline's indexes; None for that of the view."""
        self.rows.order = order
        self.lines_changed()

    def lines_changed(self) -> None:
        self.rows.refresh()
        is_moving = self.rows.has_unfolded or self.rows.order is not None
        if is_moving and not self.is_following and (row := self.rows.row_of(self._cursor_seq)) is not None:
            self.cursor = row + self._is_on_request
        super().lines_changed()

    def watch_cursor(self, before: int, now: int) -> None:
        entry = self.entry
        self._cursor_seq = 0 if entry is None else entry.seq
        branch = None if entry is None else self.branch_at(now)
        self._is_on_request = entry is not None and branch is not None and entry == self.rows.call_of(now)
        super().watch_cursor(before, now)

    def action_toggle_call(self) -> None:
        """Unfold the call under the cursor, or fold the call that the row is in."""
        if self.cursor >= self.line_count or (not self.is_unfolded and not self.rows.can_unfold(self.cursor)):
            raise SkipAction
        if self.is_unfolded:
            self._fold()
        else:
            self._unfold()

    def action_unfold(self) -> None:
        """Unfold the call under the cursor; if it is unfolded, go to its first record."""
        if self.cursor >= self.line_count or not self.rows.can_unfold(self.cursor):
            raise SkipAction
        if self.is_unfolded:
            self.move_to(self.cursor + 1)
        else:
            self._unfold()

    def action_fold(self) -> None:
        """Go from a record to its call, and fold it; fold the unfolded call under the cursor."""
        if not self.is_unfolded:
            raise SkipAction
        self._fold()

    @property
    def is_unfolded(self) -> bool:
        """Whether the row under the cursor is in an unfolded call, or is its call."""
        return self.cursor < self.line_count and self.rows.call_of(self.cursor) is not None

    def _unfold(self) -> None:
        self.is_following = False
        self.rows.unfold(self.cursor)
        self.lines_changed()

    def _fold(self) -> None:
        self.is_following = False
        row = self.rows.fold(self.cursor)
        self.lines_changed()
        self.move_to(row)

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        messages = self.messages_at(index)
        entry = messages[0]
        if entry.method == CORE_REPLACED:
            return self.paint([(_separator(entry, width), "traffic--muted")], selected)
        branch, columns = self.branch_at(index), columns_for(width, self.columns.hidden)
        is_call = branch is None and self.view.is_by_call and entry.kind is Kind.REQUEST
        is_unfolded = is_call and self.rows.is_unfolded(index)
        cells = [
            aligned(column, *cell_of(column, messages, is_call=is_call), column_width)
            for column, column_width in columns
        ]
        if branch is not None and (call := self.rows.call_of(index)) is not None:
            cells = branch_cells(cells, columns, entry, call, branch, is_last=self.rows.is_last_branch(index))
        elif is_unfolded:
            cells = unfolded_cells(cells, columns)
        elif effects := self.view.effects_in(entry):
            place = next(place for place, (column, _) in enumerate(columns) if not column.width)
            cells[place] = _with_effects(cells[place], effects, columns[place][1])
        for place, (column, column_width) in enumerate(columns):
            if column.title == WATERFALL:
                # Below a call, the bars are relative to the call.
                call = None if branch is None else self.rows.call_of(index)
                window = self._window if call is None else window_of((call,))
                cells[place] = aligned(column, *bar(entry, window, column_width - 1), column_width)
        if annotation := entry.annotation or messages[-1].annotation:
            cells[:1] = _marked(cells[0], annotation)
        if self.marking_filter is not None and any(map(self.marking_filter, messages)):
            cells[0] = (cells[0][0], "traffic--marked")
        return self.paint(cells, selected)

    def branch_at(self, index: int) -> Branch | None:
        """Return the place in its call of a row below an unfolded call; None for any other row."""
        return self.rows.branch(index)

    def render_heading(self, width: int) -> Strip:
        columns, sort = columns_for(width, self.columns.hidden), self.columns
        sign, by = " ↓" if sort.is_descending else " ↑", sort.sort if sort.is_sorted else ""
        titles = [column.title + sign * (column.title == by) for column, _ in columns]
        cells = zip(titles, columns, strict=True)
        return self.paint(aligned(column, title, "lines--heading", wide) for title, (column, wide) in cells)

    def action_last(self) -> None:
        # The newest message moves, so the cursor has to follow it.
        self.is_following = True


def _separator(entry: Entry, width: int) -> str:
    """Return the line between the messages of two cores."""
    at = time.strftime("%H:%M:%S", time.localtime(entry.time))
    text = fit(f"── new core at {at}; above: messages of the previous one ", width)
    return text.rstrip() + " " + "─" * (width - len(text.rstrip()) - 1)


def _marked(cell: StyledText, annotation: Annotation) -> list[StyledText]:
    """Return the cell of the number with the sign of a mark, or of a comment, in the place of a blank."""
    text, name = cell
    sign = (MARKS.get(annotation.mark, _COMMENTED), f"traffic--{annotation.mark or 'muted'}")
    # A number of six digits has no blank before it.
    return [sign, (text[1:], name)] if text.startswith(" ") else [(text[:-1], name), sign]


def _with_effects(cell: StyledText, effects: int, width: int) -> StyledText:
    """Return the cell of a message with the number of prints, messages and events in its row at the end."""
    text, name = cell
    count = f" +{effects} "
    return fit(text, width - len(count)) + count, name
