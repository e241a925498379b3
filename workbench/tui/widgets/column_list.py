"""A list with columns for short lists: secrets, problems, sessions, captures."""

from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar, TypeVar

from rich.cells import cell_len
from textual.strip import Strip

from workbench.model.short_text import escaped
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText, fit, fit_right

ItemT = TypeVar("ItemT")

_GAP = 2
# The cells that a longest text gets, except in the wide column.
_MOST = 32
# The cells that the wide column gets before any column after the first.
_LEAST_WIDE = 28


class Table(Lines):
    """Rows of cells under titles; the column with the index `wide_column` fills the remaining width.

    Where there is little room, the columns in `left_out` are not shown, in this order; by default the last one first.
    """

    HAS_HEADING = True

    COMPONENT_CLASSES: ClassVar[set[str]] = {"table--muted", "table--good", "table--warn", "table--bad"}

    DEFAULT_CSS = """
    Table {
        & > .table--muted { color: $text-muted; }
        & > .table--good { color: $text-success; }
        & > .table--warn { color: $text-warning; }
        & > .table--bad { color: $text-error; text-style: bold; }
    }
    """

    def __init__(
        self,
        titles: Sequence[str],
        *,
        wide_column: int,
        empty_text: str,
        numbers: Collection[int] = (),
        left_out: Sequence[int] = (),
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._titles = titles
        self._wide_column = wide_column
        self._empty_text = empty_text
        # The columns that are aligned to the right.
        self._numbers = numbers
        # The columns that are left out where the wide one would be too narrow, in this order.
        self._left_out = left_out or range(len(titles) - 1, 0, -1)
        self._rows: Sequence[Sequence[StyledText]] = []
        # The width of the longest cell of each column.
        self._widths: list[int] = []

    def show_rows(self, rows: Sequence[Sequence[StyledText]]) -> None:
        """Show rows; each has a cell for each title."""
        self._rows = rows
        self._widths = [
            min(max(cell_len(escaped(text)) for text in (title, *(row[column][0] for row in rows))), _MOST) + _GAP
            for column, title in enumerate(self._titles)
        ]
        self.lines_changed()

    def current_item(self, items: Sequence[ItemT]) -> ItemT | None:
        """Return the item that the row under the cursor shows; None if there are no rows."""
        return items[self.cursor] if self.cursor < len(items) else None

    @property
    def line_count(self) -> int:
        return len(self._rows)

    def render_heading(self, width: int) -> Strip:
        if not self._rows:
            return self.paint([(f" {self._empty_text}", "table--muted")])
        return self.paint((cell, "lines--heading") for cell in self._cells(self._titles, width))

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        texts, names = zip(*self._rows[index], strict=True)
        return self.paint(zip(self._cells(texts, width), names, strict=True), selected)

    def _cells(self, texts: Sequence[str], width: int) -> Iterator[str]:
        """Yield the texts of a row, each in the width of its column."""
        for column, (text, cells) in enumerate(zip(texts, self._column_widths(width), strict=True)):
            aligned = fit_right if column in self._numbers else fit
            yield f" {aligned(text, cells - _GAP)} " if cells > _GAP else ""

    def _column_widths(self, width: int) -> list[int]:
        """Return the widths of the columns; some are left out where the wide one would be too narrow."""
        widths = [*self._widths]
        least = min(_LEAST_WIDE, widths[self._wide_column])
        widths[self._wide_column] = 0
        for column in self._left_out:
            if width - sum(widths) >= least:
                break
            widths[column] = 0
        widths[self._wide_column] = max(0, width - sum(widths))
        return widths
