"""The alternative of a schema that accepts a text: while the text is written, or where alternatives are chosen."""

from typing import Any

from workbench.model.forms.choice_problem import choice_problem
from workbench.model.forms.conversion import ConversionError, json_value
from workbench.model.forms.field import Field, FieldState
from workbench.model.forms.form_values import type_text
from workbench.model.forms.shape import ABSENT, Shape
from workbench.model.forms.shape_reader import ShapeReader
from workbench.model.forms.variant_score import best_variant


def typed_variant_value(shapes: ShapeReader, field: Field, text: str) -> Any:
    """Return the value that a text is for one of the alternatives; ValueError if none of them accepts it."""
    for value in _readings(text):
        if value is None and field.nullable:
            return None
        if best_variant(shapes, field.shape, value) is not None:
            return value
    if (written := _written(shapes, field, text)) is not None:
        return written[1]
    problem = choice_problem(text, field.variants)
    raise ValueError(f"no choice has {text!r} in its name, or accepts it as a value: {problem}")


def written_variant(shapes: ShapeReader, field: Field, text: str) -> int | None:
    """Return the first alternative that accepts a whole text, of those that are written; None if there is none.

    Any text is a text: alternatives of that kind come last, and numbers before lists of them.
    """
    written = _written(shapes, field, text)
    return None if written is None else written[0]


def follow_text(shapes: ShapeReader, field: Field, text: str) -> None:
    """Choose the alternative that accepts a text, before it is typed; one that the user has picked stays."""
    content = field.children[0] if field.kind == "variant" and field.variant is not None else None
    if content is None or not content.is_written:
        return
    if field.is_picked is None:
        # A value was loaded: the alternative is that of its text, or was picked when the value was made.
        is_filled = content.state is FieldState.SET
        field.is_picked = is_filled and written_variant(shapes, field, content.text) != field.variant
    variant = None if field.is_picked else written_variant(shapes, field, text)
    if variant is not None and variant != field.variant:
        # The text goes on in the other alternative.
        content.reset()
        field.choose(variant)


def _written(shapes: ShapeReader, field: Field, text: str) -> tuple[int, Any] | None:
    """Return the index of the alternative that accepts a text, and its value."""
    if not text.strip():
        return None
    kinds = [shapes.shape(variant.schema) for variant in field.shape.variants]
    for index in sorted(range(len(kinds)), key=lambda index: _rank(shapes, kinds[index], text)):
        content = field.content_of(index)
        if not content.is_written or (content.is_line and "\n" in text):
            continue
        type_text(shapes, content, text)
        is_read = content.is_written and not any(each.typing_problem for each in content.visible())
        if is_read and (value := content.value()) is not ABSENT:
            return index, value
    return None


def _rank(shapes: ShapeReader, shape: Shape, text: str) -> int:
    """Return when an alternative is asked, among the others: those that accept any text come last."""
    if shape.kind in ("integer", "number"):
        return 0
    is_list = shape.kind == "array"
    if is_list and text.lstrip().startswith("[") and text.rstrip().endswith("]"):
        return 1
    return 3 if shape.kind == "string" or (is_list and _has_texts(shapes, shape)) else 2


def _has_texts(shapes: ShapeReader, shape: Shape) -> bool:
    return shapes.shape(True if shape.items is None else shape.items).kind == "string"


def _readings(text: str) -> list[Any]:
    """Return what a text may stand for: a JSON value that is no text, and the text itself."""
    try:
        value = json_value(text)
    except ConversionError:
        return [text]
    return [text] if isinstance(value, str) else [value, text]
