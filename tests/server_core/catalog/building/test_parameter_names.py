"""Names and descriptions of parameters: beside their types, in fields, and as clients call them."""

from typing import Annotated, Any

import pytest
from pydantic import Field

from server_core import Inferrable, MCPApp
from server_core.errors import ToolInputError
from server_core.execution.prompts_and_resources import get_prompt
from tests.server_core.execution.app_client import Client
from tests.server_core.ports import FakePort, problems_of, tool_of
from tests.tables import each_row

pytestmark = pytest.mark.promises("types")


def _two_texts(own: Annotated[int, "count", "how many"]) -> int:
    return own


def _alias(own: Annotated[int, Field(alias="count", description="how many")]) -> int:
    return own


def _alias_as_default(own: int = Field(alias="count", description="how many")) -> int:
    return own


@each_row("function", [_two_texts, _alias, _alias_as_default])
def test_a_renamed_parameter_is_listed_and_called_by_its_new_name(function: Any) -> None:
    tool = tool_of(function)
    assert tool.input_schema["properties"] == {"count": {"type": "integer", "description": "how many"}}
    assert tool.input_schema["required"] == ["count"]
    assert tool.bind({"count": 3}) == {"own": 3}


def test_calling_a_renamed_parameter_by_its_name_in_python_reports_the_new_name() -> None:
    with pytest.raises(ToolInputError) as caught:
        tool_of(_two_texts).bind({"own": 3})
    assert caught.value.message == (
        "Invalid input: count: Field required; own: Extra inputs are not permitted; this parameter is called 'count'"
    )


def test_issues_of_a_renamed_parameter_have_its_new_name() -> None:
    with pytest.raises(ToolInputError, match="Invalid input: count: Input should be a valid integer"):
        tool_of(_two_texts).bind({"count": "x"})


def test_a_renamed_parameter_has_its_default_also_for_null() -> None:
    def take(own: Annotated[int, "count", "how many"] = 3, other: Annotated[int | None, "more", "or none"] = 4) -> int:
        return own

    tool = tool_of(take)
    assert tool.input_schema["properties"]["count"]["default"] == 3
    assert tool.bind({}) == {}
    assert tool.bind({"count": None, "more": None}) == {"other": None}


def test_two_parameters_may_swap_their_names() -> None:
    def take(a: Annotated[int, "b", "the second"], b: Annotated[str, "a", "the first"]) -> None: ...

    assert tool_of(take).bind({"a": "x", "b": 1}) == {"a": 1, "b": "x"}


async def test_a_renamed_parameter_is_called_by_its_new_name_over_the_wire() -> None:
    app = MCPApp("names", toolkit="")
    app.tool(desc="Count.")(_two_texts)
    client = Client(app)
    result = (await client.request("tools/call", name="_two_texts", arguments={"count": 3}))["result"]
    assert result["structuredContent"] == {"result": 3}
    refused = (await client.request("tools/call", name="_two_texts", arguments={"own": 3}))["result"]
    assert "this parameter is called 'count'" in refused["content"][0]["text"]


def _bad_name(a: Annotated[int, "123bad", "what"]) -> None: ...
def _too_many(a: Annotated[int, "n", "d", "x"]) -> None: ...
def _same_names(a: Annotated[int, "x", "one"], b: Annotated[int, "x", "two"]) -> None: ...
def _duplicate(a: Annotated[int, "b", "one"], b: int) -> None: ...
def _two_defaults(a: Annotated[int, Field(default=1)] = 2) -> None: ...
def _no_factory(a: int = Field(default_factory=3)) -> None: ...  # type: ignore[arg-type]


def test_labels_and_fields_that_make_no_sense_are_problems() -> None:
    for function, message in (
        (_bad_name, "Invalid parameter name: '123bad' is not a valid identifier. "),
        (_too_many, "Parameter a: typing.Annotated[int, 'n', 'd', 'x'] has too many string annotations. "),
        (_same_names, "The parameters 'a' and 'b' have the same name for clients: 'x'."),
        (_duplicate, "The parameters 'a' and 'b' have the same name for clients: 'b'."),
        (_two_defaults, "Parameter 'a' has two defaults."),
        (_no_factory, "Default factory for parameter a is not callable."),
    ):
        (problem,) = problems_of(function)
        assert message in problem


def test_a_default_in_a_field_beside_the_type_counts() -> None:
    def take(
        a: Annotated[int, Field(default=3, ge=1)], b: Annotated[list[int], Field(default_factory=list)]
    ) -> None: ...

    tool = tool_of(take)
    assert "required" not in tool.input_schema
    assert tool.input_schema["properties"]["a"] == {"type": "integer", "minimum": 1, "default": 3}
    assert tool.bind({"a": None}) == {"a": 3, "b": []}


def test_fields_count_in_both_places_together() -> None:
    def take(a: Annotated[int, Field(ge=1)] = Field(default=3, le=5, description="how many")) -> None: ...

    assert tool_of(take).input_schema["properties"]["a"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 5,
        "default": 3,
        "description": "how many",
    }


@each_row(
    ("annotation", "default"),
    [
        (Annotated[int, "mine"], Field(description="not this")),
        (Annotated[int, "mine", Field(description="not this")], Field(ge=1)),
        (Annotated[int, Field(description="not this"), "mine"], 3),
        (Annotated[int, "a", "mine"], Field(default=3, description="not this")),
    ],
)
def test_a_text_beside_the_type_overrides_the_description_of_a_field(annotation: Any, default: Any) -> None:
    def take(a: annotation = default) -> None: ...

    assert tool_of(take).input_schema["properties"]["a"]["description"] == "mine"


def test_an_optional_parameter_with_a_field_need_not_be_given() -> None:
    def take(a: int | None = Field(description="or none")) -> None: ...

    tool = tool_of(take)
    assert "required" not in tool.input_schema
    assert tool.bind({}) == {"a": None}


def test_a_parameter_that_is_not_inferrable_is_marked_in_the_schema() -> None:
    def take(account: Annotated[str, "Which one.", Inferrable(False)], text: Annotated[str, Inferrable()]) -> None: ...

    properties = tool_of(take).input_schema["properties"]
    assert properties["account"] == {"type": "string", "description": "Which one.", "x-inferrable": False}
    assert properties["text"] == {"type": "string"}


async def test_the_argument_of_a_prompt_has_its_new_name_too() -> None:
    app = MCPApp("names", toolkit="")

    @app.prompt
    def letter(to: Annotated[str, "recipient", "who gets it"]) -> str:
        return f"Dear {to}"

    from server_core import Context

    catalog, problems = app.build()
    assert problems == ()
    (argument,) = catalog.prompts["letter"].definition["arguments"]
    assert argument == {"name": "recipient", "description": "who gets it", "required": True}
    prompt = await get_prompt(catalog, "letter", {"recipient": "Ada"}, Context(FakePort(), 1))
    assert prompt["messages"][0]["content"]["text"] == "Dear Ada"
