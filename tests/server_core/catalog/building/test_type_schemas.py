"""Types that pydantic describes otherwise than they are: bytes in results, and sums of flags."""

import dataclasses
import enum
from typing import Any, NamedTuple, TypedDict

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter, field_serializer

from server_core.catalog.building.result_schemas import dump_anything, read_result
from server_core.errors import ToolOutputError
from tests.server_core.ports import tool_of
from tests.tables import each_row

NO_TEXT = b"\xfb\xff"


@dataclasses.dataclass
class Record:
    data: bytes


class Typed(TypedDict):
    data: bytes


class Named(NamedTuple):
    data: bytes


class Picture(BaseModel):
    data: bytes
    record: Record | None = None
    parts: list["Picture"] = []


class Hex(BaseModel):
    model_config = ConfigDict(ser_json_bytes="hex")
    data: bytes


class Text(BaseModel):
    model_config = ConfigDict(ser_json_bytes="utf8")
    data: bytes


class Own(BaseModel):
    data: bytes

    @field_serializer("data")
    def length(self, data: bytes) -> int:
        return len(data)


def test_bytes_are_sent_as_base64_unless_configured_otherwise() -> None:
    for annotation, value, expected in (
        (Record, Record(NO_TEXT), {"data": "-_8="}),
        (Typed, {"data": NO_TEXT}, {"data": "-_8="}),
        (Named, Named(NO_TEXT), {"result": ["-_8="]}),
        (dict[str, bytes], {"a": NO_TEXT}, {"a": "-_8="}),
        (list[Picture], [Picture(data=NO_TEXT)], {"result": [{"data": "-_8=", "record": None, "parts": []}]}),
        (Picture, Picture(data=b"text"), {"data": "dGV4dA==", "record": None, "parts": []}),
        (
            Picture,
            Picture(data=b"", record=Record(NO_TEXT), parts=[Picture(data=NO_TEXT)]),
            {
                "data": "",
                "record": {"data": "-_8="},
                "parts": [{"data": "-_8=", "record": None, "parts": []}],
            },
        ),
        (Hex, Hex(data=NO_TEXT), {"data": "fbff"}),
        (Text, Text(data=b"text"), {"data": "text"}),
        (Own, Own(data=NO_TEXT), {"data": 2}),
    ):
        _, dump, _ = read_result(annotation)
        assert dump(value)["structuredContent"] == expected


@each_row("value", [Record(NO_TEXT), {"data": NO_TEXT}, Picture(data=NO_TEXT)])
def test_bytes_in_a_value_of_no_declared_type_are_sent_as_base64_too(value: Any) -> None:
    assert dump_anything(value)["structuredContent"]["data"] == "-_8="


def test_the_schema_describes_the_encoding_of_bytes() -> None:
    def data(annotation: Any) -> Any:
        schema, _, _ = read_result(annotation)
        assert schema is not None
        return {key: value for key, value in schema["properties"]["data"].items() if key != "title"}

    assert data(Record) == data(Typed) == data(Picture) == {"type": "string", "contentEncoding": "base64url"}
    assert "contentEncoding" not in data(Hex)
    assert "contentEncoding" not in data(Text)


def test_bytes_that_are_no_text_where_the_author_wants_text_are_an_error_of_the_tool() -> None:
    _, dump, _ = read_result(Text)
    with pytest.raises(ToolOutputError, match="cannot be represented in JSON"):
        dump(Text(data=NO_TEXT))


class Right(enum.Flag):
    READ = 1
    WRITE = 2
    GRANT = 8


Many = enum.Flag("Many", [f"BIT{number}" for number in range(10)])  # type: ignore[misc]


class Mode(enum.IntFlag):
    """How to run."""

    FAST = 1


def test_flags_stay_numbers_after_a_client_sent_a_boolean() -> None:
    class Access(enum.Flag):
        READ = 1

    _, dump, _ = read_result(Access)
    TypeAdapter(Access).validate_python(False)
    assert dump(Access(0))["content"] == [{"type": "text", "text": "0"}]


@each_row(
    ("flags", "expected"),
    [
        (
            Right,
            {"enum": [0, 1, 2, 3, 8, 9, 10, 11], "description": "The sum of any of: 1 (READ), 2 (WRITE), 8 (GRANT)."},
        ),
        (Many, {"minimum": 0, "maximum": 1023}),
        (Mode, {"description": "How to run."}),
    ],
)
def test_every_sum_of_flags_is_a_value_in_and_out(flags: Any, expected: dict[str, Any]) -> None:
    def turn(flag: flags) -> flags:
        return flag

    tool = tool_of(turn)
    (schema,) = tool.input_schema["$defs"].values()
    assert schema == schema | expected | {"type": "integer"}
    assert ("enum" in schema) == ("enum" in expected)
    assert tool.output_schema is not None
    assert tool.output_schema["$defs"] == tool.input_schema["$defs"]
    both = flags(1) | list(flags)[-1]
    assert tool.bind({"flag": both.value}) == {"flag": both}
    assert tool.dump(both)["structuredContent"] == {"result": both.value}
