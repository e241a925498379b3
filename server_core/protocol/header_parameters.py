"""Which parameters of a tool are repeated in HTTP headers: the `x-mcp-header` annotations of its input schema.

Rule 1: an annotation that breaks one rule makes the whole tool invalid: a server does not serve it, and a client that
speaks HTTP leaves it out.
Rule 2: what stands where a schema holds data (`const`, `default`, `examples`, names of properties) is no annotation.

Source: 2026-07-28, basic/transports/streamable-http, custom headers from tool parameters; server/tools, x-mcp-header.
"""

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from server_core.protocol.headers import PARAMETER_PREFIX, HeaderParameters

ANNOTATION = "x-mcp-header"

# RFC 9110, section 5.6.2: 1*tchar.
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_TYPES = frozenset({"string", "integer", "boolean"})

# JSON Schema 2020-12 and the drafts before: the keywords that hold a schema, a list of them, and a map of them.
_SCHEMA = (
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_SCHEMAS = ("allOf", "anyOf", "items", "oneOf", "prefixItems")
_NAMED_SCHEMAS = ("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties")

_Path: TypeAlias = tuple[str, ...] | None
"""The names of the properties that lead to a schema; None for one that something else leads to."""


def header_parameters(schema: Any) -> tuple[HeaderParameters, list[str]]:
    """Return the parameters of a tool that HTTP headers repeat.

    Args:
        schema: the tool's input schema; of whatever quality.

    Returns:
        The header of each, in lower case and with its prefix -> the path of the parameter in the arguments; and
        everything that makes the schema invalid, each as a sentence without its full stop.
    """
    found: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for path, node in _schemas(schema):
        if ANNOTATION not in node:
            continue
        if reason := _reason(path, node):
            problems.append(reason)
            continue
        assert path is not None
        header = PARAMETER_PREFIX + node[ANNOTATION].lower()
        if header in found:
            first = _name(found[header])
            problems.append(f"{_name(path)} and {first} have the same {ANNOTATION}, {_quoted(node[ANNOTATION])}")
        else:
            found[header] = path
    return found, problems


def _reason(path: _Path, schema: dict[str, Any]) -> str | None:
    """Return why an annotation is not valid where it stands; None when it is."""
    header, type_ = schema[ANNOTATION], schema.get("type")
    if not path:
        where = "at the root of the schema" if path == () else "where other keywords than `properties` lead to"
        return f"{ANNOTATION} {_quoted(header)} stands {where}"
    if not isinstance(header, str) or not _TOKEN.fullmatch(header):
        return f"the {ANNOTATION} of {_name(path)} is {_quoted(header)}, which cannot be part of a header's name"
    if not isinstance(type_, str) or type_ not in _TYPES:
        return f"{_name(path)} has an {ANNOTATION}, but its type is not string, integer or boolean"
    return None


def _schemas(schema: Any) -> Iterator[tuple[_Path, dict[str, Any]]]:
    """Every schema in a schema, in the order of writing, with the path of properties that leads to it."""
    waiting: list[tuple[_Path, Any]] = [((), schema)]
    while waiting:
        path, node = waiting.pop()
        if not isinstance(node, dict):
            continue
        yield path, node
        inner: list[tuple[_Path, Any]] = []
        for key, value in node.items():
            if key == "properties" and isinstance(value, dict):
                inner += [(None if path is None else (*path, name), one) for name, one in value.items()]
            elif key in _NAMED_SCHEMAS and isinstance(value, dict):
                inner += [(None, one) for one in value.values()]
            elif key in _SCHEMAS and isinstance(value, list):
                inner += [(None, one) for one in value]
            elif key in _SCHEMA:
                inner.append((None, value))
        waiting += reversed(inner)


def _name(path: tuple[str, ...]) -> str:
    return repr(".".join(path))


def _quoted(header: Any) -> str:
    return repr(header[:80]) if isinstance(header, str) else f"no text but {type(header).__name__}"
