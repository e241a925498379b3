"""Parameters of every kind: their schemas, and the conversion of arguments."""

import dataclasses
import datetime
import enum
import typing
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, Union

import annotated_types
import jsonschema_rs
import pytest
import typing_extensions
from pydantic import BaseModel, ConfigDict, Field

from server_core import Context, MCPApp, ToolRuntimeError
from server_core.errors import ToolInputError
from tests.server_core.ports import problems_of, tool_of


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Guest(BaseModel):
    """Who comes."""

    name: str
    age: int | None = None


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    day: datetime.date


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Movie(typing.TypedDict, total=False):
    title: typing.Required[str]
    year: Annotated[int, "when it came out"]


class Tree(typing.TypedDict):
    name: str
    children: "list[Tree]"


class Modern(typing_extensions.TypedDict):
    a: int


CASES: list[tuple[Any, Any, Any, dict[str, Any]]] = [
    # annotation, value on the wire, value in Python, facts of the schema
    (str, "x", "x", {"type": "string"}),
    (int, 3, 3, {"type": "integer"}),
    (float, 1.5, 1.5, {"type": "number"}),
    (bool, True, True, {"type": "boolean"}),
    (Size, "small", Size.SMALL, {"enum": ["small", "large"], "type": "string"}),
    (Level, 2, Level.HIGH, {"enum": [1, 2], "type": "integer"}),
    (Literal["a", "b"], "a", "a", {"enum": ["a", "b"]}),
    (Literal[1, "b"], 1, 1, {"enum": [1, "b"]}),
    (Optional[int], None, None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045
    (Union[int, str], "x", "x", {"anyOf": [{"type": "integer"}, {"type": "string"}]}),  # noqa: UP007
    (int | list[str], ["x"], ["x"], {}),
    (Guest, {"name": "Ada"}, Guest(name="Ada"), {"required": ["name"], "description": "Who comes."}),
    (Strict, {"day": "2026-01-02"}, Strict(day=datetime.date(2026, 1, 2)), {}),
    (Point, {"x": 1}, Point(1), {"required": ["x"], "additionalProperties": False}),
    (Movie, {"title": "M"}, {"title": "M"}, {"required": ["title"], "additionalProperties": False}),
    (Tree, {"name": "a", "children": [{"name": "b", "children": []}]}, ..., {}),
    (Modern, {"a": 1}, {"a": 1}, {"required": ["a"]}),
    (list[int], [1], [1], {"type": "array", "items": {"type": "integer"}}),
    (list[list[int]], [[1]], [[1]], {}),
    (list[Guest], [{"name": "Ada"}], [Guest(name="Ada")], {}),
    (list[Movie], [{"title": "M"}], [{"title": "M"}], {}),
    (dict[str, Movie] | None, {"k": {"title": "M"}}, {"k": {"title": "M"}}, {}),
    (list, [1, "a"], [1, "a"], {"type": "array"}),
    (tuple[int, str], [1, "a"], (1, "a"), {"prefixItems": [{"type": "integer"}, {"type": "string"}]}),
    (tuple[int, ...], [1, 2], (1, 2), {"items": {"type": "integer"}}),
    (set[str], ["a"], {"a"}, {"uniqueItems": True}),
    (frozenset[int], [1], frozenset({1}), {"uniqueItems": True}),
    (dict, {"a": 1}, {"a": 1}, {"type": "object"}),
    (dict[str, int], {"a": 1}, {"a": 1}, {"additionalProperties": {"type": "integer"}}),
    (dict[int, str], {"1": "a"}, {1: "a"}, {}),
    (datetime.date, "2026-01-02", datetime.date(2026, 1, 2), {"format": "date"}),
    (datetime.datetime, "2026-01-02T03:04:05", datetime.datetime(2026, 1, 2, 3, 4, 5), {"format": "date-time"}),
    (datetime.time, "03:04:05", datetime.time(3, 4, 5), {"format": "time"}),
    (datetime.timedelta, "PT1M", datetime.timedelta(minutes=1), {"format": "duration"}),
    (uuid.UUID, "12345678-1234-5678-1234-567812345678", uuid.UUID("12345678123456781234567812345678"), {}),
    (Decimal, "1.10", Decimal("1.10"), {}),
    (bytes, "+/8=", b"\xfb\xff", {"contentEncoding": "base64"}),
    (bytes, "-_8=", b"\xfb\xff", {}),
    (Path, "a/b", Path("a/b"), {"format": "path"}),
    (Any, {"x": [1]}, {"x": [1]}, {}),
    (Annotated[int, Field(ge=1, le=5)], 5, 5, {"minimum": 1, "maximum": 5}),
    (Annotated[str, annotated_types.Len(2, 3)], "ab", "ab", {"minLength": 2, "maxLength": 3}),
    (Annotated[str, Field(pattern="^a")], "ab", "ab", {"pattern": "^a"}),
    (Annotated[list[int], Field(max_length=2)], [1], [1], {"maxItems": 2}),
    (Annotated[int, "how many"], 1, 1, {"description": "how many"}),
    (Annotated[int, Field(multiple_of=2, examples=[4])], 2, 2, {"multipleOf": 2, "examples": [4]}),
]


def test_a_parameter_of_any_type_is_described_and_arrives_as_that_type() -> None:
    for annotation, wire, value, facts in CASES:

        def take(it: annotation) -> None: ...

        tool = tool_of(take)
        jsonschema_rs.Draft202012Validator(tool.input_schema).validate({"it": wire})
        described = tool.input_schema["properties"]["it"]
        if "$ref" in described:
            described = described | tool.input_schema["$defs"][described["$ref"].removeprefix("#/$defs/")]
        assert {name: described.get(name) for name in facts} == facts
        bound = tool.bind({"it": wire})["it"]
        assert bound == (wire if value is ... else value)
        assert value is ... or type(bound) is type(value)


def test_a_default_reaches_the_schema_and_the_argument_may_be_left_out() -> None:
    for annotation, default, written in (
        (int, 3, 3),
        (str, "", ""),
        (bool, False, False),
        (Size, Size.LARGE, "large"),
        (datetime.date, datetime.date(2026, 1, 2), "2026-01-02"),
        (Optional[int], None, None),  # noqa: UP045
        (list[int], [1], [1]),
        (Guest, Guest(name="Ada"), {"name": "Ada", "age": None}),
    ):

        def take(it: annotation = default) -> None: ...

        tool = tool_of(take)
        assert tool.input_schema["properties"]["it"]["default"] == written
        assert "required" not in tool.input_schema
        assert tool.bind({}) == {}  # The function's own default applies, the very object.


def test_a_default_of_none_that_the_type_does_not_accept_makes_it_optional() -> None:
    def take(a: int, b: list[str]) -> None: ...

    take.__defaults__ = (None, None)  # `a: int = None`, as many write it.

    tool = tool_of(take)
    assert tool.input_schema["properties"] == {
        "a": {"type": "integer"},
        "b": {"type": "array", "items": {"type": "string"}},
    }
    assert "required" not in tool.input_schema
    assert tool.bind({}) == tool.bind({"a": None, "b": None}) == {}


def test_a_default_in_a_field_reaches_the_schema_and_the_function() -> None:
    def take(a: int = Field(default=3, ge=1, description="how many"), b: Any = Field(default_factory=list)) -> None: ...  # noqa: B008

    tool = tool_of(take)
    assert tool.input_schema["properties"]["a"] == {
        "type": "integer",
        "minimum": 1,
        "default": 3,
        "description": "how many",
    }
    assert tool.bind({}) == {"a": 3, "b": []}
    assert tool.bind({"a": None}) == {"a": 3, "b": []}


def test_a_field_without_a_default_is_required() -> None:
    def take(a: int = Field(description="how many")) -> None: ...

    tool = tool_of(take)
    assert tool.input_schema["required"] == ["a"]
    with pytest.raises(ToolInputError, match="a: Field required"):
        tool.bind({})


def test_a_default_that_is_no_json_is_a_warning_and_the_tool_is_served() -> None:
    def take(a: float = float("nan")) -> None: ...

    assert "default" not in tool_of(take).input_schema["properties"]["a"]


def test_null_for_a_parameter_with_a_default_means_the_default() -> None:
    def take(a: int = 3, b: str = "x") -> None: ...

    assert tool_of(take).bind({"a": None, "b": None}) == {}


def test_null_for_an_optional_parameter_arrives_as_none() -> None:
    def take(a: int | None = 3) -> None: ...

    assert tool_of(take).bind({"a": None}) == {"a": None}


def test_an_optional_parameter_without_a_default_may_be_left_out() -> None:
    def take(a: int | None) -> None: ...

    tool = tool_of(take)
    assert "required" not in tool.input_schema
    assert tool.bind({}) == {"a": None}


def test_null_for_a_required_parameter_is_refused() -> None:
    def take(a: int) -> None: ...

    with pytest.raises(ToolInputError, match="a: Input should be a valid integer"):
        tool_of(take).bind({"a": None})


def test_extra_arguments_are_refused_as_the_schema_declares() -> None:
    def take(a: int = 1) -> None: ...

    tool = tool_of(take)
    assert tool.input_schema["additionalProperties"] is False
    with pytest.raises(ToolInputError, match="zzz: Extra inputs are not permitted"):
        tool.bind({"zzz": 1})


def test_a_tool_without_parameters_accepts_an_empty_object() -> None:
    def take() -> None: ...

    tool = tool_of(take)
    assert tool.input_schema == {"type": "object", "properties": {}, "additionalProperties": False}
    assert tool.bind({}) == {}


def test_no_name_of_a_parameter_collides_with_ours() -> None:
    for name in (
        "model_config",
        "func",
        "definition",
        "input_model",
        "context",
        "self",
        "arguments",
        "schema",
        "_hidden",
        "json",
    ):
        names: dict[str, Any] = {}
        exec(f"def take({name}: str) -> str:\n    return {name}", names)
        tool = tool_of(names["take"])
        assert list(tool.input_schema["properties"]) == [name]
        assert tool.bind({name: "x"}) == {name: "x"}


def test_every_field_that_does_not_fit_is_named_without_its_value() -> None:
    def take(guests: list[Guest], size: Size) -> None: ...

    with pytest.raises(ToolInputError) as caught:
        tool_of(take).bind({"guests": [{"name": "hunter2-is-a-secret", "age": "hunter2"}], "size": "hunter2"})
    assert caught.value.message.startswith("Invalid input: guests.0.age: ")
    assert "size: Input should be 'small' or 'large'" in caught.value.message
    assert "hunter2" not in caught.value.message
    assert caught.value.developer_message == "guests.0.age[int_parsing], size[enum]"


def test_only_the_first_of_many_values_of_an_enumeration_are_reported() -> None:
    values = ["it's", 'a "b"', "c, d or e", *range(500)]

    def choose(value: Literal["x"]) -> None: ...

    choose.__annotations__["value"] = Literal[tuple(values)]
    with pytest.raises(ToolInputError) as caught:
        tool_of(choose).bind({"value": "z"})
    assert caught.value.message == (
        """Invalid input: value: Input should be "it's", 'a "b"', 'c, d or e', 0, 1, 2, 3, 4, 5, 6, … 493 more"""
    )


def test_only_the_first_of_many_errors_are_reported() -> None:
    def take(numbers: list[int]) -> None: ...

    with pytest.raises(ToolInputError, match="and 80 more"):
        tool_of(take).bind({"numbers": ["x"] * 100})


def test_half_of_a_surrogate_pair_is_refused_and_not_a_crash() -> None:
    def take(a: str) -> None: ...

    with pytest.raises(ToolInputError, match="Invalid JSON"):
        tool_of(take).bind({"a": "\ud800"})


def test_titles_that_repeat_names_are_left_out_and_those_of_authors_are_not() -> None:
    def take(first_name: str, last: Annotated[str, Field(title="Family name")]) -> None: ...

    schema = tool_of(take).input_schema
    assert "title" not in schema
    assert schema["properties"]["first_name"] == {"type": "string"}
    assert schema["properties"]["last"]["title"] == "Family name"


def test_descriptions_come_from_annotations_first_and_then_from_the_docstring() -> None:
    def take(
        a: Annotated[int, "from the type"], b: int, c: Annotated[int, Field(description="from the field")]
    ) -> None:
        """Take.

        Args:
            a: from the docstring
            b: from the docstring,
                on two lines
            c: from the docstring
        """

    properties = tool_of(take).input_schema["properties"]
    assert [properties[name]["description"] for name in "abc"] == [
        "from the type",
        "from the docstring, on two lines",
        "from the field",
    ]


def test_a_text_beside_a_member_of_a_typed_dict_is_its_description() -> None:
    def take(movie: Movie) -> None: ...

    movie = tool_of(take).input_schema["$defs"]["Movie"]
    assert movie["properties"]["year"]["description"] == "when it came out"


def test_a_model_may_refuse_a_value_with_its_own_message() -> None:
    from pydantic import AfterValidator

    def even(value: int) -> int:
        if value % 2:
            raise ValueError("must be even")
        return value

    def take(a: Annotated[int, AfterValidator(even)]) -> None: ...

    with pytest.raises(ToolInputError, match="a: Value error, must be even"):
        tool_of(take).bind({"a": 1})
    assert issubclass(ToolInputError, ToolRuntimeError)


class Opaque: ...


def test_each_type_that_cannot_be_described_is_a_problem_of_its_own() -> None:
    def take(a: Opaque, good: int, b: typing.Callable[[], None]) -> None: ...

    assert problems_of(take) == [
        f"Tool 'take': Unsupported parameter type: {Opaque}",
        "Tool 'take': Unsupported parameter type: typing.Callable[[], NoneType]",
    ]


def test_the_schema_and_the_validator_are_built_once_and_not_for_each_call() -> None:
    def take(a: int, context: Context) -> None: ...

    tool = tool_of(take)
    assert tool.definition is tool.definition
    assert tool.definition["inputSchema"] is tool.input_schema


def test_parameters_that_can_only_be_described_alone_are_a_problem_with_a_reason() -> None:
    class Shy:
        """Is described only from the second time on."""

        described = 0

        @classmethod
        def __get_pydantic_core_schema__(cls, source: object, handler: object) -> Any:
            return {"type": "any"}

        @classmethod
        def __get_pydantic_json_schema__(cls, schema: object, handler: object) -> dict[str, Any]:
            cls.described += 1
            if cls.described == 1:
                raise TypeError("not in company")
            return {}

    def take(a: Shy, b: int) -> None: ...

    app = MCPApp("test", toolkit="")
    app.tool(take)
    problem = next(problem for problem in app.build()[1] if problem.severity == "error")
    assert problem.message == "Tool 'take': The parameters cannot be described to clients together."
    assert "not in company" in problem.fix
