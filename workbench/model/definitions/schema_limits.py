"""The keywords of one flat schema that limit its values, before and after: what became narrower or wider.

Source: JSON Schema 2020-12, Validation, section 6; Core, sections 10.2.2 and 10.3.1.
"""

from collections.abc import Iterator, Mapping
from enum import Flag
from typing import Any, TypeAlias

from workbench.model.definitions.value_sets import json_text
from workbench.model.describe import json_line
from workbench.model.forms.constraints import number

Flat: TypeAlias = Mapping[str, Any]


class Effect(Flag):
    """What a change does to the set of accepted values."""

    NONE = 0
    NARROWER = 1
    WIDER = 2
    BOTH = 3


LOWER = {
    "minimum": "minimum",
    "exclusiveMinimum": "exclusive minimum",
    "minLength": "minimum length",
    "minItems": "minimum number of items",
    "minProperties": "minimum number of members",
    "minContains": "minimum number of matching items",
}
UPPER = {
    "maximum": "maximum",
    "exclusiveMaximum": "exclusive maximum",
    "maxLength": "maximum length",
    "maxItems": "maximum number of items",
    "maxProperties": "maximum number of members",
    "maxContains": "maximum number of matching items",
}
OPAQUE = {
    "multipleOf": "step",
    "pattern": "pattern",
    "format": "format",
    "contentEncoding": "encoding",
    "contentMediaType": "media type",
    "contentSchema": "schema of the content",
    "dependentRequired": "list of members that require others",
    "dependentSchemas": "condition",
    "dependencies": "condition",
    "if": "condition",
    "then": "condition",
    "else": "condition",
    "not": "exception",
    "unevaluatedProperties": "rule for other members",
    "unevaluatedItems": "rule for other items",
}
"""Limits whose old and new value are only compared as a whole."""


def limit_changes(old: Flat, new: Flat) -> Iterator[tuple[str, str, Effect]]:
    """Yield the changed limits: the keyword, the change as words that follow the name of the value, the effect."""
    for keyword, name in (LOWER | UPPER).items():
        yield from _bound_changes(keyword, name, number(old, keyword), number(new, keyword))
    for keyword, name in OPAQUE.items():
        yield from _opaque_changes(keyword, name, old, new)
    before, after = old.get("uniqueItems") is True, new.get("uniqueItems") is True
    if before != after:
        words = "must have no duplicate items now" if after else "may have duplicate items now"
        yield "uniqueItems", words, Effect.NARROWER if after else Effect.WIDER


def _bound_changes(
    keyword: str, name: str, before: float | None, after: float | None
) -> Iterator[tuple[str, str, Effect]]:
    if before == after:
        return
    if after is None:
        yield keyword, f"has no {name} any more", Effect.WIDER
    elif before is None:
        yield keyword, f"has a {name} now: {after}", Effect.NARROWER
    else:
        is_narrower = (after > before) == (keyword in LOWER)
        yield keyword, f"has the {name} {after} now, not {before}", Effect.NARROWER if is_narrower else Effect.WIDER


def _opaque_changes(keyword: str, name: str, old: Flat, new: Flat) -> Iterator[tuple[str, str, Effect]]:
    if keyword not in old and keyword not in new:
        return
    if keyword not in new:
        yield keyword, f"has no {name} any more", Effect.WIDER
    elif keyword not in old:
        yield keyword, f"has a {name} now: {json_line(new[keyword], 60)}", Effect.NARROWER
    elif json_text(old[keyword]) != json_text(new[keyword]):
        yield keyword, f"has another {name}: {json_line(new[keyword], 60)}", Effect.BOTH
