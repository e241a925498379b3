"""The rows of a list of objects in a view, as a table: a heading, and a row for each object."""

from bisect import bisect_right

from rich.cells import cell_len
from textual.strip import Strip

from workbench.model.short_text import escaped
from workbench.model.traffic.json_document import JsonDocument
from workbench.model.traffic.json_table import JsonTable, values_line
from workbench.model.traffic.text_search import TextSearch
from workbench.tui.widgets.document_rows import Rows
from workbench.tui.widgets.json_rows import with_matches
from workbench.tui.widgets.paint import Paint, StyledText, fit, fit_right

_GAP = 2
_NARROWEST = 6
_WIDEST = 60
# The width of the count of the columns that are left out.
_MARK = 5


class TableRows(Rows):
    """The rows of a table; nothing in it folds."""

    def __init__(self, document: JsonDocument, table: JsonTable, paint: Paint) -> None:
        self.document = document
        self._table = table
        self._paint = paint
        # Of the columns that are shown, in cells.
        self._widths: list[int] = []

    @property
    def row_count(self) -> int:
        return len(self._table.lines) + 1

    def lay_out(self, width: int) -> None:
        """Choose the widths of the columns: long ones are cut first, and columns without room are left out."""
        columns = range(len(self._table.keys))
        self._widths = fitting([cell_len(escaped(self._table.longest(column))) for column in columns], width)

    def line_of(self, row: int) -> int:
        return self._table.lines[row - 1] if row else 0

    def row_of(self, line: int) -> int:
        return bisect_right(self._table.lines, line)

    def strip(self, row: int, background: str, search: TextSearch | None) -> Strip:
        cells = self._table.keys if row == 0 else self._table.cells(row - 1)
        texts: list[StyledText] = []
        for column, width in enumerate(self._widths):
            is_number = self._table.is_of_numbers(column)
            text = fit_right(cells[column], width) if is_number else fit(cells[column], width)
            name = "json--column" if row == 0 else "json--number" if is_number else "json--plain"
            texts += [(text, name), (" " * _GAP, "")]
        hidden = len(cells) - len(self._widths)
        if hidden and row == 0:
            texts.append((f"+{hidden}", "json--fold"))
        return self._paint.strip(texts if search is None else with_matches(texts, search), background)

    def selected_text(self, row: int, start: int, end: int | None) -> str:
        """Return the whole values of the cells that a part of a row touches, for a spreadsheet."""
        cells = self._table.keys if row == 0 else self._table.values(row - 1)
        chosen, left = [], 0
        for cell, width in zip(cells, self._widths, strict=False):
            if start < left + width and (end is None or end > left):
                chosen.append(cell)
            left += width + _GAP
        # With the last column, those without room as well.
        return values_line(chosen + (cells[len(self._widths) :] if end is None else []))


def fitting(widths: list[int], room: int) -> list[int]:
    """Return the widths of as many columns as fit into the room, with the longest ones cut."""
    count = len(widths)
    while count > 1 and _total([_NARROWEST] * count) > room:
        count -= 1
    if count < len(widths):
        room -= _MARK
    limit = _WIDEST
    while limit > _NARROWEST and _total([min(width, limit) for width in widths[:count]]) > room:
        limit -= 1
    return [min(width, limit) for width in widths[:count]]


def _total(widths: list[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)
