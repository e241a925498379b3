"""What changed between two schemas, and for whom that is breaking."""

from typing import Any

from hypothesis import given

from tests.tables import each_row
from tests.workbench.model.forms.schemas import SCHEMAS
from tests.workbench.model.forms.test_hostile_schemas import ALL_OF, NESTED, branching, doubling
from workbench.model.definitions.change import DefinitionChange, Verdict, verdict_text
from workbench.model.definitions.schema_comparison import SchemaRole, schema_changes

OPEN: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}}}
CLOSED = {**OPEN, "additionalProperties": False}
TEXT = {"type": "string"}


def parameters(old: Any, new: Any) -> list[DefinitionChange]:
    return schema_changes(old, new, SchemaRole.PARAMETERS)


def results(old: Any, new: Any) -> list[DefinitionChange]:
    return schema_changes(old, new, SchemaRole.RESULTS)


def of_parameter(old: Any, new: Any) -> list[DefinitionChange]:
    """Return the changes of a parameter `a`."""
    return parameters(*({"type": "object", "properties": {"a": schema}} for schema in (old, new)))


@each_row(
    ("old", "new", "sentence"),
    [
        (TEXT, {"type": "integer"}, "`a` is integer now, not string."),
        ({"type": "number"}, {"type": "integer"}, "`a` is integer now, not number."),
        ({"enum": ["x", "y"]}, {"enum": ["x"]}, '`a` may no longer be "y".'),
        (TEXT, {"enum": ["x"], "type": "string"}, '`a` may only be "x" now.'),
        ({"type": "integer"}, {"type": "integer", "minimum": 2}, "`a` has a minimum now: 2."),
        ({"maximum": 9}, {"maximum": 5}, "`a` has the maximum 5 now, not 9."),
        (TEXT, {**TEXT, "pattern": "^a"}, '`a` has a pattern now: "^a".'),
        ({"anyOf": [TEXT, {"type": "null"}]}, TEXT, "`a` is never null any more."),
        ({"type": ["string", "null"]}, TEXT, "`a` is never null any more."),
        ({"type": "array"}, {"type": "array", "items": TEXT}, "`a[]` is string now, not any."),
        ({"type": "array"}, {"type": "array", "uniqueItems": True}, "`a` must have no duplicate items now."),
        (
            {"oneOf": [{"const": "r", "title": "red"}, {"const": "g"}]},
            {"oneOf": [{"const": "r", "title": "red"}]},
            '`a` may no longer be "g".',
        ),
        (OPEN, {**OPEN, "required": ["a"]}, "`a.a` is required now."),
    ],
)
def test_a_narrower_parameter_is_breaking_for_callers(old: Any, new: Any, sentence: str) -> None:
    changes = of_parameter(old, new)
    assert [change.sentence for change in changes if change.is_breaking] == [sentence]
    assert verdict_text(changes) == "breaking for callers"
    # The opposite change is not.
    assert verdict_text(of_parameter(new, old)) == "not breaking" or "type" in str(new)


@each_row(
    ("old", "new", "verdict"),
    [
        (OPEN, {**OPEN, "properties": {**OPEN["properties"], "b": TEXT}, "required": ["b"]}, Verdict.CALLERS),
        (OPEN, {**OPEN, "properties": {**OPEN["properties"], "b": TEXT}}, Verdict.NONE),
        (CLOSED, {**CLOSED, "properties": {}}, Verdict.CALLERS),
        (OPEN, {**OPEN, "properties": {}}, Verdict.CALLERS),
        (OPEN, {**OPEN, "properties": {}, "additionalProperties": True}, Verdict.NONE),
        (OPEN, {"type": "object"}, Verdict.NONE),
        (OPEN, CLOSED, Verdict.CALLERS),
        (CLOSED, OPEN, Verdict.NONE),
    ],
)
def test_added_and_removed_parameters(old: Any, new: Any, verdict: Verdict) -> None:
    assert [change.verdict for change in parameters(old, new)] == [verdict]


def test_an_added_required_parameter_is_one_change() -> None:
    new = {**OPEN, "properties": {**OPEN["properties"], "b": TEXT}, "required": ["b"]}
    assert parameters(OPEN, new) == [DefinitionChange(("properties", "b"), "`b` is new and required.", Verdict.CALLERS)]


def test_a_wider_result_is_breaking_for_its_readers() -> None:
    required = {**OPEN, "required": ["a"]}
    assert results(required, OPEN) == [DefinitionChange(("required",), "`a` is optional now.", Verdict.READERS)]
    assert verdict_text(results(OPEN, required)) == "not breaking"
    assert verdict_text(results(OPEN, {"type": "object"})) == "breaking for readers of results"
    assert verdict_text(results({"enum": ["x"]}, {"enum": ["x", "y"]})) == "breaking for readers of results"


def test_notes_are_changes_that_break_nothing() -> None:
    changes = of_parameter({**TEXT, "default": "x", "description": "A."}, {**TEXT, "default": "y", "description": "B."})
    assert [change.sentence for change in changes] == [
        '`a` has the default "y" now, not the default "x".',
        "`a` has another description.",
    ]
    assert verdict_text(changes) == "not breaking"


def test_a_change_has_a_path_through_definitions() -> None:
    def order(limit: int) -> dict[str, Any]:
        item = {"type": "object", "properties": {"count": {"type": "integer", "maximum": limit}}}
        return {
            "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/Item"}}},
            "$defs": {"Item": item},
        }

    (change,) = parameters(order(9), order(5))
    assert change.place == "properties.items.items.properties.count.maximum"
    assert change.sentence == "`items[].count` has the maximum 5 now, not 9."


def test_moving_a_schema_to_the_definitions_changes_nothing() -> None:
    inline = {"properties": {"a": TEXT}}
    assert parameters(inline, {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": TEXT}}) == []


def test_a_cyclic_schema_is_compared_once() -> None:
    def tree(kind: str) -> dict[str, Any]:
        node = {"properties": {"value": {"type": kind}, "next": {"$ref": "#/$defs/Node"}}}
        return {"$ref": "#/$defs/Node", "$defs": {"Node": node}}

    assert [change.place for change in parameters(tree("string"), tree("integer"))] == ["properties.value.type"]


@each_row(
    "schema",
    [NESTED, ALL_OF, doubling("anyOf"), doubling("allOf"), branching()],
    ids=["nested", "all of", "doubling", "doubling all of", "branching"],
)
def test_a_schema_that_explodes_is_compared_in_part(schema: Any) -> None:
    assert all(not change.is_breaking for change in parameters(schema, schema))
    assert parameters(schema, {"type": "object"}) is not None


@given(SCHEMAS)
def test_a_schema_does_not_differ_from_itself(schema: Any) -> None:
    assert parameters(schema, schema) == []
    assert results(schema, schema) == []


@given(SCHEMAS, SCHEMAS)
def test_any_two_schemas_are_compared(old: Any, new: Any) -> None:
    changes = parameters(old, new)
    assert all(change.sentence.endswith(".") for change in changes)
    # Which changes there are does not depend on who has to respect the schema.
    assert [change.path for change in changes] == [change.path for change in results(old, new)]


@given(SCHEMAS)
def test_a_schema_that_accepts_nothing_is_breaking_for_callers(schema: Any) -> None:
    changes = parameters(schema, False)
    assert any(change.verdict is Verdict.CALLERS for change in changes) or parameters(schema, True) != []


def test_a_renamed_optional_parameter_of_a_nested_object_is_breaking_for_callers() -> None:
    def tagged(name: str) -> dict[str, Any]:
        return {"type": "object", "properties": {"item": {"type": "object", "properties": {name: {"type": "array"}}}}}

    verdicts = {change.path[-1]: change.verdict for change in parameters(tagged("tags"), tagged("labels"))}
    assert verdicts == {"tags": Verdict.CALLERS, "labels": Verdict.NONE}


@given(SCHEMAS)
def test_a_schema_that_accepts_anything_breaks_no_caller(schema: Any) -> None:
    assert not any(change.is_breaking for change in parameters(schema, True))
