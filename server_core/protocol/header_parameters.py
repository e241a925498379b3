"""The parameters of a tool that HTTP headers repeat: the `x-mcp-header` annotations of its input schema.

Rule 1: an invalid annotation makes the whole tool invalid: a server does not serve it, and an HTTP client leaves it
out.
Rule 2: members in the data of a schema (`const`, `default`, `examples`, property names) are not annotations.

Source: 2026-07-28, basic/transports/streamable-http, custom headers from tool parameters; server/tools, x-mcp-header.
"""

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from server_core.protocol.headers import PARAMETER_PREFIX, HeaderParameters
from server_core.protocol.json_schema import Key, child_schemas

ANNOTATION = "x-mcp-header"

# RFC 9110, section 5.6.2: 1*tchar.
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_TYPES = frozenset({"string", "integer", "boolean"})

_Path: TypeAlias = tuple[str, ...] | None
"""The names of the properties that lead to a schema; None if other keywords lead to it."""


def header_parameters(schema: Any) -> tuple[HeaderParameters, list[str]]:
    """Return the arguments that HTTP headers repeat, and the problems that make the schema invalid, as sentences."""
    paths: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for path, node in _schemas(schema):
        if ANNOTATION not in node:
            continue
        if problem := _problem_of(path, node):
            problems.append(problem)
            continue
        assert path is not None
        header = PARAMETER_PREFIX + node[ANNOTATION].lower()
        if header in paths:
            other = _quote_path(paths[header])
            problems.append(f"{_quote_path(path)} and {other} have the same {ANNOTATION}, {_quote(node[ANNOTATION])}")
        else:
            paths[header] = path
    return paths, problems


def _problem_of(path: _Path, schema: dict[str, Any]) -> str | None:
    """Return why an annotation is invalid; None when it is valid."""
    header, type_ = schema[ANNOTATION], schema.get("type")
    if not path:
        where = "at the root of the schema" if path == () else "behind other keywords than `properties`"
        return f"{ANNOTATION} {_quote(header)} is not permitted {where}"
    if not isinstance(header, str) or not _TOKEN.fullmatch(header):
        return f"the {ANNOTATION} of {_quote_path(path)} is {_quote(header)}, which cannot be part of a header's name"
    if not isinstance(type_, str) or type_ not in _TYPES:
        return f"{_quote_path(path)} has an {ANNOTATION}, but its type is not string, integer or boolean"
    return None


def _schemas(schema: Any) -> Iterator[tuple[_Path, dict[str, Any]]]:
    """Yield every subschema of a schema, in document order, with the path of properties that leads to it."""
    # Not recursive: a schema may be nested more deeply than Python's stack.
    waiting: list[tuple[_Path, dict[str, Any]]] = [((), schema)] if isinstance(schema, dict) else []
    while waiting:
        path, node = waiting.pop()
        yield path, node
        waiting += reversed([(_inner(path, keyword, key), part) for keyword, key, part in child_schemas(node)])


def _inner(path: _Path, keyword: str, key: Key) -> _Path:
    return (*path, str(key)) if path is not None and keyword == "properties" else None


def _quote_path(path: tuple[str, ...]) -> str:
    return repr(".".join(path))


def _quote(header: Any) -> str:
    return repr(header[:80]) if isinstance(header, str) else f"a {type(header).__name__} instead of a string"
