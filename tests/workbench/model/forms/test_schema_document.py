"""A form reads every subschema of its schema, whichever keyword it is in."""

from typing import Any

from tests.server_core.protocol.subschemas import AROUND, DATA
from tests.tables import each_row
from tests.workbench.model.forms.test_hostile_schemas import doubling
from workbench.model.forms.effort import Effort
from workbench.model.forms.form import Form
from workbench.model.forms.schema_document import SchemaDocument
from workbench.model.forms.validator import validator_for

NAMED = {"$anchor": "here", "type": "integer"}
OF_LISTS = {"additionalItems", "contains", "items", "items of draft 7", "prefixItems", "unevaluatedItems"}
OF_OBJECTS = {
    "additionalProperties", "dependencies", "dependentSchemas", "patternProperties", "properties", "propertyNames",
    "unevaluatedProperties",
}  # fmt: skip
UNCHECKED = {"$defs", "definitions", "contentSchema"}


@each_row("name", sorted(AROUND.keys() - UNCHECKED))
def test_the_effort_of_every_keyword_that_is_validated_is_counted(name: str) -> None:
    value: Any = [1] if name in OF_LISTS else {"a": 1} if name in OF_OBJECTS else 1
    bomb = doubling("allOf")["$defs"]
    assert not Effort({**AROUND[name]({"$ref": "#/$defs/s0"}), "$defs": bomb}).is_affordable(value)


@each_row("name", sorted(UNCHECKED))
def test_a_schema_that_is_not_validated_costs_nothing(name: str) -> None:
    bomb = doubling("allOf")["$defs"]
    schema = {**AROUND[name]({"$ref": "#/allOf/0/$defs/s0"}), "allOf": [{"$defs": bomb}]}
    assert Effort(schema).is_affordable(1)


def test_a_long_list_of_items_is_counted_by_place() -> None:
    schema = {"items": [{"type": "integer"}, {"$ref": "#/$defs/s0"}], "$defs": doubling("allOf")["$defs"]}
    assert Effort(schema).is_affordable([1])
    assert not Effort(schema).is_affordable([1, 1])


@each_row("around", AROUND.values(), ids=AROUND)
def test_an_anchor_is_known_in_every_place_of_a_schema(around: Any) -> None:
    assert SchemaDocument(around(NAMED)).resolve("#here") == NAMED


@each_row("around", DATA.values(), ids=DATA)
def test_data_has_no_anchors(around: Any) -> None:
    assert SchemaDocument(around(NAMED)).resolve("#here") is True
    assert SchemaDocument({**around({"$id": "here"}), "$defs": {"a": NAMED}}).resolve("#here") == NAMED


@each_row("around", AROUND.values(), ids=AROUND)
def test_an_unresolvable_reference_requires_nothing_in_any_place(around: Any) -> None:
    validator = validator_for({"type": "object", "properties": {"a": around({"$ref": "#/nowhere"})}})
    assert validator is not None
    assert not validator.is_valid(3)


@each_row("name", ["const", "default", "enum", "examples"])
def test_a_property_called_as_a_keyword_for_data_may_refer_to_nothing(name: str) -> None:
    form = Form({"type": "object", "properties": {name: {"$ref": "#/nowhere"}, "n": {"type": "integer"}}})
    form.load({name: 3, "n": "x"})
    assert [problem.path for problem in form.problems()] == [("n",)]


@each_row("around", DATA.values(), ids=DATA)
def test_data_that_resembles_a_reference_is_not_resolved(around: Any) -> None:
    value = {"$ref": "#/nowhere"}
    schema = {"properties": {"a": {"const": value}}, **around(value)}
    validator = validator_for(schema)
    assert validator is not None
    assert validator.is_valid({"a": value}) == schema.keys().isdisjoint(("const", "enum"))
    assert schema == {"properties": {"a": {"const": value}}, **around(value)}


def test_a_schema_that_only_a_reference_leads_to_is_checked() -> None:
    parts = {"A": {"type": "integer", "not": {"$ref": "#/nowhere"}}, "B": {"type": "integer"}}
    schema = {"properties": {"b": {"$ref": "#/components/schemas/B"}}, "components": {"schemas": parts}}
    form = Form(schema)
    form.load({"b": "x"})
    assert [problem.path for problem in form.problems()] == [("b",)]
    dead = {**schema, "properties": {"a": {"$ref": "#/components/schemas/A"}, "b": {"type": "integer"}}}
    form = Form(dead)
    form.load({"b": "x"})
    assert [problem.path for problem in form.problems()] == [("b",)]


def test_dependencies_of_draft_7_add_fields_as_dependent_schemas_do() -> None:
    card = {"properties": {"address": {"type": "string"}}}
    for keyword in ("dependentSchemas", "dependencies"):
        form = Form({"type": "object", "properties": {"card": {}}, keyword: {"card": card, "other": ["card"]}})
        assert form.field(("address",)).kind == "string"
