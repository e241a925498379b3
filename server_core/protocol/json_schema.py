"""The keywords of JSON Schema whose values are schemas, and walks over the subschemas of a schema.

Rule 1: schemas come from authors and servers and may be anything: a keyword with another value has no subschemas.
Rule 2: data (`const`, `default`, unknown keywords) is not descended into.

Source: JSON Schema 2020-12, Core, sections 8.2, 10 and 11; Validation, section 8.5; 2019-09 and draft 7 for
`$recursiveRef`, `additionalItems`, `definitions`, `dependencies` and the list form of `items`.
"""

from collections.abc import Callable, Container, Iterator
from typing import Any, TypeAlias

Key: TypeAlias = str | int | None

IN_PLACE = frozenset({"allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then"})
"""Keywords whose subschemas apply to the value itself."""
OF_MEMBERS = frozenset({"additionalProperties", "patternProperties", "properties", "unevaluatedProperties"})
"""Keywords whose subschemas apply to the members of an object."""
OF_ITEMS = frozenset({"additionalItems", "contains", "items", "prefixItems", "unevaluatedItems"})
"""Keywords whose subschemas apply to the items of an array."""
DEFINITIONS = ("$defs", "definitions")
"""Keywords whose subschemas only apply where a reference leads to them."""
KEYWORDS = IN_PLACE | OF_MEMBERS | OF_ITEMS | {"contentSchema", "propertyNames", *DEFINITIONS}
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")

_LISTS = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
_MAPS = frozenset({"dependencies", "dependentSchemas", "patternProperties", "properties", *DEFINITIONS})


def child_schemas(schema: Any, keywords: Container[str] = KEYWORDS) -> Iterator[tuple[str, Key, dict[str, Any]]]:
    """Yield the schemas directly below some keywords of a schema, in document order, except booleans.

    Before each are its keyword, and its name or index in it (None if the keyword's value itself is the schema).
    """
    for keyword, value in schema.items() if isinstance(schema, dict) else ():
        if keyword not in keywords:
            continue
        inner: Any = ((None, value),)
        if keyword in _MAPS:
            inner = value.items() if isinstance(value, dict) else ()
        elif keyword in _LISTS and isinstance(value, list):
            inner = enumerate(value)
        for key, part in inner:
            if isinstance(part, dict):
                yield keyword, key, part


def subschemas(schema: Any, resolve: Callable[[str], Any] | None = None) -> Iterator[dict[str, Any]]:
    """Yield a schema and all its subschemas, each object once, in document order.

    The target of a reference, which `resolve` returns, is visited after the subschemas; by default none is followed.
    """
    # By identity: a resolved schema may contain itself, and dicts are not hashable.
    waiting, seen = [schema], set[int]()
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict) and id(node) not in seen:
            seen.add(id(node))
            yield node
            targets = [resolve(node[name]) for name in REFERENCES if isinstance(node.get(name), str)] if resolve else []
            waiting += [*targets, *reversed([part for _, _, part in child_schemas(node)])]
