"""A body as lines for the screen: JSON is indented and coloured, long lines are wrapped.

Rules:

1. The content is shown as sent: numbers, escapes, the order of keys and repeated keys are unchanged; only the blanks
   between tokens are replaced. So the text is tokenised, not decoded and encoded again.
2. The start of each line is computed once, in one pass; colours are computed for a line when it is shown.
3. Other text than JSON is shown line by line, without colours.
4. Only lines that may be too long are measured for wrapping, up to a limit; the rest of a huge body is cut off at the
   edge instead, so that opening it stays fast.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from typing import Literal, TypeAlias

from server_core.runtime.safe_json import parse_json
from workbench.model.short_text import escaped, escaped_in_json, escaped_lines

TokenKind: TypeAlias = Literal["key", "string", "number", "literal", "punctuation", "plain"]
Piece: TypeAlias = tuple[str, TokenKind]

INDENT = 2
# Characters shown of one string, the rest is counted; plain text is split into lines of this length.
LONGEST_LINE = 20_000
MAX_BREAKS = 300_000  # Lines of laid-out JSON: more would take longer than a user waits for a key.
MAX_MEASURED = 5000  # Lines in one document.

# The start of each line and the end of the text, and the nesting level of each line.
_Layout: TypeAlias = "tuple[array[int], array[int]]"


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
        return len(self._layout[0]) - 1

    def line(self, index: int) -> list[Piece]:
        """Return one line as pieces of text with their kinds; control characters are escaped."""
        if not 0 <= index < self.line_count:
            raise IndexError(f"there is no line {index}: the body has {self.line_count}")
        starts, depths = self._layout
        start, end = starts[index], starts[index + 1]
        if not self.is_pretty:
            return [(escaped(self.text[start:end].rstrip("\r\n")), "plain")]
        pieces: list[Piece] = [(" " * (INDENT * depths[index]), "plain")] if depths[index] else []
        pieces.extend(map(self._piece, _TOKEN.finditer(self.text, start, end)))
        return pieces

    def bound(self, index: int) -> int:
        """Return the maximum number of cells of a line, without creating it."""
        starts, depths = self._layout
        length = min(starts[index + 1] - starts[index], 2 * LONGEST_LINE)
        # The blank after a colon is inserted, and may not be in the data.
        return INDENT * depths[index] + length * self._widest + 1

    def plain_line(self, index: int) -> str:
        return "".join(text for text, _ in self.line(index))

    def pretty(self) -> str:
        """Return the whole body as text to copy: JSON indented and complete, all else as received, but escaped."""
        if not self.is_pretty:
            return escaped_lines(self.text)
        starts, depths = self._layout
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
    def _layout(self) -> "_Layout":
        return _json_layout(self.text) if self.is_pretty else _plain_layout(self.text)


# Possessive quantifiers (`++`) never backtrack, which would cost quadratic time on long strings.
# In valid JSON each of these matches a whole token: strings first, so that their content is no token.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]++')
# Up to and including the next token that ends or starts a line; strings on the way are skipped as a whole.
_TO_BREAK = re.compile(r'(?:[^"{}\[\],]++|"(?:[^"\\]++|\\.)*+")*+[{}\[\],]')
_COLON = re.compile(r"\s*:")
_OPENING = frozenset("{[")


def _json_layout(text: str) -> "_Layout":
    # Arrays: a list of 300,000 numbers would take ten times the memory. `parse_json` limits the depth.
    starts, depths = array("Q", [0]), array("H", [0])
    depth = opened = 0
    # A lone scalar has no line break, and brackets may be inside its quotes.
    is_nested = text.lstrip()[:1] in _OPENING
    for match in _TO_BREAK.finditer(text) if is_nested else ():
        end = match.end()
        token = text[end - 1]
        if token == ",":
            starts.append(end)
        elif token in _OPENING:
            depth += 1
            opened = end
            starts.append(end)
        else:
            depth -= 1
            if starts[-1] == opened and not text[opened : end - 1].strip():
                # These brackets are empty: they stay on one line.
                del starts[-1], depths[-1]
                continue
            starts.append(end - 1)
        depths.append(depth)
    starts.append(len(text))
    return starts, depths


def _plain_layout(text: str) -> "_Layout":
    starts = array("Q", [0])
    for match in re.finditer("\n", text):
        _fold(starts, match.end())
    if starts[-1] != len(text) or len(starts) == 1:
        _fold(starts, len(text))
    return starts, array("H", bytes(2 * len(starts)))


def _fold(starts: "array[int]", end: int) -> None:
    """Add a line that ends here, split if it is long."""
    starts.extend(range(starts[-1] + LONGEST_LINE, end, LONGEST_LINE))
    starts.append(end)


def _cut(shown: str, token: str) -> str:
    rest = len(token) - LONGEST_LINE
    return shown if rest <= 0 else f"{shown[:LONGEST_LINE]}… ({rest:,} more characters)"


class Wrapping:
    """The rows of a document at one width: maps each row to a line and a part of it.

    Args:
        bound: returns the maximum number of cells of a line, computed quickly.
        measure: returns the actual number of cells of a line.
    """

    def __init__(self, line_count: int, bound: Callable[[int], int], measure: Callable[[int], int], width: int) -> None:
        self._lines: list[int] = []
        self._first_rows: list[int] = []
        self._heights: list[int] = []
        extra = measured = 0
        for line in range(line_count):
            if bound(line) <= width:
                continue
            if (measured := measured + 1) > MAX_MEASURED:
                break
            height = max(1, -(-measure(line) // width))  # rounded up
            if height > 1:
                self._lines.append(line)
                self._first_rows.append(line + extra)
                self._heights.append(height)
                extra += height - 1
        self.row_count = line_count + extra

    def at(self, row: int) -> tuple[int, int]:
        """Return the line and the part of it for a row, both from 0."""
        folded = bisect_right(self._first_rows, row) - 1
        if folded < 0:
            return row, 0
        beyond = row - self._first_rows[folded]
        height = self._heights[folded]
        if beyond < height:
            return self._lines[folded], beyond
        return self._lines[folded] + beyond - height + 1, 0
