"""The captures of single commands, which a list shows as one row for each day and server.

Captures with a name, a pin or a note are no part of a group: their user has chosen them.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Capture: TypeAlias = dict[str, Any]
"""What is known of a capture, as JSON."""


@dataclass(frozen=True)
class CaptureGroup:
    """Captures of `workbench call` of one day and server, newest first; at least two."""

    key: str
    captures: tuple[Capture, ...]
    is_open: bool  # whether the captures have rows of their own below it

    def sum_of(self, name: str) -> int | None:
        """Return the sum of a count over all captures; None if one of them is not counted yet."""
        counts = [capture.get(name) for capture in self.captures]
        return None if None in counts else sum(count for count in counts if count is not None)


def grouped(captures: Sequence[Capture], opened: Collection[str] = ()) -> list[Capture | CaptureGroup]:
    """Return the rows of a list of captures: each capture, or the group at the place of its newest one.

    Args:
        captures: newest first.
        opened: the keys of the groups whose captures follow them.
    """
    groups: dict[str, list[Capture]] = {}
    for capture in captures:
        if is_grouped(capture):
            groups.setdefault(_key(capture), []).append(capture)
    rows: list[Capture | CaptureGroup] = []
    for capture in captures:
        group = groups.get(_key(capture), []) if is_grouped(capture) else []
        if len(group) < 2:
            rows.append(capture)
        elif capture is group[0]:
            is_open = _key(capture) in opened
            rows.append(CaptureGroup(_key(capture), tuple(group), is_open))
            rows += group if is_open else ()
    return rows


def is_grouped(capture: Capture) -> bool:
    """Return whether a capture belongs to a group, if there are others of its day."""
    is_chosen = capture.get("name") or capture.get("pinned") or capture.get("note")
    return bool(capture.get("of_command")) and not is_chosen and not capture.get("problem")


def _key(capture: Capture) -> str:
    return f"{capture['project']} {time.strftime('%Y-%m-%d', time.localtime(capture['started']))}"
