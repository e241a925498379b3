"""The smallest tools: a signature, a docstring, a return value."""

from typing import Annotated, Literal

from server_core import tool

Style = Literal["plain", "warm", "formal"]

_GREETINGS: dict[Style, str] = {
    "plain": "Hello, {name}!",
    "warm": "How lovely to see you, {name}!",
    "formal": "Good day, {name}. Welcome to our house.",
}


@tool(annotations={"readOnlyHint": True})
def greet(
    name: Annotated[str, "Who to greet"],
    style: Annotated[Style, "How to greet"] = "plain",
) -> str:
    """Greet a guest by name."""
    return _GREETINGS[style].format(name=name)


@tool(annotations={"readOnlyHint": True})
def add(a: Annotated[int, "The first number"], b: Annotated[int, "The second number"]) -> int:
    """Add two numbers."""
    return a + b
