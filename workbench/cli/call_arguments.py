"""Converts the words of a command line into the JSON arguments of a call.

`key=value` is converted to the type of the key in the tool's input schema: a string is unchanged, an integer, a number,
a boolean, an array or an object is parsed. `key:=json` is JSON regardless of the schema. A key that is not in the
schema remains a string: the server, not the command line, reports such errors.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from server_core.errors import ConfigurationError
from server_core.runtime.safe_json import parse_json
from workbench.model.forms.schema_document import SchemaDocument
from workbench.model.short_text import shortened

Schema = dict[str, Any]

_INTEGER = re.compile(r"[+-]?[0-9]+")
_EXAMPLES = {
    "integer": "3",
    "number": "2.5",
    "boolean": "true or false",
    "null": "null",
    "array": '["a","b"]',
    "object": '{"key":"value"}',
}
# A schema may refer to itself; no reasonable schema is nested this deep before it names a type.
_MAX_DEPTH = 16


def parse_arguments(words: Sequence[str], base: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """Return the arguments of a call: those of `--args` (`base`), overridden by words `key=value` and `key:=json`."""
    arguments = dict(base)
    seen: set[str] = set()
    for word in words:
        key, text, is_json = _split(word)
        if key in seen:
            raise ConfigurationError(f'argument {key!r} is given twice; write a list as {key}:=\'["a", "b"]\'')
        seen.add(key)
        arguments[key] = _json(key, text) if is_json else convert(key, text, schema)
    return arguments


def parse_object(text: str, origin: str) -> dict[str, Any]:
    """Return the JSON object in a text; a ConfigurationError names the text's origin if there is none."""
    try:
        value = parse_json(text, parse_constant=_refuse_constant)
    except ValueError as error:
        raise ConfigurationError(f"{origin} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ConfigurationError(f"{origin} must be a JSON object, such as {_EXAMPLES['object']}")
    return value


def convert(key: str, text: str, schema: Schema) -> Any:
    """Convert a text to the type of a property; ConfigurationError if it is valid for no type of the property."""
    properties = schema.get("properties")
    known = properties.get(key) if isinstance(properties, dict) else None
    types = list(dict.fromkeys(_types(known, SchemaDocument(schema))))
    # If a string is permitted, the word "null" is a string: null is written `key:=null`.
    never = {"string", "null"} if "string" in types else {"string"}
    for kind in types:
        if kind not in never:
            try:
                return _value(kind, text)
            except ValueError:
                continue
    if not types or "string" in types:
        return text
    wanted = " or ".join(types)
    example = _EXAMPLES.get(types[0], "null")
    raise ConfigurationError(f"argument {key!r} must be {wanted}, such as {example}, not {shortened(text)!r}")


def _split(word: str) -> tuple[str, str, bool]:
    left, equals, right = word.partition("=")
    key = left.removesuffix(":")
    if not equals or not key:
        raise ConfigurationError(f"{word!r} is not an argument; write key=value, or key:=json for any JSON value")
    return key, right, left.endswith(":")


def _json(key: str, text: str) -> Any:
    try:
        return parse_json(text, parse_constant=_refuse_constant)
    except ValueError as error:
        raise ConfigurationError(f"argument {key!r} is not JSON: {error}; write {key}=... for plain text") from None


def _value(kind: str, text: str) -> Any:
    if kind == "integer":
        if not _INTEGER.fullmatch(text):
            raise ValueError
        return int(text)
    value = parse_json(text, parse_constant=_refuse_constant)
    if kind not in _json_types(value):
        raise ValueError
    return value


def _types(schema: Any, document: SchemaDocument, depth: int = 0) -> Iterator[str]:
    """Yield the permitted JSON types, as far as the schema names them."""
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return
    kind = schema.get("type")
    if isinstance(kind, str):
        yield kind
    elif isinstance(kind, list):
        yield from (name for name in kind if isinstance(name, str))
    elif "enum" in schema and isinstance(schema["enum"], list):
        for value in schema["enum"]:
            yield from _json_types(value)[:1]
    elif "const" in schema:
        yield from _json_types(schema["const"])[:1]
    elif isinstance(schema.get("$ref"), str):
        yield from _types(document.resolve(schema["$ref"]), document, depth + 1)
    else:
        for keyword in ("anyOf", "oneOf", "allOf"):
            variants = schema.get(keyword)
            for variant in variants if isinstance(variants, list) else ():
                yield from _types(variant, document, depth + 1)


def _json_types(value: Any) -> list[str]:
    """Return the types of a JSON value, the most specific first."""
    if value is None:
        return ["null"]
    if isinstance(value, bool):
        return ["boolean"]
    if isinstance(value, int):
        return ["integer", "number"]
    if isinstance(value, float):
        return ["number"]
    if isinstance(value, str):
        return ["string"]
    return ["array"] if isinstance(value, list) else ["object"]


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
