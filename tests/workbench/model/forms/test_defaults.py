"""The defaults of a form fill the fields that are left empty."""

from typing import Any

import pytest

from workbench.model.forms.defaults import missing, with_defaults

SCHEMA = {
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


def test_what_is_not_filled_in_gets_its_default() -> None:
    assert with_defaults(SCHEMA, {}) == {"name": "John Doe", "age": 30, "verified": False, "colors": ["red"]}


def test_what_is_filled_in_stays() -> None:
    filled = {"name": "", "age": 0, "verified": True, "more": 1}
    assert with_defaults(SCHEMA, filled) == filled | {"colors": ["red"]}


def test_what_has_to_be_filled_in_and_is_not_is_named() -> None:
    assert missing(SCHEMA, with_defaults(SCHEMA, {})) == ["note"]
    assert missing(SCHEMA, {"name": "x", "note": ""}) == []


@pytest.mark.parametrize("schema", [None, [], "x", {}, {"properties": []}, {"properties": {}, "required": "name"}])
def test_a_schema_that_is_none_has_no_defaults(schema: Any) -> None:
    assert with_defaults(schema, {"a": 1}) == {"a": 1}
    assert missing(schema, {}) == []
