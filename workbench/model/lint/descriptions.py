"""Descriptions: what is missing, what says nothing, and limits that are told in prose alone."""

import re
from collections.abc import Iterator
from typing import Any

from workbench.model.lint.finding import Finding, Json, advice, schema_of, text, warning
from workbench.model.lint.walking import subschemas, told

_SHORT = 12
# OpenAI's limit for the description of a function.
_LONGEST = 1024

_NUMBER = r"-?\d+(?:[.,]\d+)?"
_LIMITS = re.compile(
    rf"between {_NUMBER} and {_NUMBER}|from {_NUMBER} to {_NUMBER}|{_NUMBER}\s?(?:-|–|\.\.)\s?{_NUMBER}"
    rf"|(?:at most|at least|up to|no more than|maximum(?: of)?|minimum(?: of)?|max\.?|min\.?)[ :]+{_NUMBER}"
    r"|must be (?:positive|non-?negative|greater than|less than)",
    re.IGNORECASE,
)
_CHOICES = re.compile(
    r"(?:one of|either|allowed values?(?: are)?|valid values?(?: are)?|possible values?(?: are)?|options?(?: are)?)"
    r"[: ]+[\"'`]?\w+[\"'`]?(?:,| or )",
    re.IGNORECASE,
)
_FORMS = re.compile(r"YYYY-?MM|ISO[ -]?8601|RFC[ -]?3339|HH:MM|\buuid\b|e-?mail address|\bvalid url\b", re.IGNORECASE)

_NUMERIC = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_SIZES = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_FIXED = ("enum", "const", "pattern", "format")


def tool_description(tool: Json) -> Iterator[Finding]:
    """Find a description that is missing, says nothing, or is too long."""
    name, description = text(tool.get("name")), text(tool.get("description")).strip()
    if not description:
        yield warning(
            "missing-description",
            f"Tool {name!r} has no description, so a model cannot know when to use it.",
            "Write a docstring, or give `desc=` to the decorator.",
        )
    elif len(description) < _SHORT or _bare(description) == _bare(name):
        yield advice(
            "short-description",
            f"Tool {name!r}: its description says no more than its name.",
            "Say what it does, when to use it, and what it returns.",
        )
    elif len(description) > _LONGEST:
        yield warning(
            "long-description",
            f"Tool {name!r}: its description has {len(description)} characters; OpenAI takes {_LONGEST}.",
            "Keep what a model needs to choose it, and move the rest to the parameters.",
        )


def parameter_descriptions(tool: Json) -> Iterator[Finding]:
    """Find parameters that are not described."""
    properties = schema_of(tool).get("properties")
    missing = [
        name
        for name, schema in (properties.items() if isinstance(properties, dict) else ())
        if isinstance(schema, dict) and not _is_described(schema)
    ]
    if missing:
        names = ", ".join(missing[:10]) + (", ..." if len(missing) > 10 else "")
        yield advice(
            "parameter-description",
            f"Tool {text(tool.get('name'))!r} does not say what to give for: {names}.",
            'Write `Annotated[str, "what it is"]`, or a line under Args in the docstring.',
        )


def limits_in_prose(tool: Json) -> Iterator[Finding]:
    """Find what a description asks for and the schema does not: neither clients nor our checks see it."""
    for place, schema in subschemas(schema_of(tool)):
        description = text(schema.get("description"))
        if not place or not description:
            continue
        for pattern, keywords, example in (
            (_LIMITS, (*_NUMERIC, *_SIZES, "enum"), "Field(ge=1, le=100)"),
            (_CHOICES, (*_FIXED, "anyOf", "oneOf", "$ref", "items"), 'Literal["a", "b"]'),
            (_FORMS, (*_FIXED, "$ref", "anyOf", "items"), "datetime.date, or Field(pattern=...)"),
        ):
            if (found := pattern.search(description)) and not any(_says(schema, keyword) for keyword in keywords):
                yield advice(
                    "limit-in-prose",
                    f"Tool {text(tool.get('name'))!r}: {told(place)} is said to be {found.group()!r},"
                    " but its schema does not say so.",
                    f"Let the type say it: `{example}`.",
                )
                break


def argument_descriptions(prompt: Json) -> Iterator[Finding]:
    """Find prompts, and arguments of prompts, that are not described."""
    name = text(prompt.get("name"))
    if not text(prompt.get("description")).strip():
        yield advice("missing-description", f"Prompt {name!r} has no description.", "Write a docstring.")
    arguments = prompt.get("arguments")
    for argument in arguments if isinstance(arguments, list) else ():
        if isinstance(argument, dict) and not text(argument.get("description")).strip():
            yield advice(
                "parameter-description",
                f"Prompt {name!r} does not say what to give for {text(argument.get('name'))!r}.",
                'Write `Annotated[str, "what it is"]`.',
            )


def resource_description(resource: Json) -> Iterator[Finding]:
    """Find resources that say neither what they are nor in which form."""
    address = text(resource.get("uri")) or text(resource.get("uriTemplate"))
    if not text(resource.get("description")).strip():
        yield advice("missing-description", f"Resource {address!r} has no description.", "Write a docstring.")
    if not text(resource.get("mimeType")):
        yield advice(
            "missing-mime-type",
            f"Resource {address!r} does not say what its contents are.",
            'Give `mime_type="text/markdown"`, say.',
        )


def _is_described(schema: dict[str, Any]) -> bool:
    return bool(text(schema.get("description")).strip() or schema.get("const") is not None)


def _says(schema: dict[str, Any], keyword: str) -> bool:
    """Whether a schema, or an alternative in it, has a keyword."""
    branches = schema.get("anyOf")
    if keyword == "anyOf":  # Beside null, an alternative is none.
        return isinstance(branches, list) and len(branches) > 2
    return keyword in schema or any(
        isinstance(one, dict) and keyword in one for one in (branches if isinstance(branches, list) else ())
    )


def _bare(words: str) -> str:
    return re.sub(r"[^a-z0-9]", "", words.lower())
