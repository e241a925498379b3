"""Prompts: how their functions are written, what they may return, and what is wrong with them."""

import json
from collections.abc import Callable
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import BaseModel, Field

from server_core import Audio, Context, EmbeddedResource, Image, MCPApp, ResourceLink
from server_core.errors import ProtocolError, ToolInputError
from server_core.execution.prompts_and_resources import complete, get_prompt
from server_core.protocol.codes import INVALID_PARAMS
from server_core.types import (
    GetPromptResult,
    PromptArgument,
    PromptMessage,
    Resource,
    TextContent,
    TextResourceContents,
)
from tests.server_core.catalog.building.built import catalog_of
from tests.server_core.ports import FakePort
from tests.tables import each_row

pytestmark = pytest.mark.promises("resources and prompts")
CONTEXT = Context(FakePort(), 1)


async def rendered(app: MCPApp, name: str, **arguments: str) -> Any:
    """The text of its first message."""
    result = await get_prompt(catalog_of(app), name, arguments, CONTEXT)
    return result["messages"][0]["content"]["text"]


class Tone(Enum):
    """The tone."""

    KIND = "kind"
    KEEN = "keen"
    THIRD = 3


class Pair(BaseModel):
    """Two numbers."""

    left: int
    right: int


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (str, "3", "'3'"),
        (str, "", "''"),
        (int, " 3 ", "3"),
        (float, "2.5", "2.5"),
        (bool, "true", "True"),
        (bool, "no", "False"),
        (date, "2026-01-02", "datetime.date(2026, 1, 2)"),
        (Tone, "kind", "<Tone.KIND: 'kind'>"),
        (Tone, "3", "<Tone.THIRD: 3>"),
        (Literal["a", 1], "1", "1"),
        (Optional[int], "3", "3"),  # noqa: UP045
        (int | None, "null", "None"),
        (list[int], "[1, 2]", "[1, 2]"),
        (Pair, '{"left": 1, "right": 2}', "Pair(left=1, right=2)"),
        (Any, "x", "'x'"),
    ],
    ids=repr,
)
async def test_a_text_becomes_a_value_of_the_type(kind: Any, text: str, value: str) -> None:
    def typed(argument: Any) -> str:
        return repr(argument)

    typed.__annotations__["argument"] = kind
    app = MCPApp("x")
    app.prompt(typed)
    assert await rendered(app, "typed", argument=text) == value


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        (int, "many", "valid integer"),
        (int, "", "valid integer"),
        (bool, "perhaps", "valid boolean"),
        (date, "soon", "valid date"),
        (Tone, "rude", "'kind', 'keen' or 3"),
        (list[int], "[1, ", "valid list"),
        (Annotated[int, Field(le=9)], "10", "less than or equal to 9"),
    ],
    ids=repr,
)
async def test_an_invalid_text_is_reported_with_its_name(kind: Any, text: str, reason: str) -> None:
    def typed(argument: Any) -> str:
        return repr(argument)

    typed.__annotations__["argument"] = kind
    app = MCPApp("x")
    app.prompt(typed)
    with pytest.raises(ToolInputError, match=f"argument: .*{reason}"):
        await rendered(app, "typed", argument=text)


async def test_arguments_are_described_beside_their_types_and_in_the_docstring() -> None:
    app = MCPApp("x")

    @app.prompt(title="Review")
    def review(
        code: Annotated[str, "The code."],
        count: Annotated[int, "number", "How many."],
        style: str = "short",
        plain: str = "",
    ) -> str:
        """Ask for a review.

        Args:
            style: How long.
        """
        return f"{code} {count} {style}"

    assert catalog_of(app).prompts["review"].definition == {
        "name": "review",
        "title": "Review",
        "description": "Ask for a review.",
        "arguments": [
            {"name": "code", "description": "The code.", "required": True},
            {"name": "number", "description": "How many.", "required": True},
            {"name": "style", "description": "How long.", "required": False},
            {"name": "plain", "required": False},
        ],
    }
    assert await rendered(app, "review", code="x", number="2") == "x 2 short"


async def test_an_argument_that_may_be_none_may_be_left_out() -> None:
    app = MCPApp("x")
    app.prompt(name="p")(_optional)
    assert catalog_of(app).prompts["p"].arguments[0].required is False
    assert await rendered(app, "p") == "None"


def _optional(count: int | None) -> str:
    return f"{count}"


async def test_a_missing_argument_and_an_unknown_prompt_are_refused_as_specified() -> None:
    app = MCPApp("x")

    @app.prompt
    def review(code: str) -> str:
        return code

    for name, message in (("review", "Prompt 'review' needs the argument 'code'"), ("x", "Unknown prompt: 'x'")):
        with pytest.raises(ProtocolError, match=message) as caught:
            await get_prompt(catalog_of(app), name, {}, CONTEXT)
        assert caught.value.code == INVALID_PARAMS


CODE = PromptArgument(name="code", description="The code.", required=True)
LANGUAGE = PromptArgument(name="language", description="Its language.")


def of_all(args: dict[str, str]) -> str:
    return json.dumps(args)


async def of_all_async(args: dict[str, str]) -> str:
    return json.dumps(args)


def of_context_and_all(context: Context, args: dict[str, str]) -> str:
    return f"{context.request_id} {json.dumps(args)}"


def untyped(args):  # type: ignore[no-untyped-def]
    return json.dumps(args)


def untyped_with_context(context, args):  # type: ignore[no-untyped-def]
    return f"{context.request_id} {json.dumps(args)}"


@pytest.mark.parametrize(
    ("handler", "before"),
    [
        (of_all, ""),
        (of_all_async, ""),
        (of_context_and_all, "1 "),
        (untyped, ""),
        (untyped_with_context, "1 "),
        (lambda args: json.dumps(args), ""),
    ],
)
async def test_a_function_may_take_all_arguments_as_a_dict(handler: Any, before: str) -> None:
    app = MCPApp("x")
    app.prompt(name="review", title="Request", description="D.", arguments=[CODE, LANGUAGE])(handler)
    assert catalog_of(app).prompts["review"].definition == {
        "name": "review",
        "title": "Request",
        "description": "D.",
        "arguments": [
            {"name": "code", "description": "The code.", "required": True},
            {"name": "language", "description": "Its language.", "required": False},
        ],
    }
    assert await rendered(app, "review", code="x") == before + '{"code": "x"}'
    assert await rendered(app, "review", code="x", language="py") == before + '{"code": "x", "language": "py"}'
    with pytest.raises(ProtocolError, match="needs the argument 'code'"):
        await rendered(app, "review", language="py")


async def test_a_dict_without_declared_arguments_gets_all_of_them() -> None:
    app = MCPApp("x")
    app.prompt(of_all)
    assert catalog_of(app).prompts["of_all"].definition["arguments"] == []
    assert await rendered(app, "of_all") == "{}"


async def test_declared_arguments_describe_the_parameters_with_the_same_names() -> None:
    app = MCPApp("x")

    @app.prompt(arguments=[CODE])
    def review(code: str) -> str:
        return code

    assert catalog_of(app).prompts["review"].arguments[0].description == "The code."
    assert await rendered(app, "review", code="x") == "x"


@each_row(
    ("arguments", "message"),
    [
        ([CODE, LANGUAGE], "The function does not accept the argument 'language'."),
        (
            [PromptArgument(name="code")],
            "The parameter 'code' has no default, but the argument is not declared as required.",
        ),
        ([{"title": "nameless"}], "Its arguments are not valid."),
        ([{"name": "code", "description": 3}], "Its arguments are not valid."),
        (3, "Its arguments are not valid."),
    ],
)
def test_arguments_that_the_function_does_not_take_are_a_problem(arguments: Any, message: str) -> None:
    app = MCPApp("x")

    @app.prompt(arguments=arguments)
    def review(code: str) -> str:
        return code

    _, (problem,) = app.build()
    assert message in problem.message


class Message(BaseModel):
    """A message as another library has it."""

    role: str
    content: dict[str, Any]
    extra: int | None = None


TEXT = {"type": "text", "text": "t"}


def returning(value: Any) -> Callable[[], Any]:
    """Return a function that returns a value."""
    return lambda: value


async def test_any_result_of_a_function_becomes_messages() -> None:
    for value, messages in (
        ("t", [("user", TEXT)]),
        ({"role": "assistant", "content": "t"}, [("assistant", TEXT)]),
        (PromptMessage(role="user", content=TEXT), [("user", TEXT)]),
        (PromptMessage(role="user", content=TextContent(text="t")), [("user", TEXT)]),
        (PromptMessage(role="user", content="t"), [("user", TEXT)]),
        (Message(role="user", content=TEXT), [("user", TEXT)]),
        (("t", {"role": "assistant", "content": ["t", Image(b"\x00")]}), None),
        (TextContent(text="t"), [("user", TEXT)]),
        (Audio(b"\x00"), [("user", {"type": "audio", "data": "AA==", "mimeType": "audio/wav"})]),
        (
            EmbeddedResource("x://a", "t", "text/x"),
            [("user", {"type": "resource", "resource": {"uri": "x://a", "mimeType": "text/x", "text": "t"}})],
        ),
        (
            PromptMessage(role="user", content=TextResourceContents(uri="x://a", text="t")),
            [("user", {"type": "resource", "resource": {"uri": "x://a", "text": "t"}})],
        ),
        (ResourceLink("x://a"), [("user", {"type": "resource_link", "uri": "x://a", "name": "x://a"})]),
        (
            [Resource(uri="x://a", name="a"), "t"],
            [("user", {"type": "resource_link", "uri": "x://a", "name": "a"}), ("user", TEXT)],
        ),
        ([], []),
    ):
        app = MCPApp("x")
        app.prompt(name="p")(returning(value))
        if messages is None:
            image = {"type": "image", "data": "AA==", "mimeType": "image/png"}
            messages = [("user", TEXT), ("assistant", TEXT), ("assistant", image)]
        result = await get_prompt(catalog_of(app), "p", {}, None)
        assert result == {"messages": [{"role": role, "content": content} for role, content in messages]}


async def test_a_function_may_return_the_whole_result() -> None:
    app = MCPApp("x")
    app.prompt(name="p", description="Of the prompt.")(
        lambda: GetPromptResult(description="Of this one.", messages=[PromptMessage(role="user", content="t")])
    )
    assert await get_prompt(catalog_of(app), "p", {}, None) == {
        "description": "Of this one.",
        "messages": [{"role": "user", "content": TEXT}],
    }


@pytest.mark.parametrize("value", [3, None, {"text": "t"}, [["t"]], b"t"], ids=repr)
async def test_an_invalid_message_is_the_authors_mistake(value: Any) -> None:
    app = MCPApp("x")
    app.prompt(name="p")(returning(value))
    with pytest.raises(TypeError, match="a prompt's message must be text or content, not"):
        await get_prompt(catalog_of(app), "p", {}, None)


async def test_arguments_that_are_a_choice_are_completed_without_the_author_writing_anything() -> None:
    app = MCPApp("x")

    @app.prompt
    def letter(tone: Tone, formal: bool = True, size: Literal["big", "small"] | None = None, to: str = "") -> str:
        return ""

    async def proposed(argument: str, value: str) -> Any:
        ref = {"type": "ref/prompt", "name": "letter"}
        result = await complete(catalog_of(app), ref, {"name": argument, "value": value}, {}, None)
        return result["completion"]["values"]

    assert await proposed("tone", "KE") == ["keen"]
    assert await proposed("tone", "") == ["kind", "keen", "3"]
    assert await proposed("formal", "f") == ["false"]
    assert await proposed("size", "s") == ["small"]
    assert await proposed("to", "") == []
    app.completion("letter", "tone")(lambda value: ["own"])
    assert await proposed("tone", "") == ["own"]
