"""Check for names that models do not accept, and names that they confuse."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from workbench.model.json_members import text_in
from workbench.model.lint.finding import Finding, Json, advice, schema_of, warning
from workbench.model.lint.schema_walk import placed_subschemas

# server/tools, tool names (2025-11-25).
_RECOMMENDED = re.compile(r"[A-Za-z0-9_.\-]{1,128}")
# What the APIs of OpenAI and Anthropic accept for a tool, and Anthropic for a parameter.
_FOR_MODELS = re.compile(r"[A-Za-z0-9_\-]{1,64}")
_PARAMETER = re.compile(r"[A-Za-z0-9_.\-]{1,64}")
# Clients prefix the server's name (`mcp__server__tool`), and both together may have 64 characters.
_LONG = 48
_SHORT = re.compile(rf".{{1,{_LONG}}}")
_MEANINGLESS = frozenset({"tool", "run", "execute", "do", "main", "func", "function", "handler", "test", "helper"})


def tool_name(tool: Json) -> Iterator[Finding]:
    """Find a name that clients reject or change, or that is meaningless."""
    name = text_in(tool, "name")
    if not _RECOMMENDED.fullmatch(name):
        yield warning(
            "tool-name",
            f"Tool {name!r}: clients may refuse its name.",
            "Use 1 to 128 letters of a to z, digits, `_`, `-` and `.`.",
        )
    elif not _FOR_MODELS.fullmatch(name):
        yield warning(
            "tool-name",
            f"Tool {name!r}: OpenAI and Anthropic accept at most 64 characters and no dot; clients change it.",
            _shortening(tool, _FOR_MODELS) or "Use letters, digits, `_` and `-` only, and keep it short.",
        )
    elif len(name) > _LONG:
        yield advice(
            "long-name",
            f"Tool {name!r}: its name has {len(name)} characters; some clients add the server's and truncate it.",
            _shortening(tool, _SHORT) or f"Keep it under {_LONG} characters.",
        )
    if name.lower() in _MEANINGLESS:
        yield advice(
            "vague-name", f"Tool {name!r}: its name has no meaning.", "Use a verb and a noun for what it does."
        )


def _shortening(tool: Json, fits: re.Pattern[str]) -> str:
    """Return the fix for a name that is only too long because of its toolkit's name; empty for any other."""
    name, short = text_in(tool, "name"), text_in(tool, "short_name")
    if not short or not fits.fullmatch(short):
        return ""
    return f"Give the app a shorter name, or a `toolkit=`: {name.removesuffix(short)!r} is its prefix."


def parameter_names(tool: Json) -> Iterator[Finding]:
    """Find names of parameters that models do not accept."""
    for _, schema in placed_subschemas(schema_of(tool)):
        properties = schema.get("properties")
        for name in properties if isinstance(properties, dict) else ():
            if not _PARAMETER.fullmatch(name):
                yield warning(
                    "parameter-name",
                    f"Tool {text_in(tool, 'name')!r}: Anthropic refuses tools with a parameter named {name!r}.",
                    "Use 1 to 64 letters of a to z, digits, `_`, `-` and `.`.",
                )


def similar_names(tools: Sequence[Json]) -> Iterable[Finding]:
    """Find tools whose names differ only in case or separators: models confuse them."""
    groups: dict[str, list[str]] = defaultdict(list)
    for tool in tools:
        name = text_in(tool, "name")
        groups[re.sub(r"[_.\-]", "", name).lower()].append(name)
    for names in groups.values():
        if len(set(names)) > 1:
            yield warning(
                "similar-names",
                f"The tools {' and '.join(map(repr, names))} differ only in case or separators.",
                "Choose names that a model cannot confuse.",
            )
