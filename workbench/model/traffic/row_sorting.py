"""The rows of a list in the order of a column."""

from typing import Any

from workbench.model.traffic.entry import Entry
from workbench.model.traffic.list_columns import SORTS
from workbench.model.traffic.traffic_view import TrafficView


def sorted_rows(view: TrafficView, indices: list[int], sort: str, *, is_descending: bool) -> list[int]:
    """Return the timeline's indexes of rows in the order of a column; rows without a value are at the end.

    Rows with the same value are in the order of their records.
    """
    if sort == SORTS[0]:
        return indices[::-1] if is_descending else list(indices)
    timeline = view.timeline
    values = {index: _value(view, timeline[index], sort) for index in indices}
    present = [index for index in indices if values[index] is not None]
    missing = [index for index in indices if values[index] is None]
    return [*sorted(present, key=values.__getitem__, reverse=is_descending), *missing]


def _value(view: TrafficView, entry: Entry, sort: str) -> Any:
    """Return what a row is sorted by; None if it has no such value."""
    match sort:
        case "took":
            return entry.latency
        case "size":
            return sum(message.size for message in view.messages_with(entry))
        case "message":
            return (entry.name or entry.method).casefold()
        case _:
            return entry.status or None
