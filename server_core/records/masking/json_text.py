"""Mask JSON so that it stays JSON: only strings and numbers change, each of them as a whole token.

The text is read token by token, and what is not masked stays as it was, byte for byte. Strings are masked as what they
say and not as they are written, and one that holds JSON itself is masked as JSON.
"""

import json
import re
from typing import NamedTuple, Protocol

from server_core.records.masking.regions import DATA, Region
from server_core.records.masking.secret import Place

DEEPEST = 8
"""JSON that lies deeper within strings of JSON is masked as text."""

# A string, and whether it is a key; brackets; numbers; words; and whatever else does not belong between them.
_TOKEN = re.compile(rb'("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}\[\]]|-?[0-9][0-9.eE+-]*|[A-Za-z]+|[^\s,:]', re.DOTALL)
_WORDS = frozenset((b"true", b"false", b"null", b"NaN", b"Infinity"))


class Span(NamedTuple):
    """Where a value lies in a text, and what stands in place of it."""

    start: int
    end: int
    label: bytes


class Masking(Protocol):
    """What is masked."""

    def text(self, data: bytes, place: Place) -> bytes:
        """Return a piece of text with every value masked that is masked at such a place."""

    def whole(self, data: bytes) -> bytes | None:
        """Return what stands in place of a text that is a value and nothing else; None when it is none."""

    def spans(self, data: bytes, place: Place) -> list[Span]:
        """Return where the values lie that are masked at such a place, in their order."""


def looks_like_json(data: bytes) -> bool:
    """Return whether a text begins as a JSON object, array or string does."""
    return data.lstrip(b" \t\r\n")[:1] in (b"{", b"[", b'"')


def mask_json(data: bytes, masking: Masking, region: Region, depth: int = 0) -> bytes | None:
    """Return JSON with everything masked; None when it is no JSON.

    Args:
        data: the text.
        masking: what is masked.
        region: what part of a message it is.
        depth: how many strings of JSON it lies in.
    """
    reader = _Reader(data, masking, region, depth)
    pieces: list[bytes] = []
    done = 0
    try:
        for match in _TOKEN.finditer(data):
            if (masked := reader.take(match)) is not None:
                pieces += (data[done : match.start()], masked)
                done = match.end(1) if match[1] else match.end()
    except ValueError:
        return None
    return b"".join((*pieces, data[done:]))


class _Reader:
    """Reads one JSON text, and knows where in it each token stands.

    Args:
        data: the text.
        masking: what is masked.
        region: what part of a message it is.
        depth: how many strings of JSON it lies in.
    """

    def __init__(self, data: bytes, masking: Masking, region: Region, depth: int) -> None:
        self._masking = masking
        self._depth = depth
        # A value may hold quotes and braces itself, and then reaches across several tokens.
        self._spans = iter(masking.spans(data, Place.KEY))
        self._span = next(self._spans, None)
        self._outer: list[tuple[Region, bytes]] = []
        self._region, self._key = region, b""

    def take(self, match: re.Match[bytes]) -> bytes | None:
        """Return what stands in place of a token; None when it stays.

        Raises:
            ValueError: when it is no token of JSON.
        """
        text, colon = match.groups()
        if text is not None:
            return self._value(text, match) if colon is None else self._begin(text)
        token = match.group()
        first = token[:1]
        if first in b"{[":
            self._outer.append((self._region, self._key))
            self._region = self._region.inner.get(self._key, self._region)
        elif first in b"}]":
            if self._outer:
                self._region, self._key = self._outer.pop()
        elif first in b"-0123456789":
            return self._number(token, match)
        elif token not in _WORDS:
            raise ValueError("no JSON")
        return None

    def _begin(self, key: bytes) -> bytes | None:
        """Begin a member of an object."""
        self._key = key[1:-1]
        return self._masked(key, Place.KEY, None) if self._region.is_masked else None

    def _value(self, string: bytes, match: re.Match[bytes]) -> bytes | None:
        place = self._place(string[1:-1])
        return None if place is None else self._masked(string, place, self._label_across(match))

    def _masked(self, string: bytes, place: Place, label: bytes | None) -> bytes | None:
        """Return what stands in place of a string; None when it stays.

        Args:
            string: as it is written.
            place: where it stands.
            label: what it becomes at least, since a value reaches across it.
        """
        text = _decoded(string)
        masked = self._hidden(text, place)
        if masked != text:
            return _quoted(masked)
        return None if label is None else _quoted(label)

    def _number(self, token: bytes, match: re.Match[bytes]) -> bytes | None:
        place = self._place(token)
        if place is None:
            return None
        text = self._masking.text(token, Place.TEXT if place is Place.STRING else place)
        # A name would be no number.
        return b"0" if text != token or self._label_across(match) is not None else None

    def _place(self, value: bytes) -> Place | None:
        """Return how a value is masked that stands here; None when it is not."""
        if self._region.is_structure(self._key, value):
            return Place.KEY if self._region.masks_structure else None
        return Place.STRING if self._region.inner.get(self._key, self._region).is_masked else None

    def _label_across(self, match: re.Match[bytes]) -> bytes | None:
        """Return what stands in place of a value that begins before a token, or ends behind it."""
        while self._span is not None and self._span.end <= match.start():
            self._span = next(self._spans, None)
        span = self._span
        if span is None or span.start >= match.end():
            return None
        return None if match.start() <= span.start and span.end <= match.end() else span.label

    def _hidden(self, text: bytes, place: Place) -> bytes:
        if place is Place.STRING:
            if (label := self._masking.whole(text)) is not None:
                return label
            if self._depth < DEEPEST and looks_like_json(text):
                nested = mask_json(text, self._masking, DATA, self._depth + 1)
                if nested is not None:
                    return nested
        return self._masking.text(text, place)


def _decoded(token: bytes) -> bytes:
    """Return what a string of JSON says."""
    text = token[1:-1].decode() if b"\\" not in token else json.loads(token.decode(), strict=False)
    return str(text).encode("utf-8", "surrogatepass")


def _quoted(text: bytes) -> bytes:
    """Return a text as a string of JSON."""
    said = text.decode("utf-8", "surrogatepass")
    try:
        return json.dumps(said, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # Half a character has no other form.
        return json.dumps(said).encode()
