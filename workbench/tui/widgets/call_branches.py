"""The rows of an unfolded call: what belongs to it as a tree, with times relative to its request."""

from collections.abc import Sequence

from workbench.model.describe import short_duration
from workbench.model.traffic.call_tree import Branch
from workbench.model.traffic.entry import Entry
from workbench.tui.widgets.paint import StyledText
from workbench.tui.widgets.traffic_columns import Column, aligned, message_text

_UNFOLDED = "▾ "
_INFERRED = "≈ "  # Before a record that names no call.
_TIME = "time"


def branch_cells(
    cells: list[StyledText],
    columns: Sequence[tuple[Column, int]],
    entry: Entry,
    call: Entry,
    branch: Branch,
    *,
    is_last: bool,
) -> list[StyledText]:
    """Return the cells of a record below its call: its place in the tree, and the time since the request."""
    since = f"+{short_duration(entry.time - call.time)}"
    text, name = message_text(entry)
    line = ("└ " if is_last else "├ ") if branch.depth == 1 else "│ └ "
    # In a narrow list there is no column of times.
    time = "" if any(column.title == _TIME for column, _ in columns) else f"{since} "
    message = f"  {line}{time}{_INFERRED if branch.is_inferred else ''}{text}"
    texts = {_TIME: (since, "traffic--muted"), "message": (message, name)}
    return [
        aligned(column, *texts[column.title], width) if column.title in texts else cell
        for cell, (column, width) in zip(cells, columns, strict=True)
    ]


def unfolded_cells(cells: list[StyledText], columns: Sequence[tuple[Column, int]]) -> list[StyledText]:
    """Return the cells of a call that is unfolded, with a sign before its text."""
    return [
        aligned(column, f"{_UNFOLDED}{cell[0]}", cell[1], width) if not column.width else cell
        for cell, (column, width) in zip(cells, columns, strict=True)
    ]
