"""Our server, as an author writes it: a file of tools."""

from server_core import tool


@tool
async def echo(text: str) -> str:
    """Repeat the text."""
    return text
