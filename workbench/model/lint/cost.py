"""The cost of definitions: they are part of every request to a model that can use them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.model.lint.finding import Finding, Json, advice, text, warning
from workbench.model.lint.tokens import definition_tokens

_MUCH_FOR_TOOL = 1000
_MUCH_FOR_ALL = 20_000
# Cursor passes at most 40 tools of all servers to its models; OpenAI accepts 128.
_MANY = 40
_MOST = 128


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one tool's definition in a prompt.

    Attributes:
        tool: its name.
        tokens: the approximate number.
    """

    tool: str
    tokens: int


def costs(tools: Sequence[Json]) -> list[Cost]:
    """Return the cost of each tool's definition, the most expensive first."""
    entries = [Cost(text(tool.get("name")), definition_tokens(tool)) for tool in tools]
    return sorted(entries, key=lambda cost: -cost.tokens)


def large_definition(tool: Json) -> Iterator[Finding]:
    """Find an unusually expensive definition."""
    tokens = definition_tokens(tool)
    if tokens > _MUCH_FOR_TOOL:
        yield advice(
            "large-definition",
            f"Tool {text(tool.get('name'))!r}: its definition costs about {tokens:,} tokens of every request.",
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
