"""Schemas that popular clients and models refuse, or read otherwise than their author means.

Source: the interfaces of OpenAI (function calling, structured outputs), Anthropic (tool use) and Google (Gemini,
function declarations), as documented in 2026.
"""

from collections.abc import Iterator
from typing import Any

from workbench.model.lint.finding import Finding, Json, advice, schema_of, text, warning
from workbench.model.lint.walking import subschemas, told

# The formats that OpenAI takes.
_FORMATS = frozenset(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"])
_CONDITIONAL = ("if", "then", "else", "not", "dependentSchemas", "dependentRequired", "patternProperties")


def root_schema(tool: Json) -> Iterator[Finding]:
    """Find roots that OpenAI and Anthropic refuse."""
    name, schema = text(tool.get("name")), schema_of(tool)
    if schema.get("type") != "object":
        yield warning(
            "schema-root", f"Tool {name!r}: the root of its input schema is no object.", 'Use "type": "object".'
        )
    for keyword in ("oneOf", "anyOf", "allOf"):
        if keyword in schema:
            yield warning(
                "schema-root",
                f"Tool {name!r}: OpenAI and Anthropic refuse {keyword} at the root of an input schema.",
                "Put the alternatives into a parameter, or make a tool of each.",
            )


def refused_keywords(tool: Json) -> Iterator[Finding]:
    """Find what at least one of the three refuses inside of a schema."""
    name = text(tool.get("name"))
    for place, schema in subschemas(schema_of(tool)):
        where = f"Tool {name!r}: {told(place)}"
        if schema.get("type") == "array" and not any(one in schema for one in ("items", "prefixItems", "contains")):
            yield warning(
                "array-items",
                f"{where} is a list of anything; OpenAI and Gemini refuse lists whose items have no schema.",
                "Say what is in it: `list[str]`.",
            )
        if _is_given(place) and not any(keyword in schema for keyword in _SAYS_WHAT):
            yield advice(
                "untyped",
                f"{where} may be anything; Gemini refuses what has no type, and a model cannot know what to give.",
                "Say what it may be: `str | int`.",
            )
        if place and schema.get("type") == "object" and not (schema.get("properties") or "patternProperties" in schema):
            yield advice(
                "open-object",
                f"{where} is an object without named members, which Gemini and strict OpenAI schemas refuse.",
                "Use a model with names, or a list of models.",
            )
        if "oneOf" in schema and place:
            yield advice(
                "one-of",
                f"{where} is made of alternatives by oneOf, which strict OpenAI schemas refuse.",
                "Use anyOf, as the plain union `Cat | Dog` makes it, without a discriminator.",
            )
        if isinstance(form := schema.get("format"), str) and schema.get("type") == "string" and form not in _FORMATS:
            yield advice(
                "string-format",
                f"{where} has the format {form!r}, which strict OpenAI schemas refuse.",
                "Use a `str`, with a pattern perhaps, and check it in the function.",
            )
        if "prefixItems" in schema:
            yield advice(
                "tuple",
                f"{where} is a tuple, which Gemini and strict OpenAI schemas refuse.",
                "Use a model with names.",
            )
        if isinstance(schema.get("type"), list):
            yield advice(
                "type-list",
                f"{where} has a list of types, which Gemini refuses.",
                "Use anyOf, as `int | None` makes it.",
            )
        if (values := schema.get("enum")) is not None and not _are_texts(values):
            yield advice("enum-values", f"{where} has choices that are no texts, which Gemini refuses.", "Use texts.")
        if used := [one for one in _CONDITIONAL if one in schema]:
            yield advice(
                "conditional-schema",
                f"{where} uses {', '.join(used)}; OpenAI and Gemini ignore or refuse that.",
                "Check it in the function as well, and say it in the description.",
            )


def references(tool: Json) -> Iterator[Finding]:
    """Find references that clients cannot follow, and types that hold themselves."""
    name, schema = text(tool.get("name")), schema_of(tool)
    found = [reference for _, one in subschemas(schema) if isinstance(reference := one.get("$ref"), str)]
    if remote := next((one for one in found if not one.startswith("#")), None):
        yield warning(
            "remote-reference",
            f"Tool {name!r} refers to {remote!r}, which clients do not fetch.",
            "Put what it refers to into `$defs`.",
        )
    if recursive := first_recursive(schema):
        yield advice(
            "recursive-type",
            f"Tool {name!r}: the type {recursive!r} holds itself; Gemini and some clients refuse that.",
            "Give references by an id, or take the nested part as JSON text.",
        )


def output_schema(tool: Json) -> Iterator[Finding]:
    """Find output schemas that clients before 2026-07-28 are not told of."""
    schema = tool.get("outputSchema")
    if isinstance(schema, dict) and schema.get("type") != "object":
        yield advice(
            "output-root",
            f"Tool {text(tool.get('name'))!r}: only objects are structured results for clients up to 2025-11-25.",
            "Return a model or a dict.",
        )


# By any of these a schema says what a value may be.
_SAYS_WHAT = ("type", "$ref", "enum", "const", "anyOf", "oneOf", "allOf", "prefixItems", "properties", "not", "if")


def _is_given(place: str) -> bool:
    """Whether a value of its own is at a place, and not one more condition for a value."""
    return place.endswith("items") or place.split(".")[-2:-1] == ["properties"]


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(one, str) for one in values)


def first_recursive(schema: dict[str, Any]) -> str | None:
    """Return the name of the first definition that can be reached from itself."""
    definitions = schema.get("$defs")
    if not isinstance(definitions, dict):
        return None
    leads: dict[str, set[str]] = {
        name: {
            reference.removeprefix("#/$defs/")
            for _, one in subschemas(definition)
            if isinstance(reference := one.get("$ref"), str)
        }
        for name, definition in definitions.items()
        if isinstance(definition, dict)
    }
    for name in leads:
        reached: set[str] = set()
        waiting = set(leads[name])
        while waiting:
            one = waiting.pop()
            if one not in reached:
                reached.add(one)
                waiting |= leads.get(one, set())
        if name in reached:
            return name
    return None
