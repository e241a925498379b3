"""Which parameters of a tool have another name in the next version of its schema."""

from typing import Any

from tests.tables import each_row
from workbench.model.definitions.renamed_parameters import renamed_parameters

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


@each_row(
    ("before", "after", "renamed"),
    [
        ({"a": TEXT, "n": NUMBER}, {"b": TEXT, "n": NUMBER}, {"a": "b"}),
        ({"a": TEXT | {"title": "A", "description": "Of a"}}, {"b": TEXT | {"title": "B"}}, {"a": "b"}),
        ({"a": TEXT, "n": NUMBER}, {"m": NUMBER, "b": TEXT}, {"a": "b", "n": "m"}),
        ({"a": TEXT}, {"b": NUMBER}, {}),
        ({"a": TEXT}, {"b": TEXT, "c": TEXT}, {}),
        ({"a": TEXT, "b": TEXT}, {"c": TEXT}, {}),
        ({"a": TEXT}, {"a": TEXT, "b": TEXT}, {}),
        ({"a": {"const": 1}}, {"b": {"const": True}}, {}),
        ({"a": {"enum": ["x"], "type": "string"}}, {"b": {"type": "string", "enum": ["x"]}}, {"a": "b"}),
    ],
)
def test_a_parameter_is_renamed_if_exactly_one_new_has_its_schema(
    before: dict[str, Any], after: dict[str, Any], renamed: dict[str, str]
) -> None:
    assert renamed_parameters({"properties": before}, {"properties": after}) == renamed


def test_a_schema_without_properties_has_no_renamed_parameters() -> None:
    for schema in (True, None, {}, {"properties": 1}):
        assert renamed_parameters(schema, {"properties": {"a": TEXT}}) == {}
        assert renamed_parameters({"properties": {"a": TEXT}}, schema) == {}
