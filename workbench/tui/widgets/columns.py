"""Columns side by side: the one with the focus is framed, the lines between them are moved, and one can have all room.

The lines are moved by the mouse or by keys. :attr:`Columns.shares` has the result, so that it can be stored.
"""

from collections.abc import Mapping

from textual import events
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget

from workbench.model.arrangement import moved
from workbench.tui.widgets.light_classes import FocusMarks

_MAXIMISED = "-maximised"
_IN_FRONT = "-in-front"
STEP = 4
"""The cells by which a key moves a line."""


class Columns(Horizontal):
    """Containers side by side, each with a title in its frame."""

    DEFAULT_CSS = """
    Columns {
        height: 1fr;
        & > * {
            border: round $border-blurred;
            border-title-color: $foreground-muted;
        }
        & > .-focused {
            border: heavy $border;
            border-title-color: $border;
            border-title-style: bold;
        }
        &.-maximised > * { display: none !important; }
        &.-maximised > .-in-front {
            display: block !important;
            width: 1fr !important;
            height: 1fr !important;
        }
    }
    """

    class Moved(Message):
        """A line between columns was moved; the columns' `shares` have changed."""

        def __init__(self, columns: "Columns") -> None:
            super().__init__()
            self.columns = columns

        @property
        def control(self) -> "Columns":
            return self.columns

    def __init__(self, *columns: Widget, id: str | None = None) -> None:
        super().__init__(*columns, id=id)
        # While a line is dragged: the index of the column to its left, where it was grabbed, and the widths then.
        self._drag: tuple[int, int, list[int]] | None = None
        self._shares: dict[str, int] = {}
        self._focus_marks = FocusMarks()

    def on_mount(self) -> None:
        self.watch(self.screen, "focused", self._mark_focused)

    def _mark_focused(self) -> None:
        column = self._focused_column
        self._focus_marks.move([] if column is None else [column])

    @property
    def shares(self) -> Mapping[str, int]:
        """The shares of the columns in the width, by their ids: their widths when the user last moved a line."""
        return self._shares

    def set_shares(self, shares: Mapping[str, int]) -> None:
        if shares == self._shares:
            return
        self._shares = dict(shares)
        # A column that was not in view when the line was moved gets as much as the others: the share in the style sheet
        # is one of a few, while those here are cells. Without any shares, the widths are those of the style sheet.
        mean = round(sum(shares.values()) / len(shares)) if shares else None
        for column in self.children:
            share = shares.get(column.id or "", mean)
            column.styles.width = None if share is None else f"{share}fr"

    @property
    def is_maximised(self) -> bool:
        return self.has_class(_MAXIMISED)

    def toggle_maximised(self) -> None:
        """Give the column with the focus all room, or show all columns again."""
        if not self.is_maximised and (column := self._focused_column) is not None:
            self._mark_front(column)
        self.toggle_class(_MAXIMISED)

    def bring_to_front(self, column_id: str) -> None:
        """Show a column that is about to have the focus, if another one has all the room."""
        if self.is_maximised:
            self._mark_front(self.get_child_by_id(column_id))

    def move_line(self, direction: int) -> None:
        """Move the line to the right of the focused column; that to the left of the last column."""
        shown = self._shown
        if len(shown) > 1 and (column := self._focused_column) in shown:
            left = min(shown.index(column), len(shown) - 2)
            self._set_widths(moved(self._widths, left, direction * STEP))

    @property
    def has_lines(self) -> bool:
        """Whether there are columns side by side, with lines between them."""
        shown = self._shown
        return len(shown) > 1 and shown[0].region.x < shown[1].region.x

    @property
    def _shown(self) -> list[Widget]:
        return [column for column in self.children if column.display]

    @property
    def _widths(self) -> list[int]:
        return [column.outer_size.width for column in self._shown]

    @property
    def _focused_column(self) -> Widget | None:
        focused = self.screen.focused
        above = () if focused is None else focused.ancestors_with_self
        return next((column for column in self.children if column in above), None)

    def _mark_front(self, column: Widget) -> None:
        for other in self.children:
            other.set_class(other is column, _IN_FRONT)

    def _set_widths(self, widths: list[int]) -> None:
        names = [column.id or "" for column in self._shown]
        self.set_shares({**self._shares, **dict(zip(names, widths, strict=True))})
        self.post_message(self.Moved(self))

    def _line_at(self, x: int) -> int | None:
        """Return the index of the column to the left of the line at a column of the screen."""
        if not self.has_lines:
            return None
        shown = self._shown
        return next((left for left, right in enumerate(shown[1:]) if x in (right.region.x - 1, right.region.x)), None)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if (left := self._line_at(event.screen_x)) is not None:
            event.stop()
            self._drag = left, event.screen_x, self._widths
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._drag is None:
            return
        left, grabbed_x, widths = self._drag
        # A question may have opened a column, or closed one, while the line is dragged.
        if len(widths) == len(self._shown):
            self._set_widths(moved(widths, left, event.screen_x - grabbed_x))

    def on_mouse_up(self) -> None:
        if self._drag is not None:
            self._drag = None
            self.release_mouse()
