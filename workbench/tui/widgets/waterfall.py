"""The bar of a call in the list: when it began and ended, within the time of the rows in view."""

from collections.abc import Iterable
from typing import TypeAlias

from server_core.records.tap import Kind
from workbench.model.traffic.entry import CANCELLED, ERROR, PENDING, TOOL_ERROR, Entry
from workbench.tui.widgets.paint import StyledText

Window: TypeAlias = tuple[float, float]
"""Where the bars begin and end, in seconds since the epoch."""

WATERFALL = "waterfall"
_POINT = "│"
_TAKES = "━"
_WAITS = "╌"
_CLASSES = {ERROR: "traffic--bad", TOOL_ERROR: "traffic--bad", PENDING: "traffic--warn", CANCELLED: "traffic--warn"}


def window_of(entries: Iterable[Entry]) -> Window:
    """Return the time that these entries cover, with their responses."""
    first, last = float("inf"), 0.0
    for entry in entries:
        first = min(first, entry.time)
        last = max(last, _end(entry))
    return first, last


def bar(entry: Entry, window: Window, width: int) -> StyledText:
    """Return the bar of a request, or the point of another record; of an open request it goes on to the end."""
    start, end = window
    scale = (width - 1) / max(end - start, 1e-9)
    first = round(max(0.0, min(entry.time - start, end - start)) * scale)
    if entry.kind is not Kind.REQUEST:
        return " " * first + _POINT, "traffic--muted"
    is_open = not entry.pair and entry.status is PENDING
    last = width - 1 if is_open else round(min(_end(entry) - start, end - start) * scale)
    text = " " * first + (_WAITS if is_open else _TAKES) * max(1, last - first + 1)
    return text[:width], _CLASSES.get(entry.status, "traffic--in")


def _end(entry: Entry) -> float:
    """Return when a request was answered, which includes the time for which it was held; for others, their time."""
    return entry.answered or entry.time if entry.kind is Kind.REQUEST else entry.time
