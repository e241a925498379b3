"""A text with its escapes decoded, layer by layer, and a mapping from positions in each layer to the original text.

Encoders do not escape letters and digits, but decoders accept their escapes as well: `\\u0074` and `%74` are a "t". The
patterns of values only contain necessary escapes, in layers of one kind. Values with needless escapes, or percent
encoding around the escapes of JSON, are plain in one of the readings.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

MAX_LAYERS = 8
"""Further layers are not decoded."""

# Printable ASCII characters; the patterns of values contain the numeric escapes of all others. A run of backslashes is
# matched only from its start, so that it is scanned once however long it is.
_ESCAPE = re.compile(rb"\\(?<!\\\\)\\*(?:u00|x)[2-7][0-9A-Fa-f]|%[2-7][0-9A-Fa-f]")
# Letters, digits and other characters that no encoding changes, and the two characters that start another escape.
_UNCHANGED = rb"(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|2[5DdEe]|5[CcFf]|7[Ee])"
# A pattern for each: a search for a fixed prefix is much faster than a search for alternatives.
_NEEDLESS = [(start, re.compile(re.escape(start) + _UNCHANGED)) for start in (b"%", b"\\u00", b"\\x")]


class DecodedText:
    """A text with one layer of escapes decoded; `outer` is the reading before that, None for the original text."""

    def __init__(self, text: bytes, outer: "DecodedText | None" = None) -> None:
        self.text = text
        self._outer = outer

    def origin(self, position: int) -> int:
        """Return the position in the original text for a position in this reading."""
        if self._outer is None:
            return position
        places, removed = self._escapes
        before = bisect_left(places, position)
        return self._outer.origin(position + (removed[before - 1] if before else 0))

    @cached_property
    def _escapes(self) -> tuple["array[int]", "array[int]"]:
        """The positions of the decoded characters, and how many bytes were removed up to each of them."""
        places, removed = array("q"), array("q")
        total = 0
        for match in _ESCAPE.finditer(self._outer.text if self._outer else b""):
            replaced = len(_plain(match))
            places.append(match.start() - total + replaced - 1)
            total += match.end() - match.start() - replaced
            removed.append(total)
        return places, removed


def readings(data: bytes) -> Iterator[DecodedText]:
    """Yield the original text, then with one more layer of escapes decoded each time, while there are any."""
    reading = DecodedText(data)
    yield reading
    for _ in range(MAX_LAYERS):
        if (b"%" not in reading.text and b"\\" not in reading.text) or _ESCAPE.search(reading.text) is None:
            return
        reading = DecodedText(_ESCAPE.sub(_plain, reading.text), reading)
        yield reading


def has_needless_escapes(data: bytes) -> bool:
    """Return whether any character is escaped needlessly, so that a value may be plain only in a decoded reading."""
    # Searching for bytes is much faster than for patterns, and most texts have none of these.
    if b"%" not in data and b"\\" not in data:
        return False
    return any(start in data and pattern.search(data) is not None for start, pattern in _NEEDLESS)


def _plain(match: re.Match[bytes]) -> bytes:
    """Return the character of an escape, after the backslashes that do not belong to it."""
    escape = match.group()
    char = bytes((int(escape[-2:], 16),))
    if escape[:1] == b"%":
        return char
    # JSON within JSON doubles backslashes: those of the escape are a power of two, those before it a multiple of more.
    slashes = len(escape) - len(escape.lstrip(b"\\"))
    return escape[: slashes - (slashes & -slashes)] + char
