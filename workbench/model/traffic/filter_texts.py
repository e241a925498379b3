"""The terms of the filter language that search in texts: words and regular expressions."""

import re

from workbench.model.traffic.filter_tokens import FilterError, Test, Token
from workbench.model.traffic.message_facts import MessageFacts


def contains(text: str) -> Test:
    """Return a test for entries whose method, name or body contains the text, in any case."""
    lowered = text.lower()
    first, *others = _forms_in_json(lowered)
    name_matches = _NameMatches(lowered)

    def test(entry: MessageFacts) -> bool:
        if name_matches[entry.method] or name_matches[entry.name]:
            return True
        if entry.data is None:
            return lowered in entry.summary.lower()
        # bytes.lower() changes ASCII letters only; lowering the decoded text would cost ten times as much.
        body = entry.data.lower()
        return first in body or (bool(others) and any(needle in body for needle in others))

    return test


class _NameMatches(dict[str, bool]):
    """Whether a name contains the text; each name is checked once, because a hundred thousand entries share few."""

    def __init__(self, lowered: str) -> None:
        super().__init__()
        self._lowered = lowered

    def __missing__(self, name: str) -> bool:
        self[name] = is_match = self._lowered in name.lower()
        return is_match


def _forms_in_json(text: str) -> tuple[bytes, ...]:
    """Return the notations of a text in JSON: unchanged, and with escapes."""
    plain = text.encode("utf-8", "surrogatepass")
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').encode("utf-8", "surrogatepass")
    ascii_only = "".join(char if char.isascii() else _unicode_escape(char) for char in text).encode()
    return tuple(dict.fromkeys((plain, quoted, ascii_only)))


def _unicode_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def matches_regex(token: Token) -> Test:
    try:
        pattern = re.compile(token.text, re.IGNORECASE)
        in_body = re.compile(token.text.encode("utf-8", "surrogatepass"), re.IGNORECASE)
    except re.error as error:
        raise FilterError(f"/{token.text}/ is not a regular expression: {error}", token.position) from error

    def test(entry: MessageFacts) -> bool:
        if pattern.search(entry.method) or pattern.search(entry.name):
            return True
        if entry.data is None:
            return pattern.search(entry.summary) is not None
        return in_body.search(entry.data) is not None

    return test
