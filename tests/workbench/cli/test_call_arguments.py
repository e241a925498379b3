"""Words of a command line become JSON values."""

from typing import Any

import pytest

from server_core.errors import ConfigurationError
from tests.tables import each_row
from workbench.cli.call_arguments import parse_arguments, parse_object

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer"},
        "price": {"type": "number"},
        "loud": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "address": {"$ref": "#/$defs/Address"},
        "table": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "either": {"type": ["integer", "string"]},
        "level": {"enum": [1, 2, 3]},
        "fixed": {"const": True},
        "loop": {"$ref": "#/properties/loop"},
        "away": {"$ref": "https://example.com/schema"},
        "anything": {},
    },
    "$defs": {"Address": {"type": "object", "properties": {"city": {"type": "string"}}}},
}


@each_row(
    ("word", "value"),
    [
        ("name=Ada", "Ada"),
        ("name=", ""),
        ("name=12", "12"),
        ("name=a=b", "a=b"),
        ("name=true", "true"),
        ("count=12", 12),
        ("count=-3", -3),
        ("price=2.5", 2.5),
        ("price=2", 2),
        ("loud=true", True),
        ("loud=false", False),
        ('tags=["a","b"]', ["a", "b"]),
        ('address={"city":"Rome"}', {"city": "Rome"}),
        ("table=4", 4),
        ("table=null", None),
        ("note=null", "null"),
        ("note:=null", None),
        ("either=4", 4),
        ("either=four", "four"),
        ("level=2", 2),
        ("fixed=true", True),
        ("loop=x", "x"),
        ("away=x", "x"),
        ("anything=3", "3"),
        ("anything:=3", 3),
        ("unknown=3", "3"),
        ("unknown:=[1]", [1]),
        ('count:="twelve"', "twelve"),
    ],
)
def test_a_word_becomes_a_value_of_the_type_in_the_schema(word: str, value: Any) -> None:
    (got,) = parse_arguments([word], {}, SCHEMA).values()
    assert got == value
    assert type(got) is type(value)


@each_row(
    ("word", "message"),
    [
        ("count=twelve", "'count' must be integer, such as 3, not 'twelve'"),
        ("count=1.5", "'count' must be integer"),
        ("count=" + "9" * 5000, "'count' must be integer"),
        ("price=NaN", "'price' must be number"),
        ("loud=yes", "'loud' must be boolean, such as true or false"),
        ("loud=1", "'loud' must be boolean"),
        ("tags=a", "'tags' must be array"),
        ("address=[1]", "'address' must be object"),
        ("table=four", "'table' must be integer or null"),
        ("name:=Ada", "'name' is not JSON"),
        ("price:=Infinity", "'price' is not JSON"),
        ("deep:=" + "[" * 100_000, "'deep' is not JSON"),
        ("tags=" + "[" * 100_000, "'tags' must be array"),
        ("Ada", "write key=value"),
        ("=Ada", "write key=value"),
        (":=1", "write key=value"),
    ],
)
def test_an_invalid_argument_is_explained(word: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message.replace("'", "['\"]")):
        parse_arguments([word], {}, SCHEMA)


def test_words_override_arguments_given_in_other_ways() -> None:
    assert parse_arguments(["count=2"], {"count": 1, "name": "Ada"}, SCHEMA) == {"count": 2, "name": "Ada"}


def test_an_argument_given_twice_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="twice"):
        parse_arguments(["name=a", "name=b"], {}, SCHEMA)


@each_row("schema", [{}, {"properties": []}, {"properties": {"a": True}}, {"properties": {"a": {"type": 7}}}])
def test_a_schema_without_types_leaves_strings(schema: dict[str, Any]) -> None:
    assert parse_arguments(["a=1"], {}, schema) == {"a": "1"}


@each_row("text", ["", "{", "[1]", "3", '{"a": NaN}'])
def test_a_value_that_is_no_object_is_refused_with_its_origin(text: str) -> None:
    with pytest.raises(ConfigurationError, match="--args"):
        parse_object(text, "--args")
