"""A list with columns for short lists: secrets, problems, sessions, captures."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.strip import Strip

from workbench.model.short_text import escaped
from workbench.tui.widgets.cells import fit
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import Part

_GAP = 2


class Table(Lines):
    """Rows of cells under titles.

    Args:
        titles: the titles of the columns.
        stretched: the index of the column that fills the remaining width.
        nothing: the text shown if there are no rows.
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

    def __init__(self, titles: Sequence[str], *, stretched: int, nothing: str, id: str | None = None) -> None:
        super().__init__(id=id)
        self._titles = titles
        self._stretched = stretched
        self._nothing = nothing
        self._rows: Sequence[Sequence[Part]] = []
        self._widths: list[int] = []
        """The width of the longest cell of each column."""

    def show_rows(self, rows: Sequence[Sequence[Part]]) -> None:
        """Show rows; each has a cell for each title."""
        self._rows = rows
        self._widths = [
            max(cell_len(escaped(text)) for text in (title, *(row[column][0] for row in rows))) + _GAP
            for column, title in enumerate(self._titles)
        ]
        self.lines_changed()

    @property
    def line_count(self) -> int:
        """The number of rows."""
        return len(self._rows)

    def render_heading(self, width: int) -> Strip:
        """Return the titles, or the text of an empty table."""
        if not self._rows:
            return self.paint([(f" {self._nothing}", "table--muted")])
        return self.paint((self._cell(title, wide), "lines--heading") for title, wide in self._laid_out(width))

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        """Return a row."""
        widths = [wide for _, wide in self._laid_out(width)]
        cells = zip(self._rows[index], widths, strict=True)
        return self.paint([(self._cell(text, wide), part) for (text, part), wide in cells], selected)

    def _cell(self, text: str, width: int) -> str:
        return " " + fit(text, width - _GAP) + " " if width > _GAP else ""

    def _laid_out(self, width: int) -> list[tuple[str, int]]:
        """The titles and the widths of their columns."""
        widths = [*self._widths]
        others = sum(widths) - widths[self._stretched]
        widths[self._stretched] = max(0, width - others)
        return list(zip(self._titles, widths, strict=True))
