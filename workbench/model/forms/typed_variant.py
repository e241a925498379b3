"""A value that is typed where an alternative of a schema is chosen: it chooses the alternative that accepts it."""

from typing import Any

from workbench.model.forms.choice_problem import choice_problem
from workbench.model.forms.conversion import ConversionError, json_value
from workbench.model.forms.field import Field
from workbench.model.forms.shape_reader import ShapeReader
from workbench.model.forms.variant_score import best_variant


def typed_variant_value(shapes: ShapeReader, field: Field, text: str) -> Any:
    """Return the value that a text is for one of the alternatives; ValueError if none of them accepts it."""
    for value in _readings(text):
        if value is None and field.nullable:
            return None
        if best_variant(shapes, field.shape, value) is not None:
            return value
    problem = choice_problem(text, field.variants)
    raise ValueError(f"no choice has {text!r} in its name, or accepts it as a value: {problem}")


def _readings(text: str) -> list[Any]:
    """Return what a text may stand for: a JSON value that is no text, and the text itself."""
    try:
        value = json_value(text)
    except ConversionError:
        return [text]
    return [text] if isinstance(value, str) else [value, text]
