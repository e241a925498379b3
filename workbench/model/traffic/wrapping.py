"""Wrap long lines of a document at a width: map each row to a line and a part of it.

Only lines that may be too long are created and measured, up to a limit; the rest of a huge body is cut off at the edge
instead of wrapped, so that opening it stays fast.
"""

from bisect import bisect_right
from collections.abc import Callable

MAX_MEASURED = 5000
"""The limit of measured lines in one document."""


class Wrapping:
    """The rows of a document at one width.

    Args:
        line_count: the number of lines in the document.
        bound: the maximum number of cells of a line, computed quickly.
        measure: the actual number of cells of a line.
        width: the cells of a row, at least 1.
    """

    def __init__(self, line_count: int, bound: Callable[[int], int], measure: Callable[[int], int], width: int) -> None:
        self._lines: list[int] = []
        self._first_rows: list[int] = []
        self._heights: list[int] = []
        extra = measured = 0
        for line in range(line_count):
            if bound(line) <= width:
                continue
            if (measured := measured + 1) > MAX_MEASURED:
                break
            height = max(1, -(-measure(line) // width))
            if height > 1:
                self._lines.append(line)
                self._first_rows.append(line + extra)
                self._heights.append(height)
                extra += height - 1
        self.row_count = line_count + extra

    def at(self, row: int) -> tuple[int, int]:
        """Return the line and the part of it for a row, both from 0."""
        folded = bisect_right(self._first_rows, row) - 1
        if folded < 0:
            return row, 0
        beyond = row - self._first_rows[folded]
        height = self._heights[folded]
        if beyond < height:
            return self._lines[folded], beyond
        return self._lines[folded] + beyond - height + 1, 0
