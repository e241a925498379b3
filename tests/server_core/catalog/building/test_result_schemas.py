"""Results of every kind: their schemas, and their form on the wire."""

import asyncio
import dataclasses
import datetime
import enum
import itertools
import json
import types
import typing
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal

import jsonschema_rs
import pytest
from pydantic import AwareDatetime, BaseModel, Field

from server_core import Audio, EmbeddedResource, Image, ResourceLink
from server_core.catalog.building.result_schemas import dump_anything, read_result
from server_core.errors import ToolOutputError
from tests.server_core.ports import problems_of, text_of, tool_of
from tests.tables import each_row


class Color(enum.Enum):
    RED = "red"


class Weather(BaseModel):
    city: str
    celsius: float | None = None


class Node(BaseModel):
    name: str
    children: list["Node"] = []


class Aliased(BaseModel):
    from_: str = Field(serialization_alias="from")


@dataclasses.dataclass
class Point:
    x: int


class Movie(typing.TypedDict):
    title: str


STRUCTURED: list[tuple[Any, Any, Any]] = [
    # return type, what the function returns, structuredContent
    (Weather, Weather(city="Oslo"), {"city": "Oslo", "celsius": None}),
    (Weather, {"city": "Oslo"}, {"city": "Oslo", "celsius": None}),
    (Node, Node(name="a", children=[Node(name="b")]), {"name": "a", "children": [{"name": "b", "children": []}]}),
    (Aliased, Aliased(from_="x"), {"from": "x"}),
    (Point, Point(1), {"x": 1}),
    (Movie, {"title": "M"}, {"title": "M"}),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (dict[int, str], {1: "a"}, {"1": "a"}),
    (int, 3, {"result": 3}),
    (float, 1.5, {"result": 1.5}),
    (bool, True, {"result": True}),
    (list[str], ["a"], {"result": ["a"]}),
    (list[Weather], [Weather(city="Oslo")], {"result": [{"city": "Oslo", "celsius": None}]}),
    (tuple[int, str], (1, "a"), {"result": [1, "a"]}),
    (set[int], {1}, {"result": [1]}),
    (int | None, None, {"result": None}),
    (str | None, "x", {"result": "x"}),
    (Weather | Movie, {"title": "M"}, {"result": {"title": "M"}}),
    (Color, Color.RED, {"result": "red"}),
    (Literal["a", 1], 1, {"result": 1}),
    (datetime.date, datetime.date(2026, 1, 2), {"result": "2026-01-02"}),
    (Decimal, Decimal("1.10"), {"result": "1.10"}),
    (bytes, b"\xfb\xff", {"result": "-_8="}),
    (Annotated[int, Field(ge=0)], 3, {"result": 3}),
]


def test_a_declared_type_makes_a_structured_result_that_fits_its_schema() -> None:
    for annotation, value, structured in STRUCTURED:

        def give() -> annotation: ...

        tool = tool_of(give)
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
        result = tool.dump(value)
        assert result["structuredContent"] == structured
        is_wrapped = [*structured] == ["result"]
        shown = structured["result"] if is_wrapped else structured
        assert text_of(result) == shown or json.loads(text_of(result)) == shown
        jsonschema_rs.Draft202012Validator(tool.output_schema).validate(structured)
        assert "isError" not in result


def test_text_content_nothing_and_bare_dicts_have_no_output_schema() -> None:
    for annotation in (
        str,
        Annotated[str, "text"],
        None,
        Any,
        Image,
        list[Image | str],
        dict,
    ):

        def give() -> annotation: ...

        tool = tool_of(give)
        assert tool.output_schema is None
        assert "outputSchema" not in tool.definition


def test_plain_text_is_sent_once() -> None:
    def give() -> str: ...  # type: ignore[empty-body]

    assert tool_of(give).dump("häl\nlo") == {"content": [{"type": "text", "text": "häl\nlo"}]}
    assert tool_of(give).dump("") == {"content": [{"type": "text", "text": ""}]}


def test_a_tool_that_returns_nothing_has_an_empty_result() -> None:
    def give() -> None: ...

    assert tool_of(give).dump(None) == {"content": []}


def test_a_bare_dict_is_a_structured_result_too() -> None:
    def give() -> dict: ...  # type: ignore[empty-body, type-arg]

    result = tool_of(give).dump({"a": [1]})
    assert result == {"content": [{"type": "text", "text": '{"a": [1]}'}], "structuredContent": {"a": [1]}}


CONTENT: list[tuple[Any, dict[str, Any]]] = [
    (Image(b"\x00\xff", "image/jpeg"), {"type": "image", "data": "AP8=", "mimeType": "image/jpeg"}),
    (Audio(b"\x00\xff"), {"type": "audio", "data": "AP8=", "mimeType": "audio/wav"}),
    (ResourceLink("a://b"), {"type": "resource_link", "uri": "a://b", "name": "a://b"}),
    (
        ResourceLink("a://b", "b", mime_type="text/plain", size=3, annotations={"priority": 1}, meta={"k": 1}),
        {
            "type": "resource_link",
            "uri": "a://b",
            "name": "b",
            "mimeType": "text/plain",
            "size": 3,
            "annotations": {"priority": 1},
            "_meta": {"k": 1},
        },
    ),
    (
        EmbeddedResource("a://b", "x", "text/plain"),
        {"type": "resource", "resource": {"uri": "a://b", "mimeType": "text/plain", "text": "x"}},
    ),
    (EmbeddedResource("a://b", b"\xff"), {"type": "resource", "resource": {"uri": "a://b", "blob": "/w=="}}),
]


def test_content_is_sent_as_its_block() -> None:
    for value, block in CONTENT:
        assert dump_anything(value) == {"content": [block]}


def test_a_list_may_mix_text_content_and_values() -> None:
    result = dump_anything(["look:", Image(b"x"), {"a": 1}, 3, None])
    assert [block["type"] for block in result["content"]] == ["text", "image", "text", "text", "text"]
    assert [block.get("text") for block in result["content"]] == ["look:", None, '{"a": 1}', "3", "null"]
    assert "structuredContent" not in result


@each_row(
    ("value", "text"),
    [([1, "a"], '[1, "a"]'), (3, "3"), (Color.RED, "red"), (datetime.date(2026, 1, 2), "2026-01-02"), (b"x", "eA==")],
)
def test_a_value_of_no_declared_type_is_sent_as_json_without_quotes_around_a_text(value: Any, text: str) -> None:
    assert dump_anything(value) == {"content": [{"type": "text", "text": text}]}
    assert dump_anything([Image(b""), value])["content"][1:] == [{"type": "text", "text": text}]


def _cyclic() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


def _deep() -> Any:
    value: Any = 1
    for _ in range(5000):
        value = [value]
    return value


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    __str__ = __repr__


NO_JSON: list[Any] = [
    float("nan"),
    {"a": float("inf")},
    _cyclic(),
    {"a": _cyclic()},
    _deep(),
    object(),
    [object()],
    Hostile(),
    {"a": Hostile()},
    [Image(b""), Hostile()],
    lambda: None,
]


@each_row("annotation", [Any, dict, list[Any], float, dict[str, Any], Weather])
def test_a_value_without_a_json_form_is_an_output_error_that_repeats_nothing(annotation: Any) -> None:
    for value in NO_JSON:

        def give() -> annotation: ...

        with pytest.raises(ToolOutputError, match="Failed to serialize tool output: the value ") as caught:
            tool_of(give).dump(value)
        assert caught.value.developer_message


@each_row(
    ("annotation", "value"),
    [(int, "x"), (str, 3), (Weather, {"city": 1}), (Movie, {"title": ["hunter2"]}), (int, None)],
)
def test_a_value_of_another_type_than_declared_is_an_output_error_without_the_value(
    annotation: Any, value: Any
) -> None:
    def give() -> annotation: ...

    with pytest.raises(ToolOutputError, match="does not match its declared type") as caught:
        tool_of(give).dump(value)
    assert "hunter2" not in f"{caught.value.message} {caught.value.developer_message}"


class Shelf(typing.TypedDict, total=False):
    movies: list[Movie]
    owner: str | None
    number: int


@each_row(
    ("annotation", "value", "structured"),
    [
        (Movie, {"title": "M", "secret": "hunter2"}, {"title": "M"}),
        (list[Movie], [{"title": "M", "year": 1999}], {"result": [{"title": "M"}]}),
        (Shelf, {"movies": [{"title": "M", "year": 1999}], "owner": None}, {"movies": [{"title": "M"}], "owner": None}),
    ],
)
def test_undeclared_members_of_a_typed_dict_are_left_out_of_the_result(
    annotation: Any, value: Any, structured: Any
) -> None:
    def give() -> annotation: ...

    tool = tool_of(give)
    assert tool.dump(value)["structuredContent"] == structured
    assert tool.output_schema is not None
    jsonschema_rs.validate(tool.output_schema, structured)


def test_a_model_that_was_made_invalid_is_an_output_error() -> None:
    def give() -> Weather: ...  # type: ignore[empty-body]

    weather = Weather(city="Oslo")
    weather.city = 3  # type: ignore[assignment]
    with pytest.raises(ToolOutputError):
        tool_of(give).dump(weather)


async def _coroutine() -> int:
    return 1


async def _stream() -> Any:
    yield 1


@each_row("make", [_coroutine, _stream, lambda: (item for item in "ab")])
def test_an_unfinished_result_is_an_output_error_that_names_its_kind(make: Any) -> None:
    for annotation in (
        Any,
        str,
        int,
        list[int],
    ):

        def give() -> annotation: ...

        with pytest.raises(ToolOutputError, match="Failed to serialize tool output: it is "):
            tool_of(give).dump(make())


async def test_a_future_is_an_output_error() -> None:
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    with pytest.raises(ToolOutputError, match="an awaitable"):
        dump_anything(future)


class Opaque: ...


def test_a_return_type_that_cannot_be_described_is_a_problem() -> None:
    def give() -> Opaque: ...  # type: ignore[empty-body]

    (message,) = problems_of(give)
    assert message.startswith(f"Tool 'give': Unsupported output type '{Opaque}'. Only built-in Python types,")


def test_an_image_from_a_file_knows_its_format(tmp_path: Any) -> None:
    (tmp_path / "a.jpeg").write_bytes(b"\xff")
    assert Image.from_file(tmp_path / "a.jpeg").to_block() == {
        "type": "image",
        "data": "/w==",
        "mimeType": "image/jpeg",
    }


OFFSET = datetime.timezone(datetime.timedelta(hours=2))


@each_row(
    ("declared", "value", "expected"),
    [
        (datetime.datetime, datetime.datetime(2020, 1, 1), {"type": "string"}),
        (AwareDatetime, datetime.datetime(2020, 1, 1, tzinfo=OFFSET), {"type": "string", "format": "date-time"}),
        (datetime.time, datetime.time(1, 2), {"type": "string"}),
        (datetime.timedelta, datetime.timedelta(seconds=-1.5), {"type": "string"}),
        (datetime.date, datetime.date(2020, 1, 1), {"type": "string", "format": "date"}),
    ],
)
def test_no_format_is_promised_that_a_result_may_not_have(declared: Any, value: Any, expected: dict[str, Any]) -> None:
    schema, dump, findings = read_result(declared)
    assert findings == []
    assert schema is not None
    assert schema["properties"]["result"] == expected
    # As a client that asserts formats checks it.
    assert jsonschema_rs.validator_for(schema, validate_formats=True).is_valid(dump(value)["structuredContent"])


def test_the_members_of_a_model_promise_no_format_either() -> None:
    class Meeting(BaseModel):
        begins: datetime.datetime

    schema, _, _ = read_result(Meeting)
    assert schema is not None
    assert schema["properties"]["begins"] == {"type": "string"}


def test_content_in_a_list_of_anything_is_sent_as_content() -> None:
    for declared in (
        list[Any],
        list,
        tuple,
        list[object],
        list[str | Any],
        tuple[Any, ...],
        Sequence[Any],
        list[Any] | None,
    ):
        schema, dump, _ = read_result(declared)
        assert schema is None
        mixed = ["see", Image(b"1"), {"a": 1}]
        result = dump(tuple(mixed) if "uple" in str(declared) else mixed)
        assert [block["type"] for block in result["content"]] == ["text", "image", "text"]
        assert "structuredContent" not in result


def test_a_list_of_anything_without_content_is_a_structured_result() -> None:
    _, dump, _ = read_result(list[Any])
    assert dump([1, "a"])["structuredContent"] == {"result": [1, "a"]}


class Tiresome(dict[str, Any]):
    """Its own code never ends."""

    def values(self) -> Any:
        return itertools.repeat("x")

    __iter__ = items = keys = values


class Endless(list[Any]):
    """So does that of a list."""

    def __iter__(self) -> Any:
        return itertools.repeat("x")


@pytest.mark.parametrize("declared", [Any, dict[str, Any], list[Any]])
@pytest.mark.parametrize("kind", ["a generator", "an iterator", "a coroutine that was not awaited", "an awaitable"])
def test_an_unfinished_value_is_detected_at_any_depth(declared: Any, kind: str) -> None:
    def give() -> declared: ...

    made = {
        "a generator": lambda: (item for item in itertools.count()),
        "an iterator": itertools.count,
        "a coroutine that was not awaited": _coroutine,
        "an awaitable": lambda: Tiresome(value=[types.SimpleNamespace(), _Awaitable()]),
    }
    with pytest.raises(ToolOutputError, match=f"^Failed to serialize tool output: it holds {kind}"):
        tool_of(give).dump({"rows": [1, ("a", {"value": made[kind]()})]})


class _Awaitable:
    def __await__(self) -> Any:
        yield


@each_row("value", [itertools.count(), map(str, "ab"), iter([])])
def test_an_iterator_is_no_result_and_is_not_consumed(value: Any) -> None:
    with pytest.raises(ToolOutputError, match="it is an iterator"):
        dump_anything(value)


def test_nested_references_that_multiply_are_refused_before_they_fill_the_memory() -> None:
    value: list[Any] = ["x"]
    for _ in range(12):
        value = [value] * 10
    with pytest.raises(ToolOutputError, match="it holds more than 10,000,000 values"):
        dump_anything(value)


def test_the_code_of_an_authors_own_container_is_not_run() -> None:
    assert text_of(dump_anything(Tiresome(a=1))) == '{"a": 1}'
    assert text_of(dump_anything(Endless([1]))) == "[1]"
