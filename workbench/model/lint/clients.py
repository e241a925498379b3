"""Schemas that popular clients and models refuse, or read otherwise than their author means.

Source: the interfaces of OpenAI (function calling, structured outputs), Anthropic (tool use) and Google (Gemini,
function declarations), as documented in 2026.
"""

from collections.abc import Iterator
from typing import Any

from workbench.model.lint.finding import Finding, Json, advice, schema_of, text, warning
from workbench.model.lint.walking import subschemas, told

# What structured outputs of OpenAI allow.
_DEEPEST = 10
_MOST_PROPERTIES = 100
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
    if recursive := _first_recursive(schema):
        yield advice(
            "recursive-type",
            f"Tool {name!r}: the type {recursive!r} holds itself; Gemini and some clients refuse that.",
            "Give references by an id, or take the nested part as JSON text.",
        )


def size(tool: Json) -> Iterator[Finding]:
    """Find schemas that are too deep or too wide for a model to fill in."""
    name = text(tool.get("name"))
    nodes = list(subschemas(schema_of(tool)))
    depth = max(place.count("properties.") + place.count("items") for place, _ in nodes)
    count = sum(len(one["properties"]) for _, one in nodes if isinstance(one.get("properties"), dict))
    if depth > _DEEPEST:
        yield warning(
            "schema-depth",
            f"Tool {name!r}: its input schema is {depth} levels deep; OpenAI takes {_DEEPEST}.",
            "Flatten it.",
        )
    if count > _MOST_PROPERTIES:
        yield warning(
            "schema-width",
            f"Tool {name!r}: its input schema has {count} properties; OpenAI takes {_MOST_PROPERTIES}.",
            "Make several tools of it.",
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


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(one, str) for one in values)


def _first_recursive(schema: dict[str, Any]) -> str | None:
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
