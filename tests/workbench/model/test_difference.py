"""The difference of two values has the paths that changed."""

from itertools import islice
from typing import Any

from tests.tables import each_row
from workbench.model.difference import differences
from workbench.model.history import History
from workbench.model.run_difference import MAX_CHANGES, run_difference


@each_row(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, ["~ a 1 2"]),
        ({"a": 1}, {"a": True}, ["~ a 1 true"]),
        ([1, {"b": [0]}], [True, {"b": [False]}], ["~ [0] 1 true", "~ [1].b[0] 0 false"]),
        ([[1, 1.0]], [[1.0, 1]], []),
        ({"a": 1, "b": 2}, {"b": 2, "c": 3}, ["- a 1 ", "+ c  3"]),
        ({"a": {"b c": [1, 2]}}, {"a": {"b c": [1, 3]}}, ['~ a["b c"][1] 2 3']),
        ([1, 2, 3], [0, 1, 2, 3], ["+ [0]  0"]),
        ([1, 2, 3], [1, 3], ["- [1] 2 "]),
        ({"t": "a\nb\nc"}, {"t": "a\nx\nc"}, ['~ t:2 "b" "x"']),
        ("a", 1, ['~  "a" 1']),
    ],
)
def test_the_changes_of_two_values(before: Any, after: Any, expected: list[str]) -> None:
    changes = differences(before, after)
    assert [f"{change.kind} {change.path} {change.before} {change.after}" for change in changes] == expected


def test_values_of_any_depth_and_size_are_compared() -> None:
    before: Any = 1
    after: Any = 2
    for _ in range(900):
        before, after = {"a": before}, {"a": after}
    assert len(list(differences(before, after))) == 1
    assert len(list(islice(differences([0] * 100_000, [1] * 100_000), 10))) == 10


def test_the_runs_of_a_tool_are_compared_by_what_they_mean() -> None:
    history = History(lambda: 0)
    first, other, second = (history.start(tool, {"n": number}) for number, tool in enumerate(("t", "x", "t")))
    first.finish({"content": [{"type": "text", "text": '{"a": 1, "b": 2}'}], "_meta": {"x": 1}}, 1)
    other.finish({}, 1)
    second.finish({"content": [{"type": "text", "text": '{"b": 2, "a": 3}'}]}, 1)
    assert history.previous(second) is first
    assert history.previous(first) is None
    difference = run_difference(second, first)
    assert [change.path for change in difference.arguments] == ["n"]
    assert [(change.path, change.after) for change in difference.result] == [("content[0].text.a", "3")]


def test_a_failure_differs_from_a_result_and_changes_are_limited() -> None:
    history = History(lambda: 0)
    first, second = history.start("t", {}), history.start("t", {})
    first.finish({"structuredContent": dict.fromkeys(map(str, range(2000)), 1)}, 1)
    second.fail("gone", 1)
    assert [change.path for change in run_difference(second, first).result] == ["structuredContent", "error"]
    third = history.start("t", {})
    third.finish({"structuredContent": dict.fromkeys(map(str, range(2000)), 2)}, 1)
    assert len(run_difference(third, first).result) == MAX_CHANGES + 1
