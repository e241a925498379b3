"""The widths of columns side by side, when the line between two of them is moved."""

from collections.abc import Sequence

LEAST_WIDTH = 20
"""The fewest cells of a column whose neighbour is made wider."""


def moved(widths: Sequence[int], left: int, by: int, least: int = LEAST_WIDTH) -> list[int]:
    """Return the widths after the line to the right of a column was moved by some cells, as far as there is room."""
    changed = list(widths)
    if widths[left] + widths[left + 1] < 2 * least:
        return changed
    by = max(least - widths[left], min(by, widths[left + 1] - least))
    changed[left] += by
    changed[left + 1] -= by
    return changed
