"""The defaults of a form in an elicitation."""

from typing import Any

from tests.tables import each_row
from workbench.model.rules.form_defaults import missing_fields, with_defaults

DEFAULTS_SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "verified": {"type": "boolean", "default": False},
        "colors": {"type": "array", "items": {"enum": ["red"]}, "default": ["red"]},
        "note": {"type": "string"},
        "odd": True,
    },
    "required": ["name", "note"],
}


def test_omitted_values_get_their_defaults() -> None:
    assert with_defaults(DEFAULTS_SCHEMA, {}) == {"name": "John Doe", "age": 30, "verified": False, "colors": ["red"]}


def test_filled_in_values_stay() -> None:
    filled = {"name": "", "age": 0, "verified": True, "more": 1}
    assert with_defaults(DEFAULTS_SCHEMA, filled) == filled | {"colors": ["red"]}


def test_missing_required_fields_are_named() -> None:
    assert missing_fields(DEFAULTS_SCHEMA, with_defaults(DEFAULTS_SCHEMA, {})) == ["note"]
    assert missing_fields(DEFAULTS_SCHEMA, {"name": "x", "note": ""}) == []


@each_row("schema", [None, [], "x", {}, {"properties": []}, {"properties": {}, "required": "name"}])
def test_a_schema_that_is_none_has_no_defaults(schema: Any) -> None:
    assert with_defaults(schema, {"a": 1}) == {"a": 1}
    assert missing_fields(schema, {}) == []
