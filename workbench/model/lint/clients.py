"""Check for schemas that popular clients and models reject, or interpret in another way than intended.

Source: the interfaces of OpenAI (function calling, structured outputs), Anthropic (tool use) and Google (Gemini,
function declarations), as documented in 2026.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from workbench.model.json_members import text_in
from workbench.model.lint.finding import Finding, Json, advice, schema_of, warning
from workbench.model.lint.schema_walk import Place, describe_place, first_recursive, placed_subschemas

Schema: TypeAlias = dict[str, Any]


def root_schema(tool: Json) -> Iterator[Finding]:
    """Find root schemas that OpenAI and Anthropic reject."""
    name, schema = text_in(tool, "name"), schema_of(tool)
    if schema.get("type") != "object":
        yield warning(
            "schema-root", f"Tool {name!r}: the root of its input schema is not an object.", 'Use "type": "object".'
        )
    for keyword in ("oneOf", "anyOf", "allOf"):
        if keyword in schema:
            yield warning(
                "schema-root",
                f"Tool {name!r}: OpenAI and Anthropic refuse {keyword} at the root of an input schema.",
                "Move the alternatives into a parameter, or write a tool for each.",
            )


def refused_keywords(tool: Json) -> Iterator[Finding]:
    """Find constructs inside a schema that at least one of the three rejects."""
    name = text_in(tool, "name")
    for place, schema in placed_subschemas(schema_of(tool)):
        for refused in _REFUSED:
            if find := refused.find(place, schema):
                message = f"Tool {name!r}: {describe_place(place)} {refused.sentence.format(find)}"
                yield refused.finding(refused.rule, message, refused.fix, refused.elsewhere)


def references(tool: Json) -> Iterator[Finding]:
    """Find references that clients cannot resolve, and recursive types."""
    name, schema = text_in(tool, "name"), schema_of(tool)
    targets = [reference for _, node in placed_subschemas(schema) if isinstance(reference := node.get("$ref"), str)]
    if remote := next((target for target in targets if not target.startswith("#")), None):
        yield warning(
            "remote-reference",
            f"Tool {name!r} refers to {remote!r}, which clients do not fetch.",
            "Move the referenced schema into `$defs`.",
        )
    if recursive := first_recursive(schema):
        yield advice(
            "recursive-type",
            f"Tool {name!r}: the type {recursive!r} contains itself; Gemini and some clients refuse that.",
            "Refer to nested values by an id, or accept the nested part as JSON text.",
        )


def output_schema(tool: Json) -> Iterator[Finding]:
    """Find output schemas that clients before 2026-07-28 do not receive."""
    schema = tool.get("outputSchema")
    if isinstance(schema, dict) and schema.get("type") != "object":
        yield advice(
            "output-root",
            f"Tool {text_in(tool, 'name')!r}: clients up to 2025-11-25 accept only objects as structured results.",
            "Return a model or a dict.",
            "Return an object.",
        )


# The formats that OpenAI accepts.
_FORMATS = frozenset(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"])
_CONDITIONAL = ("if", "then", "else", "not", "dependentSchemas", "dependentRequired", "patternProperties")
# Any of these keywords describes the allowed values.
_DESCRIBING_KEYWORDS = (
    "type",
    "$ref",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "prefixItems",
    "properties",
    "not",
    "if",
)


def _is_list_of_anything(place: Place, schema: Schema) -> bool:
    return schema.get("type") == "array" and not any(
        keyword in schema for keyword in ("items", "prefixItems", "contains")
    )


def _is_untyped(place: Place, schema: Schema) -> bool:
    # Only where the schema describes a value itself, not where it adds a condition to another schema.
    is_given = bool(place) and place[-1][0] in ("items", "properties")
    return is_given and not any(keyword in schema for keyword in _DESCRIBING_KEYWORDS)


def _is_open(place: Place, schema: Schema) -> bool:
    has_members = schema.get("properties") or "patternProperties" in schema
    return bool(place) and schema.get("type") == "object" and not has_members


def _odd_format(place: Place, schema: Schema) -> str:
    form = schema.get("format")
    is_odd = isinstance(form, str) and schema.get("type") == "string" and form not in _FORMATS
    return repr(form) if is_odd else ""


def _has_other_choices(place: Place, schema: Schema) -> bool:
    choices = schema.get("enum")
    are_texts = isinstance(choices, list) and all(isinstance(choice, str) for choice in choices)
    return choices is not None and not are_texts


@dataclass(frozen=True, slots=True)
class _RefusedConstruct:
    """A construct that clients reject inside a schema."""

    rule: str
    # returns the construct in a schema at a place, as text for the sentence; falsy for none
    find: Callable[[Place, Schema], object]
    sentence: str  # follows the place; `{}` is replaced by the construct
    fix: str
    elsewhere: str = ""  # as for a finding
    finding: Callable[[str, str, str, str], Finding] = advice  # sets the severity


_REFUSED = (
    _RefusedConstruct(
        "array-items",
        _is_list_of_anything,
        "is a list of anything; OpenAI and Gemini refuse lists whose items have no schema.",
        "Declare the type of its items: `list[str]`.",
        "Declare the type of its items, in `items`.",
        warning,
    ),
    _RefusedConstruct(
        "untyped",
        _is_untyped,
        "has no type; Gemini refuses that, and a model cannot know what to pass.",
        "Declare its type: `str | int`.",
        "Declare its `type`.",
    ),
    _RefusedConstruct(
        "open-object",
        _is_open,
        "is an object without named members, which Gemini and strict OpenAI schemas refuse.",
        "Use a model with names, or a list of models.",
        "Declare its members in `properties`, or use a list of objects.",
    ),
    _RefusedConstruct(
        "one-of",
        lambda place, schema: place and "oneOf" in schema,
        "has alternatives in oneOf, which strict OpenAI schemas refuse.",
        "Use anyOf: a plain union `Cat | Dog`, without a discriminator.",
        "Use anyOf.",
    ),
    _RefusedConstruct(
        "string-format",
        _odd_format,
        "has the format {}, which strict OpenAI schemas refuse.",
        "Use a `str`, with a pattern if possible, and check it in the function.",
        "Use a string with a pattern if possible, and check it in the tool.",
    ),
    _RefusedConstruct(
        "tuple",
        lambda place, schema: "prefixItems" in schema,
        "is a tuple, which Gemini and strict OpenAI schemas refuse.",
        "Use a model with names.",
        "Use an object with named members.",
    ),
    _RefusedConstruct(
        "type-list",
        lambda place, schema: isinstance(schema.get("type"), list),
        "has a list of types, which Gemini refuses.",
        "Use anyOf, as in `int | None`.",
        "Use anyOf.",
    ),
    _RefusedConstruct(
        "enum-values", _has_other_choices, "has choices that are not strings, which Gemini refuses.", "Use strings."
    ),
    _RefusedConstruct(
        "conditional-schema",
        lambda place, schema: ", ".join(keyword for keyword in _CONDITIONAL if keyword in schema),
        "uses {}; OpenAI and Gemini ignore or refuse that.",
        "Check it in the function as well, and state it in the description.",
    ),
)
