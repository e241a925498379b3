"""What definitions cost: they are part of every request to a model that is offered them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.model.lint.finding import Finding, Json, advice, text, warning
from workbench.model.lint.tokens import definition_tokens

_MUCH_FOR_TOOL = 1000
_MUCH_FOR_ALL = 20_000
# Cursor offers its models 40 tools of all servers together; OpenAI takes 128.
_MANY = 40
_MOST = 128


@dataclass(frozen=True, slots=True)
class Cost:
    """What the definition of one tool takes in a prompt.

    Attributes:
        tool: its name.
        tokens: about how many.
    """

    tool: str
    tokens: int


def costs(tools: Sequence[Json]) -> list[Cost]:
    """Return what each tool's definition costs, the dearest first."""
    entries = [Cost(text(tool.get("name")), definition_tokens(tool)) for tool in tools]
    return sorted(entries, key=lambda cost: -cost.tokens)


def large_definition(tool: Json) -> Iterator[Finding]:
    """Find a definition that costs a model more than most."""
    tokens = definition_tokens(tool)
    if tokens > _MUCH_FOR_TOOL:
        yield advice(
            "large-definition",
            f"Tool {text(tool.get('name'))!r}: its definition takes about {tokens:,} tokens of every request.",
            "Shorten descriptions, or make several tools of it.",
        )


def many_tools(tools: Sequence[Json]) -> Iterator[Finding]:
    """Find more tools than models and clients take."""
    if len(tools) > _MOST:
        yield warning(
            "many-tools", f"There are {len(tools)} tools; OpenAI takes {_MOST}.", "Offer fewer, or split the server."
        )
    elif len(tools) > _MANY:
        yield advice(
            "many-tools",
            f"There are {len(tools)} tools; Cursor offers {_MANY} of all servers together.",
            "Offer fewer, or split the server.",
        )
    total = sum(definition_tokens(tool) for tool in tools)
    if total > _MUCH_FOR_ALL:
        yield advice(
            "large-list",
            f"All definitions together take about {total:,} tokens of every request.",
            "Offer fewer tools, or shorten what they say.",
        )
