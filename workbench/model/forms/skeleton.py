"""The JSON in which a user begins: the value, with a placeholder for each required field that has none.

A placeholder is a text such as "‹integer›". It is no value: a JSON text is read as if its placeholders were missing.
"""

from collections.abc import Collection, Mapping
from typing import Any

from workbench.model.forms.field import Field, FieldState
from workbench.model.forms.shape import ABSENT, Shape
from workbench.model.forms.shape_reader import ShapeReader
from workbench.model.short_text import shortened

_NAMES = {"string": "text", "boolean": "true or false", "json": "JSON value", "object": "object", "map": "object"}
_LONGEST = 60


def skeleton(shapes: ShapeReader, field: Field, placeholders: dict[str, bool], files: Mapping[str, str]) -> Any:
    """Return the value of a field with placeholders; ABSENT if there is none.

    The placeholders are added to the dictionary, each with whether it stands for text; a text that names a file is
    replaced by that in `files`.
    """
    if field.kind == "variant" and field.variant is not None:
        return skeleton(shapes, field.target, placeholders, files)
    if field.kind in ("object", "map") and field.state is FieldState.SET:
        members = ((child.name, skeleton(shapes, child, placeholders, files)) for child in field.children)
        return {name: value for name, value in members if value is not ABSENT}
    if field.kind == "array" and field.state is FieldState.SET and files:
        return [skeleton(shapes, item, placeholders, files) for item in field.sent_items()]
    if field.state is not FieldState.OMITTED or not field.required:
        return files.get(field.text, field.value()) if field.file is not None else field.value()
    placeholder = _placeholder(shapes, field.shape)
    placeholders[placeholder] = _is_text(shapes, field.shape)
    return [placeholder] if field.kind == "array" else placeholder


def without_placeholders(value: Any, placeholders: Collection[str]) -> Any:
    """Return a value without the members and items that are placeholders; ABSENT for a placeholder."""
    if isinstance(value, dict):
        members = ((key, without_placeholders(member, placeholders)) for key, member in value.items())
        return {key: member for key, member in members if member is not ABSENT}
    if isinstance(value, list):
        items = [without_placeholders(item, placeholders) for item in value]
        kept = [item for item in items if item is not ABSENT]
        # A list of nothing but placeholders has not been filled in.
        return ABSENT if items and not kept else kept
    return ABSENT if isinstance(value, str) and value in placeholders else value


def _placeholder(shapes: ShapeReader, shape: Shape) -> str:
    """Return the type of a value, or its choices, in quotes that no JSON has."""
    match shape.kind:
        case "choice":
            text = " | ".join(choice.label for choice in shape.choices)
        case "variant":
            text = " or ".join(variant.label for variant in shape.variants)
        case "array" if shape.items is not None:
            inner = shapes.shape(shape.items)
            return "‹list›" if inner.kind == "array" else _placeholder(shapes, inner)
        case "string" if shape.format:
            text = shape.format
        case kind:
            text = _NAMES.get(kind, kind)
    return f"‹{shortened(text, _LONGEST)}›"


def _is_text(shapes: ShapeReader, shape: Shape) -> bool:
    if shape.kind == "array" and shape.items is not None:
        shape = shapes.shape(shape.items)
    texts = bool(shape.choices) and all(isinstance(choice.value, str) for choice in shape.choices)
    return shape.kind == "string" or (shape.kind == "choice" and texts)
