"""The choices of an enumeration, in any of the usual notations: `const`, `enum`, or alternatives that are constants."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from workbench.model import describe
from workbench.model.forms.schema_document import SchemaDocument
from workbench.model.forms.shape import EnumChoice
from workbench.model.json_members import text_in
from workbench.model.short_text import shortened

MAX_CHOICES = 2000  # Longer enumerations are typed: no user searches for a value in such a list.


def find_choices(flat: Mapping[str, Any], document: SchemaDocument) -> list[EnumChoice] | None:
    """Return the values of an enumeration, in any of the usual notations; None for other schemas."""
    choices = _find_choices(flat, document)
    return None if choices is None else _with_distinct_labels(choices)


def _with_distinct_labels(choices: list[EnumChoice]) -> list[EnumChoice]:
    """Show the value as JSON where different values have the same label, such as the text 1 and the number 1."""
    counts = Counter(choice.label for choice in choices)
    return [choice if counts[choice.label] == 1 else _as_json(choice) for choice in choices]


def _as_json(choice: EnumChoice) -> EnumChoice:
    text = describe.json_line(choice.value)
    return EnumChoice(choice.value, text if choice.label == value_label(choice.value) else f"{choice.label} ({text})")


def _find_choices(flat: Mapping[str, Any], document: SchemaDocument) -> list[EnumChoice] | None:
    if "const" in flat and flat["const"] is not None:
        return [EnumChoice(flat["const"], value_label(flat["const"]))]
    if isinstance(options := flat.get("enum"), list) and any(option is not None for option in options):
        if len(options) > MAX_CHOICES:
            return None
        names = flat.get("enumNames")
        labels = names if isinstance(names, list) else []
        return [
            EnumChoice(
                value,
                shortened(labels[i]) if i < len(labels) and isinstance(labels[i], str) else value_label(value),
            )
            for i, value in enumerate(options)
            if value is not None
        ]
    for keyword in ("oneOf", "anyOf"):
        if isinstance(alternatives := flat.get(keyword), list) and alternatives:
            choices = _titled_choices(alternatives, document)
            if choices:
                return choices
    return None


def _titled_choices(alternatives: list[Any], document: SchemaDocument) -> list[EnumChoice] | None:
    choices = []
    for alternative in alternatives:
        if not isinstance(alternative, dict):
            return None
        flat = document.flatten(alternative)
        if "const" in flat:
            label = shortened(text_in(flat, "title")) or value_label(flat["const"])
            listed = [EnumChoice(flat["const"], label)]
        elif isinstance(options := flat.get("enum"), list):
            listed = [EnumChoice(value, value_label(value)) for value in options]
        elif flat.get("type") == "null":
            listed = []
        else:
            return None
        choices += [choice for choice in listed if choice.value is not None]
    return choices


def value_label(value: Any) -> str:
    """Return the label of a value of an enumeration: text without quotes, all else as JSON."""
    return shortened(value) if isinstance(value, str) and value else describe.json_line(value)
