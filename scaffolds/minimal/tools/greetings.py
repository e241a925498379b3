"""The first tool: the signature becomes the form, the docstring the description."""

from typing import Annotated

from server_core import tool


@tool(annotations={"readOnlyHint": True})
def greet(name: Annotated[str, "Who to greet"]) -> str:
    """Greet someone by name."""
    return f"Hello, {name}!"
