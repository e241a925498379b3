"""Choose the alternative for a value: a heuristic, good enough to show the right fields.

Validity is not checked here. A wrong choice loses nothing, because fields hold values that do not fit.
"""

from typing import Any

from workbench.model.forms.conversion import is_equal
from workbench.model.forms.shape import Shape
from workbench.model.forms.shape_reader import ShapeReader

NO_FIT = -1000  # The score of a value that cannot be filled in.

_MAX_MEMBERS = 20  # How many keys or items of a value are checked.


def best_variant(shapes: ShapeReader, shape: Shape, value: Any) -> int | None:
    """Return the index of the alternative that fits a value best; None if none fits."""
    scores = [score(shapes, shapes.shape(variant.schema), value) for variant in shape.variants]
    best = max(scores, default=NO_FIT)
    return scores.index(best) if best > NO_FIT else None


def score(shapes: ShapeReader, shape: Shape, value: Any, depth: int = 0) -> int:
    """Return how well a value fits a shape: higher is better, NO_FIT is not at all."""
    if value is None:
        return 1 if shape.nullable else NO_FIT
    match shape.kind:
        case "json":
            return 0
        case "choice":
            return 5 if any(is_equal(choice.value, value) for choice in shape.choices) else NO_FIT
        case "string":
            return 2 if isinstance(value, str) else NO_FIT
        case "boolean":
            return 2 if isinstance(value, bool) else NO_FIT
        case "integer":
            return 3 if _is_number(value) and value == int(value) else NO_FIT
        case "number":
            return 2 if _is_number(value) else NO_FIT
        case "variant":
            # Its alternatives are scored when it is filled in itself: here the work would multiply.
            return 1
        case "array" | "choices" if isinstance(value, list):
            return 2 + _items_score(shapes, shape, value, depth)
        case "object" | "map" if isinstance(value, dict):
            return 2 + _keys_score(shapes, shape, value, depth)
        case _:
            return NO_FIT


def _items_score(shapes: ShapeReader, shape: Shape, value: list[Any], depth: int) -> int:
    if depth > 1:
        return 0
    schemas = [*shape.prefix, *([] if shape.items is None else [shape.items] * _MAX_MEMBERS)]
    pairs = zip(value[:_MAX_MEMBERS], schemas, strict=False)
    fits = [score(shapes, shapes.shape(schema), item, depth + 1) > NO_FIT for item, schema in pairs]
    return sum(1 if fit else -3 for fit in fits) - 3 * max(min(len(value), _MAX_MEMBERS) - len(schemas), 0)


def _keys_score(shapes: ShapeReader, shape: Shape, value: dict[str, Any], depth: int) -> int:
    total = -3 * len(shape.required - value.keys())
    for key, member in list(value.items())[:_MAX_MEMBERS]:
        if key in shape.properties:
            member_shape = shapes.shape(shape.properties[key])
            if depth > 1 or score(shapes, member_shape, member, depth + 1) > NO_FIT:
                total += 3 if member_shape.kind == "choice" and len(member_shape.choices) == 1 else 2
            else:
                # A constant that differs is clear evidence for another alternative.
                total -= 50 if member_shape.kind == "choice" else 3
        elif shape.additional is None and not shape.patterns:
            total -= 5
        elif isinstance(shape.additional, dict) and depth <= 1:
            total += 1 if score(shapes, shapes.shape(shape.additional), member, depth + 1) > NO_FIT else -3
        else:
            total -= 1
    return total


def _is_number(value: Any) -> bool:
    # An infinity is no JSON number, and has no int().
    return type(value) is int or (type(value) is float and value - value == 0)
