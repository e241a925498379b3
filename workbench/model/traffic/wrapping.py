"""Long lines of a document, folded to a width: which line, and which part of it, each row shows.

Only lines that may be too long are made to measure them, and only so many of them; the rest of a huge body is cut
at the edge instead of folded, so that opening it stays quick.
"""

from bisect import bisect_right
from collections.abc import Callable

MOST_MEASURED = 5000
"""How many lines of one document are measured at most."""


class Wrapping:
    """The rows of a document at one width.

    Args:
        line_count: how many lines the document has.
        bound: the most cells that a line can take, quickly.
        measure: the cells that a line does take.
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
            if (measured := measured + 1) > MOST_MEASURED:
                break
            height = max(1, -(-measure(line) // width))
            if height > 1:
                self._lines.append(line)
                self._first_rows.append(line + extra)
                self._heights.append(height)
                extra += height - 1
        self.row_count = line_count + extra

    def at(self, row: int) -> tuple[int, int]:
        """Return the line that a row shows and which part of it, both from 0."""
        folded = bisect_right(self._first_rows, row) - 1
        if folded < 0:
            return row, 0
        beyond = row - self._first_rows[folded]
        height = self._heights[folded]
        if beyond < height:
            return self._lines[folded], beyond
        return self._lines[folded] + beyond - height + 1, 0
