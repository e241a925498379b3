"""Whether a text is clearly Markdown: a table or fenced code, or two of the other signs."""

import re

MAX_LENGTH = 100_000
"""The number of characters up to which a text is rendered as Markdown."""

_CERTAIN = re.compile(r"^```|^\|.+\|[ \t]*\n\|[ :|-]+\|[ \t]*$", re.MULTILINE)
_SIGNS = (
    re.compile(r"^#{1,6} \S", re.MULTILINE),
    re.compile(r"^[-*] \S", re.MULTILINE),
    re.compile(r"\*\*[^\s*][^*\n]{0,200}\*\*"),
    re.compile(r"\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)"),
    re.compile(r"`[^`\n]{1,200}`"),
)


def is_markdown(text: str) -> bool:
    """Return whether a text is clearly Markdown, and short enough to be rendered."""
    if len(text) > MAX_LENGTH:
        return False
    return _CERTAIN.search(text) is not None or sum(sign.search(text) is not None for sign in _SIGNS) >= 2
