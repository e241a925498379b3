"""How the screens are arranged, as it is stored."""

import json
from typing import Any

from tests.tables import each_row
from workbench.model.arrangement import MAX_RECENT, Arrangement


def test_an_arrangement_survives_its_storage() -> None:
    arrangement = Arrangement({"tools-roomy": {"offers": 40, "form": 80}}, True, {"b", "a"}, ["Tools: run"])
    assert Arrangement.from_json(json.loads(json.dumps(arrangement.to_json()))) == arrangement


@each_row(
    "value",
    [
        {"splits": 1, "is_sorted": 1, "closed_groups": 1, "recent": 1},
        {"splits": {"tools": 1, "inspector": {"a": True, "b": -1, "c": 1.5, "d": 10**9}}},
        {"closed_groups": [1, None], "recent": [{}]},
    ],
)
def test_what_is_invalid_is_ignored(value: dict[str, Any]) -> None:
    assert Arrangement.from_json(value) == Arrangement()


def test_what_was_chosen_last_is_first_and_only_some_are_remembered() -> None:
    arrangement = Arrangement()
    for label in ["a", "b", "a", *map(str, range(6)), "c"]:
        arrangement.choose(label)
    assert arrangement.recent == ["c", "5", "4", "3", "2", "1", "0", "a"]
    assert len(arrangement.recent) == MAX_RECENT
