"""The checks reach every subschema, name its place, and count its levels."""

from typing import Any

import pytest

from tests.server_core.protocol.subschemas import AROUND, DATA
from tests.tables import each_row
from tests.workbench.model.lint.test_lint import rules, tool
from workbench.model.lint import lint


def with_schema(**members: Any) -> dict[str, Any]:
    return tool(schema={"type": "object", "properties": {}, **members})


@each_row("around", AROUND.values(), ids=AROUND)
def test_a_list_of_anything_is_noticed_in_every_place_of_a_schema(around: Any) -> None:
    assert "array-items" in rules(with_schema(**around({"type": "array"})))


@each_row("around", DATA.values(), ids=DATA)
def test_data_is_not_checked(around: Any) -> None:
    assert "array-items" not in rules(with_schema(**around({"type": "array"})))


@pytest.mark.parametrize("keyword", ["$defs", "definitions"])
def test_a_type_that_contains_itself_is_noticed_among_the_definitions_of_each_draft(keyword: str) -> None:
    node = {"type": "object", "properties": {"next": {"$ref": f"#/{keyword}/Node"}}}
    (finding,) = lint({"tools": [with_schema(**{keyword: {"Node": node}})]}).findings
    assert (finding.rule, "'Node'" in finding.message) == ("recursive-type", True)


@pytest.mark.parametrize("keyword", ["$defs", "definitions"])
def test_a_default_is_checked_against_the_definitions_of_each_draft(keyword: str) -> None:
    limit = {"$ref": f"#/{keyword}/Limit", "description": "How many.", "default": "many"}
    schema = {"properties": {"limit": limit}, keyword: {"Limit": {"type": "integer"}}}
    assert rules(with_schema(**schema)) == ["refused-value"]


@each_row(
    ("properties", "place"),
    [
        ({"limit": {"type": "array"}}, "limit is"),
        ({"a.items": {"type": "array"}}, "a.items is"),
        ({"rows": {"type": "array", "items": {"type": "array"}}}, "rows[] is"),
        ({"rows": {"type": "array", "items": [{"type": "array"}]}}, "rows[] is"),
        ({"card": {"type": "object", "properties": {"items": {"type": "array"}}}}, "card.items is"),
    ],
)
def test_a_place_is_named_by_its_properties(properties: dict[str, Any], place: str) -> None:
    findings = lint({"tools": [with_schema(properties=properties)]}).findings
    assert [place in finding.message for finding in findings if finding.rule == "array-items"] == [True]


def test_levels_are_counted_by_keywords_and_not_by_names() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(5):
        deep = {"type": "object", "properties": {"a.items.items": deep}}
    assert "schema-depth" not in rules(with_schema(properties={"a": deep}))
