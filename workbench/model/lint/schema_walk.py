"""Iterate over the subschemas of a schema with their places, and find recursive types.

The depth and number are limited: schemas may be written to explode.
"""

from collections import deque
from collections.abc import Iterator
from typing import Any

MAX_NODES = 5000
DEEPEST = 100

_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else")


def subschemas(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return each subschema with its place, the whole schema first, whose place is empty.

    Args:
        schema: a JSON Schema of any quality.

    Returns:
        Places like `properties.limit` or `$defs.Order.properties.items.items`.
    """
    waiting = deque([("", schema, 0)])
    for _ in range(MAX_NODES):
        if not waiting:
            return
        place, node, depth = waiting.popleft()
        yield place, node
        if depth < DEEPEST:
            waiting.extend((f"{place}.{inner}".strip("."), subschema, depth + 1) for inner, subschema in _inner(node))


def _inner(node: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for keyword in _NAMED:
        members = node.get(keyword)
        for name, subschema in members.items() if isinstance(members, dict) else ():
            if isinstance(subschema, dict):
                yield f"{keyword}.{name}", subschema
    for keyword in _LISTED:
        branches = node.get(keyword)
        for index, subschema in enumerate(branches if isinstance(branches, list) else ()):
            if isinstance(subschema, dict):
                yield f"{keyword}.{index}", subschema
    for keyword in _SINGLE:
        if isinstance(subschema := node.get(keyword), dict):
            yield keyword, subschema


def levels(place: str) -> int:
    """Return how many objects and lists a place is in."""
    count = 0
    parts = iter(place.split("."))
    for part in parts:
        if part in _NAMED or part in _LISTED:
            next(parts, None)
        count += part in ("properties", "patternProperties", "prefixItems", "items", "additionalProperties", "contains")
    return count


def describe_place(place: str) -> str:
    """Return a place as text for users: `limit`, `items[].price`, or `its input schema` for the whole."""
    words: list[str] = []
    parts = iter(place.split("."))
    for part in parts:
        if part in ("properties", "patternProperties"):
            words.append(next(parts, ""))
        elif part in ("$defs", "definitions"):
            words = [next(parts, "")]
        elif part == "items" and words:
            words[-1] += "[]"
        elif part in _LISTED:
            next(parts, None)
    return ".".join(words) or "its input schema"


def first_recursive(schema: dict[str, Any]) -> str | None:
    """Return the name of the first definition that can be reached from itself."""
    definitions = schema.get("$defs")
    if not isinstance(definitions, dict):
        return None
    leads: dict[str, set[str]] = {
        name: {
            reference.removeprefix("#/$defs/")
            for _, node in subschemas(definition)
            if isinstance(reference := node.get("$ref"), str)
        }
        for name, definition in definitions.items()
        if isinstance(definition, dict)
    }
    for name in leads:
        reached: set[str] = set()
        waiting = set(leads[name])
        while waiting:
            reference = waiting.pop()
            if reference not in reached:
                reached.add(reference)
                waiting |= leads.get(reference, set())
        if name in reached:
            return name
    return None
