"""The parameters of a schema as short texts."""

from typing import Any

from hypothesis import given

from tests.workbench.model.forms.schemas import SCHEMAS
from workbench.model.definitions.parameters import SchemaParameter, parameters


def test_a_parameter_has_type_limits_default_and_description() -> None:
    limit = {"type": "integer", "minimum": 1, "maximum": 20, "default": 5, "description": " How many. "}
    assert parameters({"properties": {"limit": limit}, "required": ["limit"]}) == [
        SchemaParameter("limit", "integer", True, ("1 to 20",), "5", "How many.")
    ]


def test_an_optional_value_has_the_limits_of_the_value() -> None:
    name = {"anyOf": [{"type": "string", "minLength": 3}, {"type": "null"}], "default": None}
    assert parameters({"properties": {"name": name}}) == [
        SchemaParameter("name", "string or null", False, ("at least 3 characters",), "null", "")
    ]


@given(SCHEMAS)
def test_any_schema_has_parameters_or_none(schema: Any) -> None:
    assert isinstance(parameters(schema), list)
