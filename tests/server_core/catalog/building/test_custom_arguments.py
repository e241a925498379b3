"""Tools whose authors wrote the schemas: what clients and functions get, and the findings."""

from typing import TYPE_CHECKING, Any

import pytest

from server_core import Context
from server_core.errors import ToolInputError
from server_core.protocol.revisions import REVISIONS
from tests.server_core.catalog.building.test_custom_schemas import EVERYTHING
from tests.server_core.ports import Call, problems_of, text_of, tool_of
from tests.tables import each_row

if TYPE_CHECKING:
    from collections.abc import Sequence as Nothing

QUERY = {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}
NEEDED = {**QUERY, "required": ["query"]}


def search(query: Any, limit: Any = 10) -> str:
    return f"{query} {limit}"


@each_row("date", REVISIONS)
def test_the_schema_is_sent_word_for_word_in_every_revision(date: str) -> None:
    tool = tool_of(lambda **arguments: None, input_schema=EVERYTHING, name="x")
    assert tool.definition_for(REVISIONS[date])["inputSchema"] == EVERYTHING


def test_arguments_that_fit_arrive_as_they_came() -> None:
    tool = tool_of(search, input_schema=NEEDED)
    assert tool.bind({"query": "x"}) == {"query": "x"}
    assert tool.bind({"query": "x", "limit": 3, "other": 1}) == {"query": "x", "limit": 3}


def test_a_function_that_accepts_any_name_gets_every_argument() -> None:
    def anything(query: str, **rest: Any) -> str:
        return query

    arguments = {"query": "x", "user-id": 3, "class": None}
    assert tool_of(anything, input_schema=NEEDED).bind(arguments) == arguments


def test_arguments_that_do_not_fit_are_refused_as_those_with_types_are() -> None:
    tool = tool_of(search, input_schema={**NEEDED, "additionalProperties": False})
    with pytest.raises(ToolInputError) as caught:
        tool.bind({"limit": "many", "x": 1})
    assert str(caught.value) == (
        'Invalid input: limit: Input is not of type "integer"; x: Extra inputs are not permitted; query: Field required'
    )
    assert caught.value.developer_message == "limit[type], x[additionalProperties], query[required]"


def test_only_the_first_of_many_mistakes_are_reported() -> None:
    tool = tool_of(search, input_schema={**NEEDED, "additionalProperties": False})
    with pytest.raises(ToolInputError, match=r"; and 10 more$"):
        tool.bind({"query": "x", **{str(number): number for number in range(30)}})


async def test_such_a_tool_runs_with_its_context() -> None:
    async def greet(name: Any, context: Context, **rest: Any) -> str:
        return f"{name} {context.request_id} {sorted(rest)}"

    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    call = Call(greet, input_schema=schema)
    assert text_of(await call.run(name="Ada", more=1)) == "Ada 7 ['more']"
    result = await call.run(name=3)
    assert result["isError"] is True
    assert text_of(result).endswith(" tool 'greet': Invalid input: name: Input is not of type \"string\"")


def test_parameters_need_no_types_where_a_schema_is_given() -> None:
    assert tool_of(lambda query, limit=1: None, name="x", input_schema=NEEDED).bind({"query": 3 * "x"}) == {
        "query": "xxx"
    }


def test_types_that_cannot_be_resolved_do_not_matter_where_a_schema_is_given() -> None:
    def late(query: "Nothing[str] | None" = None) -> "Nothing[str] | None":
        return query

    tool = tool_of(late, input_schema=QUERY | {"properties": {"query": {}}}, output_schema={})
    assert tool.bind({"query": [1]}) == {"query": [1]}


def test_differences_between_schema_and_function_are_reported() -> None:
    for function, schema, message in (
        (lambda: None, {"properties": {}}, "does not describe an object"),
        (lambda: None, {"type": "array"}, "does not describe an object"),
        (lambda: None, QUERY, "has the property 'query', but the function has no such parameter"),
        (
            lambda query, limit=1: None,
            QUERY,
            "The parameter 'query' has no default, but the input schema does not require it",
        ),
        (
            lambda other, **rest: None,
            QUERY,
            "The parameter 'other' has no default, but the input schema does not require it",
        ),
        (lambda query, /, **rest: None, NEEDED, "positional only"),
        (lambda **rest: None, {"$ref": "https://example.com/x"}, "cannot be used"),
        (lambda **rest: None, "object", "is str, not a dict"),
    ):
        assert any(message in problem for problem in problems_of(function, name="x", input_schema=schema))


def test_a_parameter_that_a_part_of_all_of_requires_needs_no_default() -> None:
    schema = {**QUERY, "allOf": [{"required": ["query"]}, True]}
    assert tool_of(search, input_schema=schema).bind({"query": "x"}) == {"query": "x"}


RESULTS: list[tuple[Any, Any, str]] = [
    # schema, value, text
    ({"type": "object", "required": ["a"]}, {"a": 1}, '{"a": 1}'),
    ({"type": "array", "items": {"type": "integer"}}, (1, 2), "[1, 2]"),
    ({"type": "string"}, "plain", "plain"),
    ({"type": ["integer", "null"]}, None, "null"),
    ({}, b"\xff", "_w=="),
]


@pytest.mark.parametrize(("schema", "value", "text"), RESULTS)
async def test_a_result_of_any_kind_is_structured_content_where_a_schema_is_given(
    schema: Any, value: Any, text: str
) -> None:
    call = Call(lambda: value, name="x", output_schema=schema)
    assert call.tool.definition["outputSchema"] == schema
    result = await call.run()
    assert text_of(result) == text
    assert "structuredContent" in result


@pytest.mark.parametrize("value", [{}, {"a": "x"}, "text", None, [1]])
async def test_a_result_that_does_not_fit_its_schema_is_an_error_that_repeats_nothing_of_it(value: Any) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    call = Call(lambda: value, name="x", output_schema=schema)
    result = await call.run()
    assert result["isError"] is True
    assert "structuredContent" not in result
    assert "does not match its declared type" in text_of(result)


def test_an_unusable_output_schema_is_reported() -> None:
    (problem,) = problems_of(lambda: None, name="x", output_schema={"type": "strin"})
    assert problem.startswith("Tool 'x': The output schema cannot be used: at type: ")


@pytest.mark.parametrize("arguments", [{"query": "x", "limit": "\ud800"}, {"query": "x", "\udfff": 1}])
def test_half_of_a_surrogate_pair_is_refused_as_bad_input(arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolInputError, match=r"^Invalid input: .*: Input should have no half of a surrogate pair"):
        tool_of(search, input_schema=NEEDED).bind(arguments)
