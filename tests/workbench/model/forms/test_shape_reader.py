"""Each construct of JSON Schema becomes the field that people expect."""

from typing import Any

import pytest

from tests.tables import each_row
from workbench.model.forms.field import Field
from workbench.model.forms.form import Form
from workbench.model.forms.shape import ABSENT


def field_of(schema: Any, **document: Any) -> Field:
    """The field of a property with this schema."""
    return Form({"type": "object", "properties": {"x": schema}, **document}).field(("x",))


@each_row(
    ("schema", "kind"),
    [
        ({"type": "string"}, "string"),
        ({"type": "integer"}, "integer"),
        ({"type": "number"}, "number"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "null"}, "null"),
        ({"const": None}, "null"),
        ({"enum": [None]}, "null"),
        ({"enum": ["a", "b"]}, "choice"),
        ({"const": 5}, "choice"),
        ({"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]}, "choice"),
        ({"anyOf": [{"enum": ["a"]}, {"const": "b"}, {"type": "null"}]}, "choice"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "choices"),
        ({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}, "choices"),
        ({"type": "array", "items": {"type": "string"}}, "array"),
        ({"type": "array"}, "array"),
        ({"type": "array", "prefixItems": [{}, {}]}, "array"),
        ({"type": "object", "properties": {"a": {}}}, "object"),
        ({"type": "object", "properties": {}}, "object"),
        ({"type": "object", "additionalProperties": False}, "object"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "map"),
        ({"type": "object", "patternProperties": {"^a": {}}, "additionalProperties": False}, "map"),
        ({"type": "object"}, "map"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "variant"),
        ({"type": ["string", "integer"]}, "variant"),
        ({"type": ["string", "number", "boolean", "object", "array"]}, "json"),
        ({}, "json"),
        (True, "json"),
        (False, "json"),
        ({"type": "invented"}, "json"),
        ({"minLength": 3}, "string"),
        ({"maximum": 3}, "number"),
        ({"properties": {"a": {}}}, "object"),
        ({"items": {"type": "string"}}, "array"),
    ],
)
def test_each_schema_has_its_kind(schema: Any, kind: str) -> None:
    assert field_of(schema).kind == kind


@each_row(
    ("schema", "kind"),
    [
        ({"type": ["string", "null"]}, "string"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer"),
        ({"oneOf": [{"type": "null"}, {"$ref": "#/$defs/color"}]}, "choice"),
        ({"enum": ["a", None]}, "choice"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}, "variant"),
        ({"type": ["integer", "string", "null"]}, "variant"),
        ({"type": "null"}, "null"),
    ],
)
def test_null_among_the_values_makes_a_field_nullable(schema: Any, kind: str) -> None:
    field = field_of(schema, **{"$defs": {"color": {"enum": ["red"]}}})
    assert (field.kind, field.nullable) == (kind, True)
    assert None not in [choice.value for choice in field.choices]
    assert "null" not in field.variants


def test_an_optional_keeps_the_notes_of_the_outside_and_the_limits_of_the_inside() -> None:
    field = field_of({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "title": "Size", "default": None})
    assert (field.title, field.default, field.constraints) == ("Size", None, ["at least 1"])


@each_row(
    ("schema", "labels"),
    [
        ({"enum": ["a", 1, True, ""]}, ["a", "1", "true", '""']),
        ({"enum": ["a", "b"], "enumNames": ["Ay"]}, ["Ay", "b"]),
        ({"enum": [1, "1", True, "one"]}, ["1", '"1"', "true", "one"]),
        ({"enum": ["a", "b"], "enumNames": ["Ay", "Ay"]}, ['Ay ("a")', 'Ay ("b")']),
        ({"oneOf": [{"const": "a", "title": "The a"}, {"const": 2}]}, ["The a", "2"]),
        ({"type": "array", "items": {"anyOf": [{"const": "a", "title": "The a"}]}}, ["The a"]),
        ({"enum": ["\x1b[1m"]}, ["\\x1b[1m"]),
    ],
)
def test_choices_have_labels(schema: Any, labels: list[str]) -> None:
    assert [choice.label for choice in field_of(schema).choices] == labels


@each_row(
    ("schema", "texts"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 20}, ["1 to 20"]),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5}, ["more than 0", "less than 1.5"]),
        ({"type": "number", "maximum": 5.0, "multipleOf": 0.5}, ["at most 5", "a multiple of 0.5"]),
        ({"type": "string", "minLength": 3}, ["at least 3 characters"]),
        ({"type": "string", "minLength": 2, "maxLength": 2}, ["exactly 2 characters"]),
        ({"type": "string", "minLength": 0, "maxLength": 1}, ["at most 1 character"]),
        ({"type": "string", "pattern": "^a\x1b"}, ["matches ^a\\x1b"]),
        ({"type": "string", "format": "date"}, ["a date such as 2026-01-31"]),
        ({"type": "string", "format": "odd", "contentEncoding": "base64"}, ["odd", "base64"]),
        ({"type": "array", "minItems": 1, "maxItems": 5, "uniqueItems": True}, ["1 to 5 items", "no duplicate items"]),
        (
            {"type": "object", "minProperties": 1, "propertyNames": {"pattern": "^k"}},
            ["at least 1 key", "keys match ^k"],
        ),
        ({"type": "integer", "deprecated": True}, ["deprecated"]),
        ({"type": "integer", "minimum": "x", "maximum": True}, []),
        (False, ["no value is allowed here"]),
    ],
)
def test_limits_are_described(schema: Any, texts: list[str]) -> None:
    assert field_of(schema).constraints == texts


def test_notes_are_at_the_field() -> None:
    field = field_of(
        {"type": "string", "title": "T", "description": "D", "format": "email", "default": "", "examples": ["e"]}
    )
    assert (field.title, field.description, field.format, field.default, field.examples) == (
        "T",
        "D",
        "email",
        "",
        ["e"],
    )


def test_without_notes_there_are_none() -> None:
    field = field_of({"type": "string"})
    assert (field.title, field.description, field.format, field.examples) == ("", "", None, [])
    assert field.default is ABSENT


def test_references_are_followed_and_may_have_notes_beside_them() -> None:
    defs = {"n": {"type": "integer", "minimum": 1, "title": "N"}, "a/b~c": {"$ref": "#/$defs/n"}}
    field = field_of({"$ref": "#/$defs/a~1b~0c", "title": "Mine"}, **{"$defs": defs})
    assert (field.kind, field.title, field.constraints) == ("integer", "Mine", ["at least 1"])


@pytest.mark.parametrize("ref", ["#n", "https://example.com/n"])
def test_references_by_name_are_followed(ref: str) -> None:
    defs = {"n": {"$anchor": "n", "$id": "https://example.com/n", "type": "integer"}}
    assert field_of({"$ref": ref}, **{"$defs": defs}).kind == "integer"


@each_row("ref", ["#/nowhere", "https://example.com/x", "#/properties/x", "#/$defs/1/9", "", "x"])
def test_an_unresolvable_reference_becomes_a_json_field(ref: str) -> None:
    assert field_of({"$ref": ref}).kind == "json"


def test_all_of_is_a_single_object_with_the_stricter_limits() -> None:
    form = Form(
        {
            "allOf": [
                {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]},
                {"properties": {"a": {"minimum": 5, "maximum": 9}, "b": {"type": "string"}}, "required": ["b"]},
            ]
        }
    )
    assert [field.path for field in form.fields()] == [(), ("a",), ("b",)]
    assert form.field(("a",)).constraints == ["5 to 9"]
    assert form.field(("b",)).required


def test_fields_under_a_condition_can_be_filled_in_too() -> None:
    form = Form(
        {
            "type": "object",
            "properties": {"kind": {"enum": ["card", "cash"]}},
            "if": {"properties": {"kind": {"const": "card"}}},
            "then": {"properties": {"number": {"type": "string"}}, "required": ["number"]},
            "dependentSchemas": {"kind": {"properties": {"note": {"type": "string"}}}},
        }
    )
    assert [field.name for field in form.root.children] == ["kind", "number", "note"]
    form.set_text(("kind",), "card")
    assert form.field(("number",)).problem == "required"
    form.set_text(("kind",), "cash")
    assert form.problems() == []


def test_a_tuple_has_a_field_for_each_place() -> None:
    schema = {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "maxItems": 2}
    form = Form({"type": "object", "properties": {"x": schema}})
    form.include(("x",))
    assert [(field.kind, field.can_remove) for field in form.field(("x",)).children] == [
        ("integer", False),
        ("string", False),
    ]
    assert not form.field(("x",)).can_add_items


def test_the_tuples_of_draft_7_are_read_too() -> None:
    form = Form({"properties": {"x": {"type": "array", "items": [{"type": "integer"}], "additionalItems": False}}})
    form.include(("x",))
    field = form.field(("x",))
    assert ([child.kind for child in field.children], field.can_add_items) == (["integer"], False)


@each_row(
    ("alternatives", "labels"),
    [
        (
            [{"type": "string", "title": "Name"}, {"type": "array", "items": {"type": "integer"}}],
            ["Name", "list of integer"],
        ),
        ([{"$ref": "#/$defs/Cat"}, {"type": "null"}, {"type": "boolean"}], ["Cat", "boolean"]),
        (
            [{"properties": {"kind": {"const": "dog"}}}, {"properties": {"kind": {"const": "cat"}}}],
            ["kind: dog", "kind: cat"],
        ),
        ([{"anyOf": [{"type": "string"}, {"type": "integer"}]}, {"type": "boolean"}], ["string", "integer", "boolean"]),
        ([False, {"type": "string"}, {"type": "integer"}], ["string", "integer"]),
        ([{"type": ["integer", "string"]}, {"type": "boolean"}], ["integer", "string", "boolean"]),
        ([{"type": ["integer", "null", "string"]}], ["integer", "string"]),
    ],
)
def test_alternatives_have_labels(alternatives: list[Any], labels: list[str]) -> None:
    defs = {"Cat": {"type": "object", "properties": {"name": {"type": "string"}}}}
    assert field_of({"anyOf": alternatives}, **{"$defs": defs}).variants == labels


def test_alternatives_share_the_keywords_beside_them() -> None:
    form = Form(
        {
            "type": "object",
            "properties": {"common": {"type": "string"}},
            "oneOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"b": {"type": "integer"}}}],
        }
    )
    form.choose_variant((), 1)
    assert [field.name for field in form.root.target.children] == ["common", "b"]


def test_alternatives_that_only_require_keys_are_left_to_the_check() -> None:
    form = Form(
        {"type": "object", "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    )
    assert form.root.kind == "object"
    assert form.problems() != []
    form.set_text(("b",), "1")
    assert form.problems() == []


def test_the_only_alternative_is_no_alternative() -> None:
    field = field_of({"anyOf": [{"type": "integer", "minimum": 1}], "title": "N"})
    assert (field.kind, field.title, field.constraints) == ("integer", "N", ["at least 1"])


def test_no_field_has_the_path_of_another_alternative() -> None:
    several = {"oneOf": [{"minimum": 1}, {"maximum": 5}], "anyOf": [{"type": "integer"}, {"type": "string"}]}
    form = Form({"properties": {"x": several}})
    form.choose_variant(("x",), 1)
    assert [field.kind for field in form.fields()] == ["object", "variant", "json"]


def test_a_recursive_schema_is_opened_as_far_as_it_is_filled_in() -> None:
    node = {"type": "object", "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}}
    form = Form({"$ref": "#/$defs/node", "$defs": {"node": node}})
    assert len(list(form.fields())) == 3
    form.set_text(("next", "next", "value"), "5")
    assert form.value() == {"next": {"next": {"value": 5}}}
