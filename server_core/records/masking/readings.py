"""A text with the escapes of its characters taken off, layer by layer, and where in the text each piece of it stood.

Encodings leave letters and digits as they are, but whatever reads a text takes them escaped as well: `\\u0074` and
`%74` are a "t". The patterns of values know only the escapes that programs need, in layers of one kind. What is escaped
without need, or percent-encoded around the escapes of JSON, stands plain in one of the readings.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

MOST_LAYERS = 8
"""Layers beyond these are not taken off."""

# Printable characters of ASCII; the patterns of values know how all others are numbered. A row of backslashes is taken
# from its beginning alone, so that it is read once however long it is.
_ESCAPE = re.compile(rb"\\(?<!\\\\)\\*(?:u00|x)[2-7][0-9A-Fa-f]|%[2-7][0-9A-Fa-f]")
# Letters, digits and what else no encoding changes, and the two characters that begin another layer of escapes.
_UNCHANGED = rb"(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|2[5DdEe]|5[CcFf]|7[Ee])"
# One pattern each: what begins with bytes that are known is found far quicker than one of several beginnings.
_NEEDLESS = [(start, re.compile(re.escape(start) + _UNCHANGED)) for start in (b"%", b"\\u00", b"\\x")]


class Reading:
    """A text as it is, or with one layer of escapes less than another.

    Args:
        text: the text.
        outer: the reading that has the layer; none for the text as it is.
    """

    def __init__(self, text: bytes, outer: "Reading | None" = None) -> None:
        self.text = text
        self._outer = outer

    def origin(self, position: int) -> int:
        """Return where a position lies in the text as it is."""
        if self._outer is None:
            return position
        places, removed = self._escapes
        before = bisect_left(places, position)
        return self._outer.origin(position + (removed[before - 1] if before else 0))

    @cached_property
    def _escapes(self) -> tuple["array[int]", "array[int]"]:
        """Where the characters stand that were escaped, and how many bytes were removed up to each of them."""
        places, removed = array("q"), array("q")
        total = 0
        for match in _ESCAPE.finditer(self._outer.text if self._outer else b""):
            replaced = len(_plain(match))
            places.append(match.start() - total + replaced - 1)
            total += match.end() - match.start() - replaced
            removed.append(total)
        return places, removed


def readings(data: bytes) -> Iterator[Reading]:
    """Yield a text as it is, and then with one layer of escapes less each time, as long as there are any."""
    reading = Reading(data)
    yield reading
    for _ in range(MOST_LAYERS):
        if (b"%" not in reading.text and b"\\" not in reading.text) or _ESCAPE.search(reading.text) is None:
            return
        reading = Reading(_ESCAPE.sub(_plain, reading.text), reading)
        yield reading


def has_needless_escapes(data: bytes) -> bool:
    """Return whether anything is escaped that no encoding has to escape, so that it stands plain in a reading alone."""
    # Bytes are found far quicker than patterns, and mostly there are none of these.
    if b"%" not in data and b"\\" not in data:
        return False
    return any(start in data and pattern.search(data) is not None for start, pattern in _NEEDLESS)


def _plain(match: re.Match[bytes]) -> bytes:
    """Return what an escape stands for, behind the backslashes that are not its own."""
    escape = match.group()
    char = bytes((int(escape[-2:], 16),))
    if escape[:1] == b"%":
        return char
    # JSON within JSON doubles backslashes: those of the escape are a power of two, those before it a multiple of more.
    slashes = len(escape) - len(escape.lstrip(b"\\"))
    return escape[: slashes - (slashes & -slashes)] + char
