"""What a user has chosen for the list of messages: the columns that are hidden, and what the rows are sorted by."""

from dataclasses import dataclass, field
from typing import Any

from workbench.model.json_members import text_in, texts_in

MAX_SORTED = 100_000
"""How many rows are sorted: a million would delay keys for too long."""
_MAX_HIDDEN = 20

SORTS = ("time", "took", "size", "message", "status")
"""The titles of the columns by which the rows can be sorted; by time they are in the order of their records."""


@dataclass
class ListColumns:
    """Shared by the list, which shows it, and the dialogs, which change it."""

    hidden: set[str] = field(default_factory=set)  # the titles of columns that are not shown, whatever the width
    sort: str = SORTS[0]
    is_descending: bool = False

    @property
    def is_sorted(self) -> bool:
        """Whether the rows are in another order than that of their records."""
        return self.is_descending or self.sort != SORTS[0]

    def sort_by(self, column: str) -> None:
        """Sort by a column, the largest first except for texts; in the other direction if it is sorted by it."""
        if self.sort == column:
            self.is_descending = not self.is_descending
        else:
            self.sort, self.is_descending = column, column in ("took", "size")

    def toggle(self, column: str) -> None:
        """Hide a column, or show it where there is room."""
        self.hidden ^= {column}

    def to_json(self) -> dict[str, Any]:
        return {"hidden": sorted(self.hidden), "sort": self.sort, "is_descending": self.is_descending}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "ListColumns":
        """Return the choices in a JSON value; invalid members are ignored."""
        sort = text_in(value, "sort")
        hidden = set(texts_in(value, "hidden")[:_MAX_HIDDEN])
        return cls(hidden, sort if sort in SORTS else SORTS[0], value.get("is_descending") is True)
