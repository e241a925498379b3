"""Estimate the work of a validation: references can double it with every level, on purpose or by accident.

A validator checks a place of a value once for each path through the schema that leads there. The paths are counted
here, with each pair of subschema and place visited once, so that counting is fast where validating would not be.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

from workbench.model.forms.subschemas import Subschemas

MAX_STEPS = 50_000
"""The limit of steps for a validation: a fraction of a second."""

_Pair: TypeAlias = tuple[Any, Any]

_IN_PLACE = ("not", "if", "then", "else")
_IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
_FOR_VALUES = ("additionalProperties", "unevaluatedProperties")
_FOR_ITEMS = ("items", "contains", "unevaluatedItems", "additionalItems")


class Effort:
    """Counts the steps of validations against one schema.

    Args:
        schema: the whole document.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._subschemas = Subschemas(schema)
        self._is_plain = not _has_references(schema)

    def is_bearable(self, value: Any) -> bool:
        """Whether a value can be validated quickly."""
        if self._is_plain:
            return True  # without references there is one path to each subschema
        try:
            return self._count(self._schema, value, {}) <= MAX_STEPS
        except RecursionError:
            return False

    def _count(self, schema: Any, value: Any, known: dict[tuple[int, int], int]) -> int:
        pair = (id(schema), id(value))
        if pair in known:
            return known[pair]
        known[pair] = 1  # a circle ends here
        count = 1
        for below, part in self._below(schema, value):
            count += self._count(below, part, known)
            if count > MAX_STEPS:
                break
        known[pair] = count
        return count

    def _below(self, schema: Any, value: Any) -> Iterator[_Pair]:
        """The subschemas that apply to a value and to its members."""
        if not isinstance(schema, dict):
            return
        for keyword in ("$ref", "$dynamicRef"):
            if isinstance(ref := schema.get(keyword), str):
                yield self._subschemas.resolve(ref), value
        for keyword in _IN_PLACE:
            if keyword in schema:
                yield schema[keyword], value
        for keyword in _IN_PLACE_LISTS:
            for subschema in _list(schema.get(keyword)):
                yield subschema, value
        for subschema in _dict(schema.get("dependentSchemas")).values():
            yield subschema, value
        if isinstance(value, dict):
            yield from _for_object(schema, value)
        elif isinstance(value, list):
            yield from _for_list(schema, value)


def _for_object(schema: dict[str, Any], value: dict[str, Any]) -> Iterator[_Pair]:
    properties = _dict(schema.get("properties"))
    for name in properties.keys() & value.keys():
        yield properties[name], value[name]
    further = [schema[keyword] for keyword in _FOR_VALUES if keyword in schema]
    further.extend(_dict(schema.get("patternProperties")).values())
    for subschema in further:
        for member in value.values():
            yield subschema, member


def _for_list(schema: dict[str, Any], value: list[Any]) -> Iterator[_Pair]:
    yield from zip(_list(schema.get("prefixItems")), value, strict=False)
    for keyword in _FOR_ITEMS:
        if isinstance(subschema := schema.get(keyword), dict):
            for item in value:
                yield subschema, item


def _has_references(schema: Any) -> bool:
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if "$ref" in node or "$dynamicRef" in node:
                return True
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    return False


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
