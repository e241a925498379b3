"""The captures of single commands are one row of a list for each day and server."""

from typing import Any

from workbench.model.capture_groups import CaptureGroup, grouped

DAY = 86_400.0


def capture(path: str, started: float, **facts: Any) -> dict[str, Any]:
    return {"path": path, "project": "cafe", "started": started, "calls": 1, "of_command": True} | facts


def paths(rows: list[dict[str, Any] | CaptureGroup]) -> list[Any]:
    return [[each["path"] for each in row.captures] if isinstance(row, CaptureGroup) else row["path"] for row in rows]


def test_a_group_is_at_the_place_of_its_newest_capture_and_needs_two() -> None:
    rows = grouped(
        [
            capture("e", 9 * DAY + 4),
            capture("core", 9 * DAY + 3, of_command=False),
            capture("d", 9 * DAY + 2),
            capture("other", 9 * DAY + 1, project="shop"),
            capture("yesterday", 7 * DAY),
        ]
    )
    assert paths(rows) == [["e", "d"], "core", "other", "yesterday"]


def test_captures_that_the_user_has_labelled_and_unreadable_ones_are_not_grouped() -> None:
    labels = ({"name": "x"}, {"pinned": True}, {"note": "x"}, {"problem": "x"})
    captures = [capture(str(index), 5 - index, **label) for index, label in enumerate(labels)]
    assert paths(grouped([*captures, capture("plain", 0.0)])) == ["0", "1", "2", "3", "plain"]


def test_an_open_group_is_followed_by_its_captures() -> None:
    captures = [capture("b", 2.0), capture("a", 1.0, calls=None)]
    (group,) = grouped(captures)
    assert isinstance(group, CaptureGroup)
    assert (group.is_open, group.sum_of("calls")) == (False, None)
    opened, *others = grouped(captures, {group.key})
    assert isinstance(opened, CaptureGroup)
    assert (opened.is_open, others) == (True, captures)
