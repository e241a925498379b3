"""Shorten foreign text and make it safe for a screen."""

from server_core.runtime.terminal_text import escaped, escaped_in_json, escaped_lines, is_safe

# Offered again here, because the terminal does not import `server_core.runtime` (tests/rooms.py).
__all__ = ["escaped", "escaped_in_json", "escaped_lines", "first_paragraph", "is_safe", "shortened"]


def shortened(text: str, limit: int = 80) -> str:
    """Return the text on one safe line of at most so many characters; an ellipsis replaces the rest."""
    line = escaped(text[: limit + 1])
    return line if len(line) <= limit else line[: limit - 1] + "…"


def first_paragraph(text: str) -> str:
    """Return the first paragraph of a text on one line; it is not made safe to print."""
    return " ".join(text.strip()[:1000].partition("\n\n")[0].split())
