"""A validator for a schema of any quality; imported when the first value is checked, because the engine is large."""

from typing import Any

import jsonschema_rs
from jsonschema_rs import ValidationError, Validator

from workbench.model.subschemas import Subschemas

MOST_WORK = 20_000
"""How many subschemas may apply to one place of a value; what asks for more is not checked."""
_MOST_REPAIRS = 30
_DEEPEST = 200
# The keywords whose subschemas apply to the same place of the value, so that they multiply.
_IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
_IN_PLACE = ("not", "if", "then", "else")
_DATA = frozenset({"const", "enum", "default", "examples"})


def validator_for(schema: Any) -> Validator | None:
    """Return a validator; None when the schema cannot be used, or would take too long.

    The draft is 2020-12 unless `$schema` names another one; remote references are not fetched, and ask for nothing.
    """
    if not isinstance(schema, dict):
        return jsonschema_rs.Draft202012Validator(schema is not False)
    if _nesting(schema) > _DEEPEST or _Work(schema).is_too_much():
        return None
    mended = _without_dead_references(schema, Subschemas(schema))
    for _ in range(_MOST_REPAIRS):
        try:
            return _build(mended)
        except ValidationError as error:
            path = list(error.instance_path)
            if not path or not _remove(mended, path):
                return None
        except ValueError:
            return None
    return None


def _build(schema: dict[str, Any]) -> Validator:
    named = schema.get("$schema")
    if isinstance(named, str) and any(draft in named for draft in ("draft-04", "draft-06", "draft-07", "2019-09")):
        return jsonschema_rs.validator_for(schema, validate_formats=True, offline=True)
    plain = {key: value for key, value in schema.items() if key != "$schema"}
    return jsonschema_rs.Draft202012Validator(plain, validate_formats=True, offline=True)


def _remove(schema: Any, path: list[str | int]) -> bool:
    """Take out what the path points to; from a list, the keyword that holds the list."""
    *above, last = path
    holder = schema
    for key in above:
        holder = holder[key]
    if isinstance(holder, dict) and last in holder:
        del holder[last]
        return True
    return _remove(schema, above) if above else False


def _without_dead_references(node: Any, subschemas: Subschemas) -> Any:
    """Return a copy in which references that lead nowhere are left out; the copy may be mended."""
    if isinstance(node, dict):
        return {
            key: value if key in _DATA else _without_dead_references(value, subschemas)
            for key, value in node.items()
            if not (key in ("$ref", "$dynamicRef") and isinstance(value, str) and not subschemas.leads_somewhere(value))
        }
    if isinstance(node, list):
        return [_without_dead_references(one, subschemas) for one in node]
    return node


def _nesting(schema: Any) -> int:
    depth, layer = 0, [schema]
    while layer and depth <= _DEEPEST:
        layer = [one for holder in layer for one in _members(holder) if isinstance(one, dict | list)]
        depth += 1
    return depth


def _members(holder: Any) -> Any:
    return holder.values() if isinstance(holder, dict) else holder


class _Work:
    """Counts how many subschemas apply to one place of a value: references can double them at every step."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._subschemas = Subschemas(root)
        self._counts: dict[int, int] = {}

    def is_too_much(self) -> bool:
        waiting: list[Any] = [self._root]
        while waiting:
            one = waiting.pop()
            if isinstance(one, dict):
                try:
                    if self._count(one) > MOST_WORK:
                        return True
                except RecursionError:
                    return True
            waiting.extend(member for member in _members(one) if isinstance(member, dict | list))
        return False

    def _count(self, schema: Any) -> int:
        if not isinstance(schema, dict):
            return 1
        if id(schema) in self._counts:
            return self._counts[id(schema)]
        self._counts[id(schema)] = 1  # a circle ends here
        count = 1
        for keyword in _IN_PLACE_LISTS:
            parts = schema.get(keyword)
            count += sum(self._count(one) for one in parts) if isinstance(parts, list) else 0
        count += sum(self._count(schema[keyword]) for keyword in _IN_PLACE if keyword in schema)
        for keyword in ("$ref", "$dynamicRef"):
            if isinstance(ref := schema.get(keyword), str):
                count += self._count(self._subschemas.resolve(ref))
        self._counts[id(schema)] = min(count, MOST_WORK + 1)
        return self._counts[id(schema)]
