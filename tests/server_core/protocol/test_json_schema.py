"""Every keyword of JSON Schema whose value is a schema is descended into, and data never is."""

from typing import Any

from server_core.protocol.json_schema import IN_PLACE, KEYWORDS, OF_ITEMS, REFERENCES, child_schemas, subschemas
from tests.server_core.protocol.subschemas import AROUND, DATA
from tests.tables import each_row

MARK = {"title": "the subschema"}


@each_row("around", AROUND.values(), ids=AROUND)
def test_the_schemas_in_a_schema_are_its_subschemas(around: Any) -> None:
    schema = around(MARK)
    assert [part for _, _, part in child_schemas(schema)] == [MARK]
    assert list(subschemas({"properties": {"a": schema}})) == [{"properties": {"a": schema}}, schema, MARK]


def test_every_keyword_is_tried() -> None:
    assert {keyword for around in AROUND.values() for keyword in around(MARK)} == KEYWORDS


@each_row("around", DATA.values(), ids=DATA)
def test_data_in_a_schema_is_no_subschema(around: Any) -> None:
    assert list(subschemas(around(MARK))) == [around(MARK)]


def test_a_property_may_be_called_as_a_keyword_for_data() -> None:
    schema = {"properties": {"default": MARK, "enum": {"items": {}}}}
    assert list(child_schemas(schema)) == [("properties", "default", MARK), ("properties", "enum", {"items": {}})]
    assert list(subschemas(schema)) == [schema, MARK, {"items": {}}, {}]


@each_row("schema", [None, True, 3, "x", [MARK]])
def test_a_schema_that_is_no_object_has_no_subschemas(schema: Any) -> None:
    assert list(subschemas(schema)) == list(child_schemas(schema)) == []


def test_a_keyword_with_another_value_has_no_subschemas() -> None:
    for value in (
        None,
        True,
        3,
        "x",
        ["x", None, [MARK]],
        {},
    ):
        for keyword in sorted(KEYWORDS):
            assert [part for _, _, part in child_schemas({keyword: value}) if part] == []


def test_parts_are_in_the_order_of_writing_with_their_keywords_and_names() -> None:
    schema = {"items": [{"title": "a"}, True, {"title": "b"}], "not": {"title": "c"}, "$defs": {"D": {"title": "d"}}}
    assert [(keyword, key, part["title"]) for keyword, key, part in child_schemas(schema)] == [
        ("items", 0, "a"),
        ("items", 2, "b"),
        ("not", None, "c"),
        ("$defs", "D", "d"),
    ]
    assert [keyword for keyword, _, _ in child_schemas(schema, OF_ITEMS)] == ["items", "items"]
    assert [keyword for keyword, _, _ in child_schemas(schema, IN_PLACE)] == ["not"]


@each_row("keyword", REFERENCES)
def test_references_are_followed_where_they_are_resolved(keyword: str) -> None:
    targets = {"#a": {keyword: "#b"}, "#b": {"items": {keyword: "#a"}}, "#c": MARK}
    schema = {"not": {keyword: "#a"}, keyword: "#none"}
    assert list(subschemas(schema)) == [schema, {keyword: "#a"}]
    assert [*subschemas(schema, targets.get)] == [schema, {keyword: "#a"}, *list(targets.values())[:2], {keyword: "#a"}]


def test_a_value_that_contains_itself_is_visited_once() -> None:
    schema: dict[str, Any] = {"properties": {}}
    schema["properties"]["a"] = schema
    assert list(subschemas(schema)) == [schema]


def test_a_deep_schema_is_visited_to_its_end() -> None:
    schema: dict[str, Any] = MARK
    for _ in range(20_000):
        schema = {"items": schema}
    assert sum(1 for _ in subschemas(schema)) == 20_001
