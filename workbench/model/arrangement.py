"""How a user has arranged the screens: widths of columns, the list of offers, and recent entries of the palette."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.model.json_members import object_in, texts_in

MAX_RECENT = 8
"""The entries of the palette that are remembered."""
_MAX_GROUPS = 500
_MAX_SHARE = 10_000
LEAST_WIDTH = 20
"""The fewest cells of a column whose neighbour is made wider."""


@dataclass
class Arrangement:
    """Shared by the widgets that it is about, which change it; invalid members of a stored one are ignored."""

    splits: dict[str, dict[str, int]] = field(default_factory=dict)  # the shares of columns, by pane and class of width
    is_sorted: bool = False  # whether the offers are sorted by name
    closed_groups: set[str] = field(default_factory=set)  # the titles of the closed groups of offers
    recent: list[str] = field(default_factory=list)  # the labels chosen in the palette, latest first

    def choose(self, label: str) -> None:
        self.recent = [label, *(other for other in self.recent if other != label)][:MAX_RECENT]

    def to_json(self) -> dict[str, Any]:
        return {
            "splits": {name: dict(shares) for name, shares in self.splits.items()},
            "is_sorted": self.is_sorted,
            "closed_groups": sorted(self.closed_groups)[:_MAX_GROUPS],
            "recent": self.recent,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Arrangement":
        splits = {name: _shares(shares) for name, shares in object_in(value, "splits").items()}
        return cls(
            splits={name: shares for name, shares in splits.items() if shares},
            is_sorted=value.get("is_sorted") is True,
            closed_groups=set(texts_in(value, "closed_groups")[:_MAX_GROUPS]),
            recent=texts_in(value, "recent")[:MAX_RECENT],
        )


def _shares(value: Any) -> dict[str, int]:
    members = value.items() if isinstance(value, dict) else ()
    return {name: share for name, share in members if type(share) is int and 0 < share <= _MAX_SHARE}


def moved(widths: Sequence[int], left: int, by: int, least: int = LEAST_WIDTH) -> list[int]:
    """Return the widths after the line to the right of a column was moved by some cells, as far as there is room."""
    changed = list(widths)
    if widths[left] + widths[left + 1] < 2 * least:
        return changed
    by = max(least - widths[left], min(by, widths[left + 1] - least))
    changed[left] += by
    changed[left + 1] -= by
    return changed
