"""JSON Schemas that authors write: which are valid, and the issues of values."""

from typing import Any

from server_core.catalog.building.custom_schemas import MAX_ISSUES, SchemaChecker, read_custom_schema
from server_core.errors import ErrorKind
from tests.tables import each_row

KIND = ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA
EVERYTHING: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}}}},
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
    "x-mine": [1.0, None, {"a": "ü"}],
}


def checker(schema: Any) -> SchemaChecker:
    """What checks values against a schema that has no problem."""
    _, made, findings = read_custom_schema(schema, "input schema", KIND)
    assert findings == []
    assert made is not None
    return made


def refused(schema: Any) -> str:
    """Return the finding about an unusable schema."""
    _, made, (finding,) = read_custom_schema(schema, "input schema", KIND)
    assert made is None
    assert finding.kind is KIND
    assert finding.fix
    return finding.message


def issues_of(schema: Any, value: Any) -> list[str]:
    """Return the issues of a value, each as `location: message`."""
    return [f"{issue.field('all')}: {issue.message}" for issue in checker(schema).check(value)]


def test_a_schema_is_copied_word_for_word() -> None:
    copy, _, _ = read_custom_schema(EVERYTHING, "input schema", KIND)
    assert copy == EVERYTHING
    assert list(copy) == list(EVERYTHING)
    assert copy["properties"] is not EVERYTHING["properties"]


@each_row(
    "dialect",
    [
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2020-12/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-04/schema#",
    ],
)
def test_a_schema_is_read_in_the_dialect_that_it_names(dialect: str) -> None:
    assert issues_of({"$schema": dialect, "type": "integer"}, "x") == ['all: Input is not of type "integer"']


def test_a_schema_without_a_dialect_is_read_as_2020_12() -> None:
    assert issues_of({"prefixItems": [{"type": "integer"}]}, ["x"]) == ['0: Input is not of type "integer"']


@each_row("dialect", ["https://example.com/mine", "http://json-schema.org/draft-03/schema#", "", 3, ["x"]])
def test_an_unsupported_dialect_is_reported(dialect: Any) -> None:
    message = refused({"$schema": dialect, "type": "object"})
    assert message == f"The input schema is written in the dialect {dialect!r}, which is not supported."


@each_row("reference", ["https://127.0.0.1:9/schema.json", "file:///etc/passwd", "other.json"])
def test_references_are_never_fetched(reference: str) -> None:
    assert "cannot be used" in refused({"type": "object", "properties": {"a": {"$ref": reference}}})


def test_an_invalid_schema_is_reported() -> None:
    for schema, message in (
        (3, "is int, not a dict"),
        ("{}", "is str, not a dict"),
        (True, "is bool, not a dict"),
        ({"a": {1, 2}}, "cannot be represented in JSON"),
        ({"minimum": float("nan")}, "cannot be represented in JSON"),
        ({"type": "strin"}, "cannot be used: at type: "),
        ({"properties": {"a": {"type": "strin"}}}, "cannot be used: at properties.a.type: "),
        ({"pattern": "("}, "cannot be used: at pattern: "),
        ({"$ref": "#/$defs/nothing"}, "cannot be used: Pointer '/$defs/nothing' does not exist"),
        ({"required": "a"}, "cannot be used: at required: "),
    ):
        assert message in refused(schema)


def test_a_recursive_or_too_deeply_nested_schema_is_reported() -> None:
    endless: dict[str, Any] = {}
    endless["properties"] = {"a": endless}
    assert "cannot be represented in JSON" in refused(endless)
    deep: dict[str, Any] = {}
    for _ in range(400):
        deep = {"properties": {"a": deep}}
    assert "cannot be used" in refused(deep)


def test_issues_of_a_value_have_their_location() -> None:
    for schema, value, expected in (
        ({"required": ["a", "b"]}, {}, ["a: Field required", "b: Field required"]),
        (
            {"properties": {"a": {"properties": {"z": {}}, "additionalProperties": False}}},
            {"a": {"x": 1, "y": 2}},
            ["a.x: Extra inputs are not permitted", "a.y: Extra inputs are not permitted"],
        ),
        (
            {"properties": {"a": {"additionalProperties": False}}},
            {"a": {"x": 1, "y": 2}},
            ["a: Extra inputs are not permitted"],
        ),
        ({"unevaluatedProperties": False}, {"x": 1}, ["x: Extra inputs are not permitted"]),
        ({"properties": {"a": {"minLength": 3}}}, {"a": "x"}, ["a: Input is shorter than 3 characters"]),
        ({"properties": {"a": {"enum": [1, "b"]}}}, {"a": 2}, ['a: Input is not one of 1 or "b"']),
        ({"properties": {"a": {"format": "email"}}}, {"a": "x"}, ['a: Input is not a "email"']),
        ({"properties": {"a": False}}, {"a": 1}, ["a: Input is not permitted"]),
        ({"items": {"type": "integer"}}, [1, "x"], ['1: Input is not of type "integer"']),
        (
            {"anyOf": [{"type": "integer"}, {"required": ["a"]}]},
            {},
            ['all: Input matches none of the alternatives (Input is not of type "integer"; or a: Field required)'],
        ),
        ({"oneOf": [{}, {"type": "integer"}]}, 1, ["all: Input matches more than one of the alternatives"]),
    ):
        assert issues_of(schema, value) == expected


def test_all_keywords_of_a_large_schema_are_checked() -> None:
    assert issues_of(EVERYTHING, {"name": "Ada", "email": "a@b", "address": {"street": "x"}}) == []
    assert issues_of(EVERYTHING, {"contactMethod": "phone", "email": "a@b", "fax": "1", "address": {"street": 3}}) == [
        'address.street: Input is not of type "string"',
        "fax: Extra inputs are not permitted",
        "phone: Field required",
    ]


SECRET = "hunter2-value"


def test_issues_repeat_nothing_of_the_value() -> None:
    for schema in (
        {"type": "integer"},
        {"const": "other"},
        {"enum": ["other"]},
        {"pattern": "^x"},
        {"format": "email"},
        {"maxLength": 3},
        {"not": {"type": "string"}},
        {"anyOf": [{"type": "integer"}, {"maxLength": 3}]},
        {"oneOf": [{"type": "string"}, {"minLength": 1}]},
        {"$ref": "#/$defs/a", "$defs": {"a": {"const": "other"}}},
    ):
        wrapped = {**schema, "properties": {"a": schema}, "items": schema}
        for value in (SECRET, {"a": SECRET}, [SECRET]):
            issues = checker(wrapped).check(value)
            assert all(SECRET not in issue.message for issue in issues)
        assert checker(schema).check(SECRET)
        assert SECRET not in str(issues_of({"propertyNames": {"maxLength": 3}}, {SECRET: 1}))


def test_the_issues_of_a_value_are_bounded() -> None:
    assert len(checker({"items": {"type": "integer"}}).check(["x"] * (MAX_ISSUES * 3))) == MAX_ISSUES
