"""Check for schemas that are too deep or too large for the APIs of models.

Source: OpenAI, structured outputs, supported schemas (2026); Azure OpenAI accepts 100 properties.
"""

from collections.abc import Iterator
from typing import Any

from server_core.protocol.json_schema import DEFINITIONS
from workbench.model.json_members import text_in
from workbench.model.lint.finding import Finding, Json, advice, schema_of, warning
from workbench.model.lint.schema_walk import definitions, first_recursive, levels, placed_subschemas

_DEEPEST = 10
_MAX_PROPERTIES = 5000
_MANY_PROPERTIES = 100
_MAX_CHOICES = 1000
# A list of choices longer than this also has a limit in characters.
_LONG_LIST, _LONGEST_LIST = 250, 15_000
# Definitions may reference each other in a long chain: the limit protects the stack from any server.
_MAX_DEFINITIONS = 200


def schema_size(tool: Json) -> Iterator[Finding]:
    """Find schemas that are too deep, or have too many properties or choices."""
    name, schema = text_in(tool, "name"), schema_of(tool)
    nodes = list(placed_subschemas(schema))
    if (depth := _depth(schema)) > _DEEPEST:
        yield warning(
            "schema-depth",
            f"Tool {name!r}: its input schema is {depth} levels deep; OpenAI accepts {_DEEPEST}.",
            "Flatten it.",
        )
    count = sum(len(node["properties"]) for _, node in nodes if isinstance(node.get("properties"), dict))
    if count > _MANY_PROPERTIES:
        report, most = (
            (warning, "OpenAI accepts 5,000") if count > _MAX_PROPERTIES else (advice, "some clients accept 100")
        )
        yield report(
            "schema-width",
            f"Tool {name!r}: its input schema has {count} properties; {most}.",
            "Split the tool.",
        )
    choices = [node["enum"] for _, node in nodes if isinstance(node.get("enum"), list)]
    if sum(map(len, choices)) > _MAX_CHOICES or any(map(_is_too_long, choices)):
        yield warning(
            "many-choices",
            f"Tool {name!r}: its input schema lists {sum(map(len, choices)):,} values to choose from; OpenAI accepts "
            f"{_MAX_CHOICES:,}, and of more than {_LONG_LIST} in one list {_LONGEST_LIST:,} characters.",
            "Accept a string, and offer a tool that searches for the right value.",
        )


def _is_too_long(choices: list[Any]) -> bool:
    return (
        len(choices) > _LONG_LIST and sum(len(choice) for choice in choices if isinstance(choice, str)) > _LONGEST_LIST
    )


def _depth(schema: dict[str, Any]) -> int:
    """Return the number of nested levels of objects and lists; references of recursive types are not followed."""
    followed = {} if first_recursive(schema) else definitions(schema)
    depths: dict[str, int] = {}

    def depth(node: dict[str, Any]) -> int:
        deepest = 0
        for place, subschema in placed_subschemas(node):
            if place and place[0][0] in DEFINITIONS:
                continue
            here = levels(place)
            if isinstance(reference := subschema.get("$ref"), str) and reference in followed:
                if reference not in depths:
                    depths[reference] = 0  # While it is measured, a reference back to it adds nothing.
                    depths[reference] = depth(followed[reference]) if len(depths) < _MAX_DEFINITIONS else 0
                here += depths[reference]
            deepest = max(deepest, here)
        return deepest

    return depth(schema)
