"""Iterate over the subschemas of a schema with their places, and find recursive types.

The depth and number are limited: schemas may be written to explode.
"""

from collections import deque
from collections.abc import Iterator
from typing import Any, TypeAlias

from server_core.protocol.json_schema import DEFINITIONS, OF_ITEMS, OF_MEMBERS, Key, child_schemas

MAX_NODES = 5000
DEEPEST = 100

# The keywords that lead to a subschema, each with the name or index in it.
Place: TypeAlias = tuple[tuple[str, Key], ...]


def placed_subschemas(schema: dict[str, Any]) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield each subschema with its place, the outer before the inner; the place of the whole schema is empty."""
    waiting: deque[tuple[Place, dict[str, Any]]] = deque([((), schema)])
    for _ in range(MAX_NODES):
        if not waiting:
            return
        place, node = waiting.popleft()
        yield place, node
        if len(place) < DEEPEST:
            waiting.extend(((*place, (keyword, key)), part) for keyword, key, part in child_schemas(node))


def levels(place: Place) -> int:
    """Return how many objects and lists a place is in."""
    return sum(keyword in OF_MEMBERS or keyword in OF_ITEMS for keyword, _ in place)


def describe_place(place: Place) -> str:
    """Return a place as text for users: `limit`, `items[].price`, or `its input schema` for the whole."""
    words: list[str] = []
    for keyword, key in place:
        if keyword in ("properties", "patternProperties"):
            words.append(str(key))
        elif keyword in DEFINITIONS:
            words = [str(key)]
        elif keyword == "items" and words:
            words[-1] += "[]"
    return ".".join(words) or "its input schema"


def definitions(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the definitions of a schema by the references to them, such as `#/$defs/Order`."""
    return {f"#/{keyword}/{name}": part for keyword, name, part in child_schemas(schema, DEFINITIONS)}


def first_recursive(schema: dict[str, Any]) -> str | None:
    """Return the name of the first definition that can be reached from itself."""
    leads: dict[str, set[str]] = {
        reference: {target for _, node in placed_subschemas(part) if isinstance(target := node.get("$ref"), str)}
        for reference, part in definitions(schema).items()
    }
    for reference in leads:
        reached: set[str] = set()
        waiting = set(leads[reference])
        while waiting:
            target = waiting.pop()
            if target not in reached:
                reached.add(target)
                waiting |= leads.get(target, set())
        if reference in reached:
            return reference.split("/", 2)[2]
    return None
