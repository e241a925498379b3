"""The words for durations, sizes, types and results."""

from typing import Any

from tests.tables import each_row
from workbench.model import describe


@each_row(
    ("seconds", "text"),
    [
        (None, ""),
        (-1, "0.0 ms"),
        (0.0004, "0.4 ms"),
        (0.0096, "10 ms"),
        (0.012, "12 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.00 s"),
        (9.99, "9.99 s"),
        (9.996, "10.0 s"),
        (59.99, "60.0 s"),
        (125, "2 min 5 s"),
        (3599.9, "1 h 0 min"),
        (7260, "2 h 1 min"),
    ],
)
def test_durations_are_written_as_people_read_them(seconds: float | None, text: str) -> None:
    assert describe.duration(seconds) == text


@each_row(("seconds", "text"), [(None, ""), (59.99, "60.0 s"), (60, "1.0 min"), (3599, "60.0 min"), (7260, "2.0 h")])
def test_short_durations_have_at_most_eight_characters(seconds: float | None, text: str) -> None:
    assert describe.short_duration(seconds) == text
    assert len(text) <= 8


@each_row(
    ("count", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KB"),
        (3200, "3.1 KB"),
        (1024**2 - 1, "1.0 MB"),
        (5 * 1024**4, "5120.0 GB"),
    ],
)
def test_sizes_are_written_as_people_read_them(count: int, text: str) -> None:
    assert describe.size(count) == text


@each_row(
    ("schema", "text"),
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "format": "date"}, "date"),
        ({"type": "array", "items": {"type": "string"}}, "list of string"),
        ({"type": "array"}, "list"),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {}]}, "(integer, any)"),
        ({"type": ["null", "integer"]}, "null or integer"),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, "string or null"),
        ({"enum": ["a", 1]}, '"a" | 1'),
        ({"const": None}, "null"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "map of integer"),
        ({"properties": {}}, "object"),
        ({"$ref": "#/$defs/Guest"}, "Guest"),
        (True, "any"),
        (False, "nothing"),
        ({"type": 5, "anyOf": 5, "enum": 5}, "any"),
        ({"type": "\x1b[1m"}, "\\x1b[1m"),
    ],
)
def test_types_are_named_in_a_few_words(schema: Any, text: str) -> None:
    assert describe.schema_type(schema) == text


def test_a_type_that_contains_itself_is_named_too() -> None:
    schema: dict[str, Any] = {"type": "array"}
    schema["items"] = schema
    assert describe.schema_type(schema).startswith("list of list of")


@each_row(
    ("item", "text"),
    [
        ({"type": "text", "text": "hi\nthere\x1b"}, "hi\\nthere\\x1b"),
        ({"type": "image", "mimeType": "image/png", "data": "QUJD"}, "image/png image, 3 B"),
        ({"type": "audio", "mimeType": "audio/wav", "data": "QUI="}, "audio/wav audio, 2 B"),
        ({"type": "image"}, "unknown type image, 0 B"),
        (
            {"type": "resource", "resource": {"uri": "demo://x", "mimeType": "text/plain", "text": "é"}},
            "resource demo://x, text/plain, 2 B",
        ),
        ({"type": "resource", "resource": 5}, "resource 5"),
        (
            {"type": "resource_link", "uri": "demo://x", "name": "x", "mimeType": "text/plain"},
            "link demo://x x text/plain",
        ),
        ({"type": "new", "a": 1}, '{"type": "new", "a": 1}'),
        (5, "5"),
    ],
)
def test_content_is_described_on_a_single_line(item: Any, text: str) -> None:
    assert describe.content(item) == text


@each_row(
    ("value", "text"),
    [
        ({"content": []}, "empty result"),
        ({"content": [], "isError": True}, "failed without a message"),
        ({"content": [], "structuredContent": {"a": 1}}, '{"a": 1}'),
        ({"content": [{"type": "text", "text": "a"}, {}, {}]}, "a (and 2 more)"),
        ({"content": 5}, "empty result"),
    ],
)
def test_a_result_is_described_on_a_single_line(value: Any, text: str) -> None:
    assert describe.result(value) == text


def test_a_whole_value_that_is_nested_too_deeply_for_the_stack_in_use_is_a_note() -> None:
    value: list[object] = []
    for _ in range(960):
        value = [value]

    def deep_in_the_stack(levels: int) -> str:
        return deep_in_the_stack(levels - 1) if levels else describe.json_text(value, indent=2)

    assert deep_in_the_stack(60) == '"(nested too deeply to be shown)"'
    assert describe.json_text({"é": [1]}) == '{"é": [1]}'


def test_arguments_that_differ_from_the_previous_call_are_first() -> None:
    assert describe.arguments_line({"name": "Ada", "times": 2}, {}, 80) == 'name="Ada" times=2'
    assert describe.arguments_line({"name": "Ada", "times": 3}, {"name": "Ada", "times": 2}, 80) == 'times=3 name="Ada"'
    assert describe.arguments_line({"name": "Ada"}, {"name": "Ada", "times": 2}, 80) == 'name="Ada"'


def test_arguments_on_a_line_are_short_and_safe() -> None:
    line = describe.arguments_line({f"a{n}": "x" * 10_000 for n in range(10_000)}, {}, 50)
    assert len(line) == 50
    assert describe.arguments_line({"a\x1b": "\x1b"}, {}, 50) == 'a\\x1b="\\u001b"'
