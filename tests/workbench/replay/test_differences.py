"""Two JSON values are compared place by place."""

from typing import Any

from tests.tables import each_row
from workbench.replay.differences import ABSENT, ValueDifference, differences


@each_row(
    ("recorded", "replayed"),
    [
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}),
        (1, 1.0),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"_meta": {"traceId": "x", "started_time": 1}}, {"_meta": {"traceId": "y"}}),
        ({"_meta": {"io.example/request-id": {"deep": 1}}}, {"_meta": {}}),
        ({"elicitationId": "a"}, {"elicitationId": "b"}),
        ({"key": "Bearer <secret KEY>!"}, {"key": "Bearer 12345!"}),
    ],
)
def test_values_that_are_equal_or_new_on_every_run_are_no_difference(recorded: Any, replayed: Any) -> None:
    assert list(differences(recorded, replayed)) == []


@each_row(
    ("recorded", "replayed", "expected"),
    [
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, [ValueDifference("$.a.b[1]", 2, 3)]),
        ([1], [1, 2], [ValueDifference("$[1]", ABSENT, 2)]),
        ({"a": 1}, {"b": 1}, [ValueDifference("$.a", 1, ABSENT), ValueDifference("$.b", ABSENT, 1)]),
        ({"a b": 1}, {"a b": 2}, [ValueDifference('$["a b"]', 1, 2)]),
        (True, 1, [ValueDifference("$", True, 1)]),
        (None, False, [ValueDifference("$", None, False)]),
        ({"a": []}, {"a": {}}, [ValueDifference("$.a", [], {})]),
        ({"_meta": {"valid": 1}}, {"_meta": {"valid": 2}}, [ValueDifference("$._meta.valid", 1, 2)]),
        ({"traceId": 1}, {"traceId": 2}, [ValueDifference("$.traceId", 1, 2)]),
        ("a <secret KEY>", "b 123", [ValueDifference("$", "a <secret KEY>", "b 123")]),
    ],
)
def test_a_difference_names_its_place_and_both_values(
    recorded: Any, replayed: Any, expected: list[ValueDifference]
) -> None:
    assert list(differences(recorded, replayed)) == expected


def test_an_absent_value_is_left_out_of_the_json() -> None:
    assert ValueDifference("$.a", ABSENT, 1).to_json() == {"path": "$.a", "replayed": 1}
    assert ValueDifference("$.a", None, ABSENT).to_json() == {"path": "$.a", "recorded": None}
