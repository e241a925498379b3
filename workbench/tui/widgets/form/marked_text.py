"""A text of a list with the characters that match a search."""

from textual.content import Content

from workbench.model.fuzzy import FuzzyMatch
from workbench.model.short_text import shortened
from workbench.tui.colours import KEY


def marked_text(text: str, match: FuzzyMatch, limit: int) -> Content:
    """Return a text on one row, with the matched characters marked as far as they are shown."""
    shown = shortened(text, limit)
    content = Content(shown)
    for position in match.positions:
        if position < len(shown) and shown[position] == text[position]:
            content = content.stylize(KEY, position, position + 1)
    return content
