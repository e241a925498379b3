"""A body as lines for the screen: JSON is indented and coloured, long lines are wrapped.

Rules:

1. The content is shown as sent: numbers, escapes, the order of keys and repeated keys are unchanged; only the blanks
   between tokens are replaced. So the text is tokenised, not decoded and encoded again.
2. The start of each line is computed once, in one pass; colours are computed for a line when it is shown.
3. Other text than JSON is shown line by line, without colours.
4. Nothing recurses: a body may be nested deeply.
"""

import json
import re
from array import array
from bisect import bisect_right
from collections import Counter
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from server_core.runtime.safe_json import parse_json
from workbench.model.short_text import escaped, escaped_in_json, escaped_lines

TokenKind: TypeAlias = Literal["key", "string", "number", "literal", "punctuation", "plain"]
Piece: TypeAlias = tuple[str, TokenKind]

INDENT = 2
# Characters shown of one string, the rest is counted; plain text is split into lines of this length.
LONGEST_LINE = 20_000
LONGEST_TEXT = 100_000  # Characters of a text that are shown with its line breaks.
MAX_BREAKS = 300_000  # Lines of laid-out JSON: more would take longer than a user waits for a key.


class _Layout(NamedTuple):
    """The lines of a text. The last two are empty for plain text."""

    starts: "array[int]"  # Of each line, and the end of the text.
    depths: "array[int]"  # The nesting level of each line.
    partners: "array[int]"  # The line with the other bracket of an object or list; else the line itself.
    members: "array[int]"  # How many members the object or list has whose bracket ends the line.


class JsonDocument:
    """A body, JSON or not, line by line."""

    def __init__(self, data: bytes) -> None:
        self.text = data.decode("utf-8", "backslashreplace")

    @cached_property
    def is_json(self) -> bool:
        try:
            parse_json(self.text)
        except ValueError:
            return False
        return True

    @cached_property
    def is_pretty(self) -> bool:
        """Whether the body is shown indented and in colours: JSON is, unless it has too many lines."""
        return self.is_json and sum(map(self.text.count, ",{[")) <= MAX_BREAKS

    @property
    def line_count(self) -> int:
        """At least 1."""
        return len(self._layout.starts) - 1

    def line(self, index: int) -> list[Piece]:
        """Return one line as pieces of text with their kinds; control characters are escaped."""
        if not 0 <= index < self.line_count:
            raise IndexError(f"there is no line {index}: the body has {self.line_count}")
        starts, depths = self._layout[:2]
        start, end = starts[index], starts[index + 1]
        if not self.is_pretty:
            return [(escaped(self.text[start:end].rstrip("\r\n")), "plain")]
        pieces: list[Piece] = [(" " * (INDENT * depths[index]), "plain")] if depths[index] else []
        pieces.extend(map(self._piece, _TOKEN.finditer(self.text, start, end)))
        return pieces

    def depth(self, index: int) -> int:
        """Return the nesting level of a line, from 0."""
        return self._layout.depths[index]

    def partner(self, index: int) -> int:
        """Return the line with the other bracket of an object or list of several lines; else the line itself."""
        partners = self._layout.partners
        return partners[index] if partners else index

    def members(self, index: int) -> int:
        """Return how many members the object or list has whose opening bracket ends the line."""
        members = self._layout.members
        return members[index] if members else 0

    def openings(self, depth: int) -> list[int]:
        """Return the lines of a nesting level that begin an object or a list of several lines."""
        layout = self._layout
        pairs = enumerate(zip(layout.depths, layout.partners, strict=False))
        return [line for line, (level, partner) in pairs if level == depth and partner > line]

    def lines_by_depth(self) -> Counter[int]:
        """Return the number of lines of each nesting level."""
        return Counter(self._layout.depths)

    def line_at(self, offset: int) -> int:
        """Return the line of a character of the text."""
        return min(max(bisect_right(self._layout.starts, offset) - 1, 0), self.line_count - 1)

    def start(self, index: int) -> int:
        """Return the offset in the text where a line begins."""
        return self._layout.starts[index]

    def key(self, index: int) -> str | None:
        """Return the key of the member that begins on a line; None if it has none."""
        match = self._first_token(index)
        if match is None or match[0][0] != '"' or _COLON.match(self.text, match.end()) is None:
            return None
        return str(json.loads(match[0]))

    def value(self, index: int) -> str:
        """Return the JSON text, as sent, of the value that begins on a line, or ends there with a bracket."""
        starts = self._layout.starts
        if not self.is_pretty:
            return self.text[starts[index] : starts[index + 1]].rstrip("\r\n")
        first, last = sorted((index, self.partner(index)))
        match, start = self._first_token(first), starts[first]
        if match is not None and match[0][0] == '"' and (colon := _COLON.match(self.text, match.end())):
            start = colon.end()
        end = starts[last + 1]
        if first != last:
            # A comma may follow the closing bracket.
            end = starts[last] + 1
        return self.text[start:end].strip().removesuffix(",").rstrip()

    def text_value(self, index: int) -> str:
        """Return the value of a line as text: a string without its quotes and escapes, else its JSON."""
        value = self.value(index)
        return str(json.loads(value)) if self.is_pretty and value.startswith('"') else value

    def broken_text(self, index: int) -> list[str]:
        """Return the lines of the text value on a line, of a long text the first; empty if it has no line breaks."""
        start, end = self._layout.starts[index : index + 2]
        if not self.is_pretty or self.text.find("\\n", start, min(end, start + LONGEST_TEXT)) < 0:
            return []
        match = _STRING_START.match(self.value(index)[:LONGEST_TEXT])
        return [] if match is None else _unbroken(json.loads(f'{match[0]}"'))

    def _first_token(self, index: int) -> "re.Match[str] | None":
        starts = self._layout.starts
        return _TOKEN.search(self.text, starts[index], starts[index + 1])

    def bound(self, index: int) -> int:
        """Return the maximum number of cells of a line, without creating it."""
        starts, depths = self._layout[:2]
        length = min(starts[index + 1] - starts[index], 2 * LONGEST_LINE)
        # The blank after a colon is inserted, and may not be in the data.
        return INDENT * depths[index] + length * self._widest + 1

    def plain_line(self, index: int) -> str:
        return "".join(text for text, _ in self.line(index))

    def pretty(self) -> str:
        """Return the whole body as text to copy: JSON indented and complete, all else as received, but escaped."""
        if not self.is_pretty:
            return escaped_lines(self.text)
        starts, depths = self._layout[:2]
        lines = []
        for index, start in enumerate(starts[:-1]):
            tokens = _TOKEN.findall(self.text, start, starts[index + 1])
            line = "".join(": " if token == ":" else token for token in tokens)
            lines.append(" " * (INDENT * depths[index]) + escaped_in_json(line))
        return "\n".join(lines)

    def _piece(self, match: re.Match[str]) -> Piece:
        token = match.group()
        first = token[0]
        if first == '"':
            is_key = _COLON.match(self.text, match.end()) is not None
            return _cut(escaped_in_json(token[: LONGEST_LINE + 1]), token), "key" if is_key else "string"
        if first == ":":
            return ": ", "punctuation"
        if first in "{}[],":
            return token, "punctuation"
        return _cut(token, token), "number" if first in "-0123456789" else "literal"

    @cached_property
    def _widest(self) -> int:
        """The maximum number of cells of one character; the escape of an unsafe character has up to twelve."""
        is_plain = self.text.isascii() and "\x7f" not in self.text and (self.is_json or self.text.isprintable())
        return 1 if is_plain else 12

    @cached_property
    def _layout(self) -> _Layout:
        return _json_layout(self.text) if self.is_pretty else _plain_layout(self.text)


# Possessive quantifiers (`++`) never backtrack, which would cost quadratic time on long strings.
# In valid JSON each of these matches a whole token: strings first, so that their content is no token.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]++')
# Up to and including the next token that ends or starts a line; strings on the way are skipped as a whole.
_TO_BREAK = re.compile(r'(?:[^"{}\[\],]++|"(?:[^"\\]++|\\.)*+")*+[{}\[\],]')
# A string without its closing quote; it may be cut, but not within an escape.
_STRING_START = re.compile(r'"(?:[^"\\]++|\\u[0-9a-fA-F]{4}|\\[^u])*+')
_COLON = re.compile(r"\s*:")
_OPENING = frozenset("{[")


def _json_layout(text: str) -> _Layout:
    # Arrays: a list of 300,000 numbers would take ten times the memory. `parse_json` limits the depth.
    layout = _Layout(array("Q", [0]), array("H", [0]), array("I", [0]), array("I", [0]))
    starts, depths, partners, members = layout
    openings: list[int] = []  # The lines that end with a bracket that is still open.
    # A lone scalar has no line break, and brackets may be inside its quotes.
    is_nested = text.lstrip()[:1] in _OPENING
    for match in _TO_BREAK.finditer(text) if is_nested else ():
        end = match.end()
        token = text[end - 1]
        line = len(depths)
        if token == ",":
            members[openings[-1]] += 1
            starts.append(end)
        elif token in _OPENING:
            openings.append(line - 1)
            starts.append(end)
        else:
            opening = openings.pop()
            if opening == line - 2 and not text[starts[-1] : end - 1].strip():
                # These brackets are empty: they stay on one line.
                del starts[-1], depths[-1], partners[-1], members[-1]
                continue
            members[opening] += 1
            partners[opening] = line
            starts.append(end - 1)
            line = opening
        depths.append(len(openings))
        partners.append(line)
        members.append(0)
    starts.append(len(text))
    return layout


def _plain_layout(text: str) -> _Layout:
    starts = array("Q", [0])
    for match in re.finditer("\n", text):
        _fold(starts, match.end())
    if starts[-1] != len(text) or len(starts) == 1:
        _fold(starts, len(text))
    return _Layout(starts, array("H", bytes(2 * len(starts))), array("I"), array("I"))


def _fold(starts: "array[int]", end: int) -> None:
    """Add a line that ends here, split if it is long."""
    starts.extend(range(starts[-1] + LONGEST_LINE, end, LONGEST_LINE))
    starts.append(end)


def _cut(shown: str, token: str) -> str:
    rest = len(token) - LONGEST_LINE
    return shown if rest <= 0 else f"{shown[:LONGEST_LINE]}… ({rest:,} more characters)"


def _unbroken(text: str) -> list[str]:
    return [escaped(line) for line in text.split("\n")] if "\n" in text else []
