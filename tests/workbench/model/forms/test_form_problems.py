"""Problems are described in words, at the field where they can be repaired."""

from typing import Any

from tests.tables import each_row
from workbench.model.forms.form import Form


def problems(schema: Any, value: Any) -> list[tuple[Any, str]]:
    form = Form(schema)
    form.load(value)
    return [(problem.path, problem.message) for problem in form.problems()]


@each_row(
    ("schema", "value", "message"),
    [
        ({"type": "integer"}, "x", "must be a whole number"),
        ({"type": ["string", "null"]}, 5, "must be text or null"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x", "must be a whole number or null"),
        ({"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]}, 1, "must be at least 3"),
        ({"type": "number", "minimum": 1.5}, 1, "must be at least 1.5"),
        ({"type": "number", "maximum": 3.0}, 4, "must be at most 3"),
        ({"type": "number", "exclusiveMinimum": 1}, 1, "must be more than 1"),
        ({"type": "number", "exclusiveMaximum": 1}, 1, "must be less than 1"),
        ({"type": "number", "multipleOf": 5}, 7, "must be a multiple of 5"),
        ({"type": "string", "minLength": 3}, "é", "needs at least 3 characters (has 1)"),
        ({"type": "string", "maxLength": 1}, "abc", "may have at most 1 character (has 3)"),
        ({"type": "string", "pattern": "^a"}, "b", "must match ^a"),
        ({"type": "string", "format": "date"}, "soon", "must be a date such as 2026-01-31"),
        ({"enum": ["a", "b"]}, "c", 'must be one of "a", "b"'),
        ({"enum": [*range(500)]}, "c", "must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … 490 more"),
        ({"const": "a"}, "c", 'must be "a"'),
        ({"oneOf": [{"const": "a", "title": "Ay"}, {"const": "b"}]}, "c", "choose one of Ay, b"),
        ({"type": "array", "minItems": 2}, [1], "needs at least 2 items (has 1)"),
        ({"type": "array", "maxItems": 1}, [1, 2], "may have at most 1 item (has 2)"),
        ({"type": "array", "uniqueItems": True}, [1, 1], "has a duplicate item"),
        ({"type": "array", "contains": {"const": 1}}, [2], "lacks required items"),
        ({"type": "object", "minProperties": 1}, {}, "needs at least 1 key (has 0)"),
        ({"type": "object", "maxProperties": 1}, {"a": 1, "b": 2}, "may have at most 1 key (has 2)"),
        ({"type": "object", "propertyNames": {"pattern": "^a"}}, {"b": 1}, 'has a key that is not allowed: "b"'),
        ({"not": {"const": 1}}, 1, "this value is not allowed"),
        (False, 1, "no value is allowed here"),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, 1, "matches several alternatives"),
        ({"anyOf": [{"minimum": 5}, {"multipleOf": 7}]}, 1, "must be at least 5"),
    ],
)
def test_each_limit_is_explained(schema: Any, value: Any, message: str) -> None:
    assert problems({"properties": {"x": schema}}, {"x": value}) == [(("x",), message)]


def test_a_missing_value_is_reported_at_its_field() -> None:
    person = {"type": "object", "properties": {"name": {}}, "required": ["name"]}
    schema = {"properties": {"people": {"type": "array", "items": person}}}
    assert problems(schema, {"people": [{"name": 1}, {}]}) == [(("people", 1, "name"), "required")]


def test_a_missing_key_without_a_field_is_reported_at_its_parent() -> None:
    assert problems({"type": "object", "required": ["a b"]}, {}) == [((), '"a b": required')]


def test_a_key_that_is_not_allowed_is_reported_at_the_key() -> None:
    schema = {"properties": {"a": {}}, "additionalProperties": False}
    assert problems(schema, {"a": 1, "b": 2}) == [(("b",), "this key is not allowed")]


def test_a_problem_inside_of_json_is_reported_with_its_path() -> None:
    schema = {"properties": {"xs": {"items": {"type": "integer"}}}}
    assert problems(schema, {"xs": [0] * 3000 + ["x"]}) == [(("xs",), "[3000]: must be a whole number")]


def test_a_problem_of_the_chosen_alternative_is_reported_at_its_fields() -> None:
    cat = {"type": "object", "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer", "maximum": 9}}}
    dog = {"type": "object", "properties": {"kind": {"const": "dog"}, "name": {"type": "string"}}, "required": ["name"]}
    schema = {"properties": {"pet": {"oneOf": [cat, {"anyOf": [dog, {"type": "integer"}]}]}}}
    assert problems(schema, {"pet": {"kind": "cat", "lives": 10}}) == [(("pet", "lives"), "must be at most 9")]
    assert problems(schema, {"pet": {"kind": "dog"}}) == [(("pet", "name"), "required")]


def test_a_field_reports_unreadable_text_first() -> None:
    form = Form({"properties": {"n": {"type": "integer", "minimum": 5}}})
    form.set_text(("n",), "few")
    assert [problem.message for problem in form.problems()] == ["type a whole number such as 12"]


def test_problems_are_in_the_order_of_the_fields() -> None:
    schema = {"properties": {"a": {"type": "integer"}, "b": {}, "c": {"minimum": 5}}, "required": ["b"]}
    assert [path for path, _ in problems(schema, {"c": 1, "a": "x"})] == [("a",), ("b",), ("c",)]


def test_a_pattern_that_is_broken_is_no_reason_not_to_check_the_rest() -> None:
    schema = {"properties": {"a": {"type": "string", "pattern": "("}, "b": {"type": "integer"}}}
    assert problems(schema, {"a": "x", "b": "x"}) == [(("b",), "must be a whole number")]


def test_without_a_check_required_values_are_still_reported() -> None:
    deep: Any = {}
    for _ in range(300):
        deep = {"properties": {"a": deep}}
    form = Form({"type": "object", "properties": {"a": {"type": "string"}, "b": deep}, "required": ["a"]})
    assert not form.is_checked
    assert [(problem.path, problem.message) for problem in form.problems()] == [(("a",), "required")]


@each_row(
    "draft", ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema", "odd", 5]
)
def test_a_schema_may_name_its_draft(draft: Any) -> None:
    schema = {"$schema": draft, "properties": {"a": {"type": "integer"}}}
    assert problems(schema, {"a": "x"}) == [(("a",), "must be a whole number")]
