"""The parameters that HTTP headers repeat, read out of an input schema."""

from typing import Any

from server_core.protocol.header_parameters import header_parameters
from tests.tables import each_row


def annotated_schema(header: Any = "Region", type: Any = "string") -> dict[str, Any]:
    """The schema of an annotated parameter."""
    return {"type": type, "x-mcp-header": header}


def object_schema(properties: dict[str, Any], **others: Any) -> dict[str, Any]:
    """The schema of an object with these properties."""
    return {"type": "object", "properties": properties, **others}


def test_annotated_parameters_are_found_by_their_header_at_any_depth() -> None:
    schema = object_schema(
        {
            "region": annotated_schema(),
            "options": object_schema(
                {
                    "limit": annotated_schema("Limit", "integer"),
                    "deep": object_schema({"on": annotated_schema("X-On", "boolean")}),
                }
            ),
            "query": {"type": "string"},
        }
    )
    assert header_parameters(schema) == (
        {
            "mcp-param-region": ("region",),
            "mcp-param-limit": ("options", "limit"),
            "mcp-param-x-on": ("options", "deep", "on"),
        },
        [],
    )


def test_a_schema_without_annotations_has_none() -> None:
    for schema in (
        {},
        object_schema({}),
        True,
        None,
        [],
        "x",
        {"properties": []},
        object_schema({"a": True, "b": None}),
    ):
        assert header_parameters(schema) == ({}, [])


@each_row(
    "schema",
    [
        object_schema({"x-mcp-header": {"type": "array"}}),
        object_schema(
            {
                "a": {"const": annotated_schema()},
                "b": {"default": annotated_schema()},
                "c": {"enum": [annotated_schema()]},
            }
        ),
        object_schema({"a": {"examples": [annotated_schema()]}}),
        object_schema({}, required=["x-mcp-header"]),
    ],
    ids=["name of a property", "data", "example", "required"],
)
def test_data_in_a_schema_is_no_annotation(schema: dict[str, Any]) -> None:
    assert header_parameters(schema) == ({}, [])


def test_a_header_that_is_no_token_is_reported() -> None:
    for header in (
        "",
        " ",
        "a b",
        "Région",
        "a\r\nX-Evil: 1",
        "a\n",
        "a:",
        "(a)",
        "a/b",
        None,
        3,
        ["Region"],
        {"a": 1},
        True,
    ):
        _, (problem,) = header_parameters(object_schema({"region": annotated_schema(header)}))
        assert problem.startswith("the x-mcp-header of 'region' is ")
        assert problem.endswith("which cannot be part of a header's name")
        assert "\n" not in problem
        assert "\r" not in problem


def test_a_type_that_has_no_header_form_is_reported() -> None:
    for type in (
        "number",
        "object",
        "array",
        "null",
        None,
        ["string", "null"],
        3,
        {},
    ):
        _, problems = header_parameters(object_schema({"a": object_schema({"b": annotated_schema(type=type)})}))
        assert problems == ["'a.b' has an x-mcp-header, but its type is not string, integer or boolean"]


def test_a_missing_type_is_reported() -> None:
    _, problems = header_parameters(object_schema({"a": {"x-mcp-header": "A"}}))
    assert len(problems) == 1


def test_two_headers_that_differ_in_case_alone_are_reported() -> None:
    _, problems = header_parameters(
        object_schema({"a": annotated_schema("Region"), "b": object_schema({"c": annotated_schema("REGION")})})
    )
    assert problems == ["'b.c' and 'a' have the same x-mcp-header, 'REGION'"]


def test_an_annotation_outside_properties_is_reported() -> None:
    for schema in (
        object_schema({"a": {"type": "array", "items": annotated_schema()}}),
        object_schema({"a": {"type": "array", "items": object_schema({"b": annotated_schema()})}}),
        object_schema({"a": {"type": "array", "items": [annotated_schema()]}}),
        object_schema({"a": {"type": "array", "prefixItems": [annotated_schema()]}}),
        object_schema({}, allOf=[object_schema({"a": annotated_schema()})]),
        object_schema({"a": {"anyOf": [annotated_schema(), {"type": "null"}]}}),
        object_schema({"a": {"oneOf": [annotated_schema()]}}),
        object_schema({"a": {"not": annotated_schema()}}),
        object_schema({}, **{"if": object_schema({"a": annotated_schema()})}),
        object_schema({}, then=object_schema({"a": annotated_schema()})),
        object_schema({}, **{"else": object_schema({"a": annotated_schema()})}),
        object_schema({"a": {"$ref": "#/$defs/r"}}, **{"$defs": {"r": annotated_schema()}}),
        object_schema({}, definitions={"r": object_schema({"a": annotated_schema()})}),
        object_schema({}, additionalProperties=annotated_schema()),
        object_schema({}, patternProperties={"^a": annotated_schema()}),
        object_schema({}, dependentSchemas={"a": object_schema({"b": annotated_schema()})}),
        object_schema({"a": {"contains": annotated_schema()}}),
        object_schema({}, unevaluatedProperties=annotated_schema()),
        object_schema({}, propertyNames=annotated_schema()),
    ):
        _, problems = header_parameters(schema)
        assert problems == ["x-mcp-header 'Region' is not permitted behind other keywords than `properties`"]


def test_an_annotation_of_the_root_is_reported() -> None:
    _, problems = header_parameters({"type": "object", "x-mcp-header": "Root"})
    assert problems == ["x-mcp-header 'Root' is not permitted at the root of the schema"]


def test_every_problem_is_reported_in_the_order_of_writing() -> None:
    schema = object_schema(
        {
            "a": annotated_schema(""),
            "b": annotated_schema("Fine"),
            "c": annotated_schema("C", "number"),
            "d": annotated_schema("fine"),
        }
    )
    headers, problems = header_parameters(schema)
    assert headers == {"mcp-param-fine": ("b",)}
    assert [problem.partition("'")[2][0] for problem in problems] == ["a", "c", "d"]


def test_a_schema_that_is_nested_beyond_measure_is_read() -> None:
    schema: dict[str, Any] = annotated_schema("Deep")
    for _ in range(5000):
        schema = object_schema({"a": schema})
    headers, problems = header_parameters(schema)
    assert problems == []
    assert len(headers["mcp-param-deep"]) == 5000
