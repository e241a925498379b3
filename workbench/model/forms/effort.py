"""Estimate the work of a validation: references can double it with every level, on purpose or by accident.

A validator checks a place of a value once for each path through the schema that leads there. The paths are counted
here, with each pair of subschema and place visited once, so that counting is fast where validating would not be.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

from server_core.protocol.json_schema import IN_PLACE, OF_ITEMS, OF_MEMBERS, REFERENCES, child_schemas, subschemas
from workbench.model.forms.schema_document import SchemaDocument

MAX_STEPS = 50_000  # For one validation: a fraction of a second.

_Pair: TypeAlias = tuple[Any, Any]

_OF_EACH_MEMBER = OF_MEMBERS - {"properties"}


class Effort:
    """Counts the steps of validations against one whole schema."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._document = SchemaDocument(schema)
        self._is_plain = not any(node.keys() & REFERENCES for node in subschemas(schema))

    def is_affordable(self, value: Any) -> bool:
        if self._is_plain:
            return True  # without references there is one path to each subschema
        try:
            return self._count(self._schema, value, {}) <= MAX_STEPS
        except RecursionError:
            return False

    def _count(self, schema: Any, value: Any, known: dict[tuple[int, int], int]) -> int:
        # By identity, as both may be unhashable and large; they live at least as long as the count.
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
        """Yield the subschemas that apply to a value and to its members."""
        if not isinstance(schema, dict):
            return
        for keyword in REFERENCES:
            if isinstance(ref := schema.get(keyword), str):
                yield self._document.resolve(ref), value
        for _, _, part in child_schemas(schema, IN_PLACE):
            yield part, value
        if isinstance(value, dict):
            yield from _for_object(schema, value)
        elif isinstance(value, list):
            yield from _for_list(schema, value)


def _for_object(schema: dict[str, Any], value: dict[str, Any]) -> Iterator[_Pair]:
    if isinstance(properties := schema.get("properties"), dict):
        for name in properties.keys() & value.keys():
            yield properties[name], value[name]
    for _, _, part in child_schemas(schema, _OF_EACH_MEMBER):
        for member in value.values():
            yield part, member
    for _, _, part in child_schemas(schema, ("propertyNames",)):
        for name in value:
            yield part, name


def _for_list(schema: dict[str, Any], value: list[Any]) -> Iterator[_Pair]:
    for _, index, part in child_schemas(schema, OF_ITEMS):
        for item in value[index : index + 1] if isinstance(index, int) else value:
            yield part, item
