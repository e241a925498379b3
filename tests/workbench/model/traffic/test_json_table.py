"""Lists of objects as tables."""

import json

import pytest

from tests.tables import each_row
from workbench.model.traffic.json_document import JsonDocument
from workbench.model.traffic.json_table import JsonTable, read_table, values_line

ROWS = [{"name": "Ada", "n": 1}, {"n": 2.5, "tags": ["a", {"b": 1}], "name": "Li\x1bsa"}]


def table(value: object) -> JsonTable | None:
    return read_table(JsonDocument(json.dumps(value).encode()))


@pytest.mark.parametrize("value", [ROWS, {"result": ROWS}])
def test_a_list_of_objects_has_a_row_for_each_and_a_column_for_each_key(value: object) -> None:
    rows = table(value)
    assert rows is not None
    assert rows.keys == ["name", "n", "tags"]
    assert rows.cells(0) == ["Ada", "1", ""]
    assert rows.cells(1) == ["Li\\x1bsa", "2.5", '["a", {"b": 1}]']
    assert [rows.is_of_numbers(column) for column in range(3)] == [False, True, False]
    assert rows.longest(2) == '["a", {"b": 1}]'


def test_a_row_may_be_nested_too_deeply_to_be_read_where_it_is_shown() -> None:
    document = JsonDocument(b'[{"a": ' + b"[" * 900 + b"]" * 900 + b'}, {"a": 1}]')
    assert document.is_pretty

    def deep_in_the_stack(levels: int) -> JsonTable | None:
        return deep_in_the_stack(levels - 1) if levels else read_table(document)

    rows = deep_in_the_stack(200)
    assert rows is not None
    assert rows.cells(1) == ["1"]


def test_whole_values_are_a_line_with_tabs_in_which_breaks_are_quoted() -> None:
    rows = table([{"a": "x" * 500, "b": "two\nlines"}, {"a": 1, "b": None}])
    assert rows is not None
    assert rows.values(0) == ["x" * 500, "two\nlines"]
    assert values_line(rows.values(0)) == "x" * 500 + '\t"two\\nlines"'
    assert values_line(rows.values(0)[1:]) == "two\nlines"
    assert rows.values(1) == ["1", "null"]


@each_row(
    "value",
    [
        [],
        [{"a": 1}],
        [{"a": 1}, 2],
        [{"a": 1}, [2]],
        [{"a": 1}, {}],
        {"a": {"b": 1}, "c": {"d": 1}},
        {"a": [{"b": 1}, {"b": 2}], "more": 1},
        "text",
        [{str(key): key for key in range(50)}] * 2,
    ],
)
def test_other_documents_are_no_tables(value: object) -> None:
    assert table(value) is None
