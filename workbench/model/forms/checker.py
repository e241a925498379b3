"""Full validation of a value against its schema, with messages for the user who fills in a form.

Rules:

1. The validator is jsonschema-rs, imported when the first value is checked; it fetches nothing.
2. A schema that the validator rejects is repaired piece by piece (an invalid keyword is left out), so that the rest is
   still checked. What cannot be repaired, or would take too long, is not checked: the server has the last word.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from workbench.model import describe
from workbench.model.forms.constraints import FORMATS
from workbench.model.forms.effort import Effort
from workbench.model.references import is_reference
from workbench.model.short_text import shortened

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

MAX_VIOLATIONS = 300  # For each value.
_MAX_CHOICES = 10  # Values of an enumeration that a message lists.

_TYPE_NAMES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


@dataclass(frozen=True)
class Violation:
    """A violation of the schema by a value."""

    path: tuple[str | int, ...]  # from the root of the value; a missing or unexpected key is its last element
    keyword: str  # of the schema
    message: str  # for users
    error: "ValidationError"

    @cached_property
    def branches(self) -> list[list["Violation"]]:
        # Only some kinds of errors have this attribute, and the library declares no common type for them.
        context = getattr(self.error.kind, "context", None) or []
        return [list(_violations(islice(branch, MAX_VIOLATIONS))) for branch in context]


class Checker:
    """Checks values against one JSON Schema, which may be invalid."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema

    def check(self, value: Any) -> list[Violation] | None:
        """Return the violations of a value; None if it has no JSON form, or cannot be checked in reasonable time."""
        if self._validator is None or not self._effort.is_affordable(value):
            return None
        try:
            errors = self._validator.iter_errors(value)
            # The type of a reference is known when it is sent.
            typed = (error for error in errors if not is_reference(error.instance))
            return list(_violations(islice(typed, MAX_VIOLATIONS)))
        except ValueError:
            return None

    @cached_property
    def _effort(self) -> Effort:
        return Effort(self._schema if isinstance(self._schema, dict) else {})

    @cached_property
    def _validator(self) -> "Validator | None":
        from workbench.model.forms.validator import validator_for

        return validator_for(self._schema)


@lru_cache(maxsize=512)
def matches(pattern: str, text: str) -> bool:
    """Whether a text matches a regular expression of a schema, with limited work; an invalid one matches nothing."""
    # Unlike `re`, the library limits its work, and it matches in the dialect of the validator.
    import jsonschema_rs

    try:
        return jsonschema_rs.Draft202012Validator({"pattern": pattern}, offline=True).is_valid(text)
    except ValueError:
        return False


def _violations(errors: "Iterator[ValidationError]") -> Iterator[Violation]:
    for error in errors:
        path = tuple(error.instance_path)
        keyword = error.kind.name
        match keyword:
            case "required":
                yield Violation((*path, error.kind.property), keyword, "required", error)  # type: ignore[attr-defined]
            case "additionalProperties" | "unevaluatedProperties":
                for key in error.kind.unexpected:  # type: ignore[attr-defined]
                    yield Violation((*path, key), keyword, "this key is not allowed", error)
            case _:
                yield Violation(path, keyword, violation_message(error), error)


def violation_message(error: "ValidationError") -> str:
    kind: Any = error.kind
    value = error.instance
    match kind.name:
        case "type":
            return f"must be {_types(kind.types)}"
        case "minimum":
            return f"must be at least {_number(kind.limit)}"
        case "maximum":
            return f"must be at most {_number(kind.limit)}"
        case "exclusiveMinimum":
            return f"must be more than {_number(kind.limit)}"
        case "exclusiveMaximum":
            return f"must be less than {_number(kind.limit)}"
        case "multipleOf":
            return f"must be a multiple of {_number(kind.multiple_of)}"
        case "minLength":
            return f"needs at least {describe.plural(kind.limit, 'character')} (has {_length(value)})"
        case "maxLength":
            return f"may have at most {describe.plural(kind.limit, 'character')} (has {_length(value)})"
        case "minItems":
            return f"needs at least {describe.plural(kind.limit, 'item')} (has {_length(value)})"
        case "maxItems":
            return f"may have at most {describe.plural(kind.limit, 'item')} (has {_length(value)})"
        case "minProperties":
            return f"needs at least {describe.plural(kind.limit, 'key')} (has {_length(value)})"
        case "maxProperties":
            return f"may have at most {describe.plural(kind.limit, 'key')} (has {_length(value)})"
        case "pattern":
            return f"must match {shortened(kind.pattern, 80)}"
        case "format":
            return f"must be {FORMATS.get(kind.format, shortened(kind.format, 40))}"
        case "enum":
            labels = [describe.json_line(option, 40) for option in kind.options[:_MAX_CHOICES]]
            more = len(kind.options) - len(labels)
            return f"must be one of {', '.join(labels)}{f', … {more} more' if more > 0 else ''}"
        case "const":
            return f"must be {describe.json_line(kind.expected_value, 40)}"
        case "uniqueItems":
            return "has a duplicate item"
        case "contains":
            return "lacks required items"
        case "propertyNames":
            return f"has a key that is not allowed: {describe.json_line(kind.error.instance, 40)}"
        case "anyOf" | "oneOf" if getattr(kind, "context", None) and kind.name == "anyOf":
            return "matches none of the alternatives"
        case "oneOf":
            # The library has a class for each way of failing, and one name for both.
            is_ambiguous = type(kind).__name__ == "OneOfMultipleValid"
            return "matches several alternatives" if is_ambiguous else "matches none of the alternatives"
        case "not":
            return "this value is not allowed"
        case "falseSchema":
            return "no value is allowed here"
        case _:
            return shortened(error.message, 160)


def _types(types: list[str]) -> str:
    return " or ".join(_TYPE_NAMES.get(name, name) for name in sorted(types, key="null".__eq__))


def _number(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str | list | dict) else 0
