"""The cost of definitions in tokens: they are part of every request to a model that can use them.

Each model counts tokens in its own way. Compared with GPT-4o's encoding (o200k) and the published encoding of
Anthropic, the estimate for definitions of tools is within a tenth of either; for prose it is up to a tenth too low.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.model.describe import json_text
from workbench.model.json_members import object_in, objects_in, text_in
from workbench.model.lint.finding import Finding, Json, advice, warning

_MUCH_FOR_TOOL = 1000
_MUCH_FOR_ALL = 20_000
# Cursor passes at most 40 tools of all servers to its models; OpenAI accepts 128.
_MANY = 40
_MOST = 128
_COMPACT = (",", ":")
# Words, numbers, white space, other scripts, and runs of punctuation: the first split of the encodings.
_PIECE = re.compile(r"[A-Za-z]+| ?[0-9]+|\s+|[^\x00-\x7f]+|[!-/:-@\[-`{-~]+|[\x00-\x7f]")
# Characters from here on (CJK and beyond) are about a token each; characters below form words.
_IDEOGRAPHS = 0x2E80
# Characters of one text of a result that are counted; the others count as much on average.
_SAMPLE = 50_000


@dataclass(frozen=True, slots=True)
class Cost:
    """The approximate number of tokens of one tool's definition in a prompt."""

    tool: str
    tokens: int


def costs(tools: Sequence[Json]) -> list[Cost]:
    """Return the cost of each tool's definition, the most expensive first."""
    entries = [Cost(text_in(tool, "name"), definition_tokens(tool)) for tool in tools]
    return sorted(entries, key=lambda cost: -cost.tokens)


def large_definition(tool: Json) -> Iterator[Finding]:
    """Find an unusually expensive definition."""
    tokens = definition_tokens(tool)
    if tokens > _MUCH_FOR_TOOL:
        yield advice(
            "large-definition",
            f"Tool {text_in(tool, 'name')!r}: its definition costs about {tokens:,} tokens of every request.",
            "Shorten descriptions, or split the tool.",
        )


def many_tools(tools: Sequence[Json]) -> Iterator[Finding]:
    """Find more tools than models and clients accept."""
    if len(tools) > _MOST:
        yield warning(
            "many-tools", f"There are {len(tools)} tools; OpenAI accepts {_MOST}.", "Offer fewer, or split the server."
        )
    elif len(tools) > _MANY:
        yield advice(
            "many-tools",
            f"There are {len(tools)} tools; Cursor offers {_MANY} from all servers together.",
            "Offer fewer, or split the server.",
        )
    total = sum(definition_tokens(tool) for tool in tools)
    if total > _MUCH_FOR_ALL:
        yield advice(
            "large-list",
            f"All definitions together cost about {total:,} tokens of every request.",
            "Offer fewer tools, or shorten their descriptions.",
        )


def estimated_tokens(text: str) -> int:
    return round(sum(_cost(piece) for piece in _PIECE.findall(text)))


def result_tokens(result: Mapping[str, Any]) -> int:
    """Return the approximate number of tokens in the texts of a result, of which a very long text is a sample."""
    items = [item for key in ("content", "contents", "messages") for item in objects_in(result, key)]
    texts = [text for item in items for text in _texts(item)]
    if not items and "structuredContent" in result:
        texts = [json_text(result["structuredContent"], separators=_COMPACT)]
    return sum(round(estimated_tokens(text[:_SAMPLE]) * max(len(text) / _SAMPLE, 1)) for text in texts)


def _texts(item: Json) -> Iterator[str]:
    """Yield the text of a content block, of an embedded resource, or of a prompt's message."""
    yield text_in(item, "text")
    for inner in (object_in(item, "resource"), object_in(item, "content")):
        yield text_in(inner, "text")


def definition_tokens(tool: Mapping[str, Any]) -> int:
    """Return the approximate number of tokens that a tool's definition adds to every request to a model."""
    candidates = {
        "name": tool.get("name"),
        "description": tool.get("description"),
        "input_schema": tool.get("inputSchema"),
    }
    members = {name: value for name, value in candidates.items() if value is not None}
    return estimated_tokens(json_text(members, separators=_COMPACT))


def _cost(piece: str) -> float:
    if piece.isspace():
        return float(len(piece) > 1)  # A single space belongs to the next word.
    if not piece.isascii():
        return sum(0.8 if ord(character) >= _IDEOGRAPHS else 0.35 for character in piece)
    if piece.isalpha():
        return 1 + (len(piece) - 1) // 9
    if piece[-1].isdigit():
        spaces = len(piece) - len(piece.lstrip())  # Numbers do not include the space before them.
        return spaces - (-(len(piece) - spaces) // 3)
    return -(-len(piece) // 4)
