"""The rows of lines of which some are too long for one row: where their rows begin, and which rows they have."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

SECOND_CELL = "\0"
"""Stands for the second cell of a wide character, so that characters are cells."""

# What a word that is wider than a row is broken after, if it is near the edge, such as a URL.
_SIGNS = "/-_.,:=&"
_LONGEST_WORD = 300


def row_starts(cells: str, width: int, room: int) -> Iterator[int]:
    """Yield the cells at which the rows of a line after the first begin: between words, if these fit into a row.

    Args:
        cells: the line, with a character for each cell.
        width: the width of the first row.
        room: the width of the others.
    """
    start, end = 0, width
    while end < len(cells):
        start = _row_end(cells, start, end, room)
        yield start
        end = start + room


def _row_end(cells: str, start: int, end: int, room: int) -> int:
    # The blank at the end of a row may be beyond its edge.
    after = cells.rfind(" ", start, end + 1) + 1
    # The word that comes into the next row, and the blank after it: only so much of a line is searched.
    fits = len(cells) - after <= room or cells.find(" ", after, after + room) >= 0
    if after and fits and not cells[start:after].isspace():
        return after
    # Encoded data has no words, and may be long.
    is_data = len(cells) - start > _LONGEST_WORD and cells.find(" ", start, start + _LONGEST_WORD) < 0
    if not is_data and (sign := max(cells.rfind(sign, (start + end) // 2, end) for sign in _SIGNS)) >= 0:
        return sign + 1
    return end - 1 if cells[end] == SECOND_CELL and end - 1 > start else end


class Wrapping:
    """Maps rows to lines and their parts, and lines to their first rows; `tall` lines have more than one row."""

    def __init__(self, line_count: int, tall: Iterable[tuple[int, int]]) -> None:
        self._lines: list[int] = []
        self._first_rows: list[int] = []
        self._heights: list[int] = []
        extra = 0
        for line, height in tall:
            self._lines.append(line)
            self._first_rows.append(line + extra)
            self._heights.append(height)
            extra += height - 1
        self.row_count = line_count + extra

    def at(self, row: int) -> tuple[int, int]:
        """Return the line and the part of it for a row, both from 0."""
        tall = bisect_right(self._first_rows, row) - 1
        if tall < 0:
            return row, 0
        beyond = row - self._first_rows[tall]
        height = self._heights[tall]
        if beyond < height:
            return self._lines[tall], beyond
        return self._lines[tall] + beyond - height + 1, 0

    def first_row(self, line: int) -> int:
        """Return the first row of a line."""
        before = bisect_right(self._lines, line) - 1
        if before < 0:
            return line
        if self._lines[before] == line:
            return self._first_rows[before]
        return self._first_rows[before] + self._heights[before] + line - self._lines[before] - 1
