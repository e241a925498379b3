"""JSON with comments and trailing commas, as editors write it, made strict: every character stays at its place."""

import re

# Strings are matched first, so that nothing within them is a comment; quantifiers never backtrack.
_COMMENT = re.compile(r'"(?:[^"\\\n]++|\\.)*+"|//[^\n]*+|/\*.*?\*/', re.DOTALL)
_TRAILING = re.compile(r'"(?:[^"\\\n]++|\\.)*+"|,(?=\s*+[}\]])')


def strict(text: str) -> str:
    """Return the text with spaces in place of comments and trailing commas."""
    without_comments = _COMMENT.sub(_blank, text.removeprefix("\ufeff"))
    return _TRAILING.sub(_blank, without_comments)


def _blank(match: re.Match[str]) -> str:
    token = match.group()
    return token if token.startswith('"') else "".join("\n" if character == "\n" else " " for character in token)
