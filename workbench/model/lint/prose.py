"""Check for limits, choices and formats in a description that the schema lacks: clients and validators ignore them.

Examples, defaults and alternatives are ignored, and so are requirements that a schema cannot express.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workbench.model.json_members import text_in
from workbench.model.lint.finding import Finding, Json, advice, schema_of
from workbench.model.lint.schema_walk import describe_place, placed_subschemas

_NUMBER = r"-?\d+(?:[.,]\d+)?"
_QUOTED = r"[\"'`][\w.\-]+[\"'`]"
_WORD = rf"(?:{_QUOTED}|[\w\-]+)"

_NUMERIC = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_SIZES = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_FIXED = ("enum", "const", "pattern", "format", "$ref", "anyOf", "items")

_EXAMPLE = re.compile(r"(?:\be\.?g\.?|\bexamples?\b|\bsuch as\b|\blike\b|\bfor instance\b|\bdefaults?\b)[^.;]*$", re.I)
_OR = re.compile(r"\bor (?:an? |the |its |their )?$|\b(?:random|defaults?)\b[^.;]*$", re.I)
_OF_TEXTS = re.compile(r"[ -]*(?:char|letter|digit|symbol|long\b)", re.I)


@dataclass(frozen=True)
class _Requirement:
    """A requirement in descriptions, and the schema keywords that express it."""

    pattern: re.Pattern[str]  # matches the requirement in a description
    keywords: tuple[str, ...]  # any of them expresses it
    fix: str  # how a type annotation expresses it
    aside: re.Pattern[str] = _EXAMPLE  # text before the match which shows that it is no requirement


def _form(pattern: str, fix: str) -> _Requirement:
    return _Requirement(re.compile(pattern, re.I), (*_FIXED, "oneOf"), fix, _OR)


_LIMIT = _Requirement(
    re.compile(
        rf"between {_NUMBER} and {_NUMBER}|from {_NUMBER} to {_NUMBER}"
        rf"|(?<![\w.,/\-]){_NUMBER}\s?(?:-|–|\.\.)\s?{_NUMBER}(?![\w\-]|[.,/:]\d)"
        rf"|(?:at most|at least|up to|no more than|maximum(?: of)?|minimum(?: of)?|max\.?|min\.?)[ :]+{_NUMBER}",
        re.I,
    ),
    (*_NUMERIC, *_SIZES, "enum", "const", "pattern", "format"),
    "Field(ge=1, le=100)",
)
_TABLE = (
    _LIMIT,
    _Requirement(
        re.compile(r"must be (?:positive|non-?negative|greater than|less than)", re.I), _NUMERIC, "Field(gt=0)"
    ),
    _Requirement(
        re.compile(
            r"(?:one of|allowed values?(?: are)?|valid values?(?: are)?|possible values?(?: are)?|options?(?: are)?)"
            rf"[: ]+{_WORD}(?:,| or) ?{_WORD}|either {_WORD} or {_WORD}|{_QUOTED}(?:, {_QUOTED})*,? or {_QUOTED}",
            re.I,
        ),
        (*_FIXED, "oneOf"),
        'Literal["a", "b"]',
    ),
    _form(r"YYYY-?MM-?DD", "datetime.date"),
    _form(r"YYYY-?MM\b", 'Field(pattern=r"^\\d{4}-\\d{2}$")'),
    _form(r"ISO[ -]?8601|RFC[ -]?3339", "datetime.datetime"),
    _form(r"HH:MM", "datetime.time"),
    _form(r"\buuid\b", "uuid.UUID"),
    _form(r"e-?mail address", 'Field(json_schema_extra={"format": "email"})'),
    _form(r"\bvalid url\b", 'Field(pattern="^https?://")'),
)


def limits_in_prose(tool: Json) -> Iterator[Finding]:
    """Find requirements in a description that the schema lacks, once per parameter."""
    for place, schema in placed_subschemas(schema_of(tool)):
        description = text_in(schema, "description")
        if not place or not description or _types(schema) == {"boolean"}:
            continue
        for requirement in _TABLE:
            if (match := requirement.pattern.search(description)) and _is_missing(requirement, match, schema):
                yield advice(
                    "limit-in-prose",
                    f"Tool {text_in(tool, 'name')!r}: {describe_place(place)} is described as {match.group()!r},"
                    " but its schema does not require that.",
                    f"Declare it in the type: `{_fix(requirement, schema)}`.",
                    "Declare it in the schema.",
                )
                break


def _is_missing(requirement: _Requirement, match: re.Match[str], schema: dict[str, Any]) -> bool:
    before, behind = match.string[: match.start()], match.string[match.end() :]
    if requirement.aside.search(before) or (requirement.aside is _OR and re.match(r",? or\b", behind)):
        return False
    if requirement is _LIMIT and _types(schema) == {"string"} and not _OF_TEXTS.match(behind):
        return False  # A schema does not count words, sentences and the like.
    return not any(_has_keyword(schema, keyword) for keyword in requirement.keywords)


def _fix(requirement: _Requirement, schema: dict[str, Any]) -> str:
    sized = requirement is _LIMIT and _types(schema) <= {"string", "array"}
    return "Field(min_length=1, max_length=100)" if sized else requirement.fix


def _types(schema: dict[str, Any]) -> set[str]:
    """Return the types that a value may have, except null."""
    branches = schema.get("anyOf")
    all_of_them = [
        schema,
        *(branch for branch in (branches if isinstance(branches, list) else ()) if isinstance(branch, dict)),
    ]
    return {kind for branch in all_of_them if isinstance(kind := branch.get("type"), str)} - {"null"}


def _has_keyword(schema: dict[str, Any], keyword: str) -> bool:
    """Whether a schema, or an alternative in it, has a keyword."""
    branches = schema.get("anyOf")
    if keyword == "anyOf":  # An optional type is no alternative.
        return isinstance(branches, list) and len(branches) > 2
    return keyword in schema or any(
        isinstance(branch, dict) and keyword in branch for branch in (branches if isinstance(branches, list) else ())
    )
