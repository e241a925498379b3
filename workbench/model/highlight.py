"""JSON text -> indented lines of coloured pieces, made only for the lines that are looked at.

Rules:

1. What is shown is what was sent: numbers, escapes, the order of keys and repeated keys stay as they are; only the
   blanks between tokens are replaced. So the text is cut into tokens, not decoded and encoded again.
2. Where each line starts is found once, in one pass; colours are made per line when it is asked for.
3. What is no JSON is shown as its own lines, plain.
"""

import json
import re
from array import array
from functools import cached_property
from typing import Literal, TypeAlias

from workbench.model.plain import escaped

TokenKind: TypeAlias = Literal["key", "string", "number", "literal", "punctuation", "plain"]
Piece: TypeAlias = tuple[str, TokenKind]

INDENT = 2
"""How many blanks each level of nesting is moved to the right."""
LONGEST_LINE = 20_000
"""How many characters of one line are given out; the rest is named, not shown."""


class JsonDocument:
    """A body, line by line.

    Args:
        data: the bytes of it; JSON or not.
    """

    def __init__(self, data: bytes) -> None:
        self.text = data.decode("utf-8", "backslashreplace")
        """The body as it came."""

    @cached_property
    def is_json(self) -> bool:
        """Whether the body is one JSON value."""
        try:
            json.loads(self.text)
        except (ValueError, RecursionError):
            return False
        return True

    @property
    def line_count(self) -> int:
        """How many lines there are, at least 1."""
        return len(self._starts) - 1

    def line(self, index: int) -> list[Piece]:
        """Return one line as pieces of text with their kinds; control characters are escaped.

        Args:
            index: from 0 to `line_count` - 1.

        Raises:
            IndexError: when there is no such line.
        """
        if not 0 <= index < self.line_count:
            raise IndexError(f"there is no line {index}: the body has {self.line_count}")
        start, end = self._starts[index], self._starts[index + 1]
        if not self.is_json:
            return [_shown(self.text[start:end].rstrip("\r\n"), "plain")]
        pieces: list[Piece] = [(" " * (INDENT * self._depths[index]), "plain")] if self._depths[index] else []
        for match in _TOKEN.finditer(self.text, start, end):
            pieces.extend(self._piece(match))
        return pieces

    def bound(self, index: int) -> int:
        """Return the most cells that a line can take, without making it."""
        span = self._starts[index + 1] - self._starts[index]
        if not self.is_json:
            return span * self._widest
        # A line has one key at most, and its colon gets a blank behind it.
        return INDENT * self._depths[index] + (span + 1) * self._widest

    def plain_line(self, index: int) -> str:
        """Return one line as text without colours."""
        return "".join(text for text, _ in self.line(index))

    def pretty(self) -> str:
        """Return the whole body, indented, as text to copy."""
        return "\n".join(self.plain_line(index) for index in range(self.line_count))

    def _piece(self, match: re.Match[str]) -> list[Piece]:
        token = match.group()
        first = token[0]
        if first == '"':
            is_key = _COLON.match(self.text, match.end()) is not None
            return [_shown(token, "key" if is_key else "string")]
        if first == ":":
            return [(": ", "punctuation")]
        if first in "{}[],":
            return [(token, "punctuation")]
        return [_shown(token, "number" if first in "-0123456789" else "literal")]

    @cached_property
    def _widest(self) -> int:
        """The cells that one character may take; the escape of an unsafe character takes up to ten."""
        is_plain = self.text.isascii() and "\x7f" not in self.text and (self.is_json or self.text.isprintable())
        return 1 if is_plain else 10

    @property
    def _starts(self) -> "array[int]":
        return self._layout[0]

    @property
    def _depths(self) -> "array[int]":
        return self._layout[1]

    @cached_property
    def _layout(self) -> "tuple[array[int], array[int]]":
        """Where each line starts in the text, with the end of the text as the last, and how deep it is nested."""
        return _json_layout(self.text) if self.is_json else _plain_layout(self.text)


# In valid JSON each of these is found whole: strings first, so that what they hold is no token.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
# What can start or end a line: an opening bracket with its closing one when nothing is in it, and the comma behind.
_BREAK = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|\{\s*\}|\[\s*\]|[{\[]|\s*[}\]]|,')
_COLON = re.compile(r"\s*:")


def _json_layout(text: str) -> "tuple[array[int], array[int]]":
    starts, depths = array("Q", [0]), array("Q", [0])
    depth = 0
    for match in _BREAK.finditer(text):
        last = text[match.end() - 1]
        if last == '"' or (last in "}]" and match.group()[0] in "{["):
            continue  # a string, or brackets with nothing in them
        if last in "}]":
            depth -= 1
            starts.append(match.start())
        else:
            depth += last != ","
            starts.append(match.end())
        depths.append(depth)
    starts.append(len(text))
    return starts, depths


def _plain_layout(text: str) -> "tuple[array[int], array[int]]":
    starts = array("Q", [0])
    starts.extend(match.end() for match in re.finditer("\n", text))
    if starts[-1] != len(text) or len(starts) == 1:
        starts.append(len(text))
    return starts, array("Q")


def _shown(token: str, kind: TokenKind) -> Piece:
    if len(token) <= LONGEST_LINE:
        return escaped(token), kind
    return f"{escaped(token[:LONGEST_LINE])}… ({len(token) - LONGEST_LINE:,} more characters)", kind
