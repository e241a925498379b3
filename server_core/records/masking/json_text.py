"""Mask JSON so that it stays JSON: only strings and numbers change, each as a whole token.

The text is scanned token by token, and tokens that are not masked stay unchanged, byte for byte. Strings are decoded
before they are masked, and a string that itself contains JSON is masked as JSON.
"""

import json
import re
from typing import NamedTuple, Protocol

from server_core.records.masking.masked_secret import Place
from server_core.records.masking.regions import DATA, Region

DEEPEST = 8
"""JSON in strings that is nested more deeply is masked as text."""

# A string, and whether it is a key; brackets; numbers; words; and any other character, which is invalid.
_TOKEN = re.compile(rb'("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}\[\]]|-?[0-9][0-9.eE+-]*|[A-Za-z]+|[^\s,:]', re.DOTALL)
_WORDS = frozenset((b"true", b"false", b"null", b"NaN", b"Infinity"))


class Span(NamedTuple):
    """The position of a value in a text, and the label that replaces it."""

    start: int
    end: int
    label: bytes


class TextMasker(Protocol):
    """Masks text in the strings and numbers of JSON."""

    def mask(self, data: bytes, place: Place) -> bytes:
        """Return a text with the values masked that are masked at such a place."""

    def label_of(self, data: bytes) -> bytes | None:
        """Return the label for a text that equals a value; None when it does not."""

    def spans(self, data: bytes, place: Place) -> list[Span]:
        """Return the spans of the values that are masked at such a place, in order and without overlaps."""


def starts_json(data: bytes) -> bool:
    """Return whether a text begins like a JSON object, array or string."""
    return data.lstrip(b" \t\r\n")[:1] in (b"{", b"[", b'"')


def mask_json(data: bytes, masker: TextMasker, region: Region, depth: int = 0) -> bytes | None:
    """Return masked JSON; None when the text is not JSON. `depth` is the number of JSON strings it is nested in."""
    reader = _TokenReader(data, masker, region, depth)
    pieces: list[bytes] = []
    done = 0
    try:
        for match in _TOKEN.finditer(data):
            if (masked := reader.process(match)) is not None:
                pieces += (data[done : match.start()], masked)
                done = match.end(1) if match[1] else match.end()
    except ValueError:
        return None
    return b"".join((*pieces, data[done:]))


class _TokenReader:
    """Processes the tokens of a JSON text, and keeps track of the region and key of each; see :func:`mask_json`."""

    def __init__(self, data: bytes, masker: TextMasker, region: Region, depth: int) -> None:
        self._masker = masker
        self._depth = depth
        # A value may contain quotes and braces itself, and then spans several tokens.
        self._spans = iter(masker.spans(data, Place.KEY))
        self._span = next(self._spans, None)
        self._outer: list[tuple[Region, bytes]] = []
        self._region, self._key = region, b""

    def process(self, match: re.Match[bytes]) -> bytes | None:
        """Return the replacement of a token; None when it stays; ValueError if it is not a JSON token."""
        text, colon = match.groups()
        if text is not None:
            return self._string(text, match) if colon is None else self._begin_member(text)
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
            raise ValueError("not JSON")
        return None

    def _begin_member(self, key: bytes) -> bytes | None:
        self._key = key[1:-1]
        return self._replacement(key, Place.KEY, None) if self._region.is_masked else None

    def _string(self, string: bytes, match: re.Match[bytes]) -> bytes | None:
        place = self._place(string[1:-1])
        return None if place is None else self._replacement(string, place, self._label_across(match))

    def _replacement(self, string: bytes, place: Place, label: bytes | None) -> bytes | None:
        """Return what replaces an encoded string, if anything: the label where a value spans an innocent string."""
        text = _decode(string)
        masked = self._mask(text, place)
        if masked != text:
            return _quote(masked)
        return None if label is None else _quote(label)

    def _number(self, token: bytes, match: re.Match[bytes]) -> bytes | None:
        place = self._place(token)
        if place is None:
            return None
        text = self._masker.mask(token, Place.TEXT if place is Place.STRING else place)
        # The label would not be a number.
        return b"0" if text != token or self._label_across(match) is not None else None

    def _place(self, value: bytes) -> Place | None:
        """Return the place of a value here, which decides how it is masked; None when it is not masked."""
        if self._region.is_structure(self._key, value):
            return Place.KEY if self._region.masks_structure else None
        return Place.STRING if self._region.inner.get(self._key, self._region).is_masked else None

    def _label_across(self, match: re.Match[bytes]) -> bytes | None:
        """Return the label of a value that begins before a token, or ends after it."""
        while self._span is not None and self._span.end <= match.start():
            self._span = next(self._spans, None)
        span = self._span
        if span is None or span.start >= match.end():
            return None
        return None if match.start() <= span.start and span.end <= match.end() else span.label

    def _mask(self, text: bytes, place: Place) -> bytes:
        if place is Place.STRING:
            if (label := self._masker.label_of(text)) is not None:
                return label
            if self._depth < DEEPEST and starts_json(text):
                nested = mask_json(text, self._masker, DATA, self._depth + 1)
                if nested is not None:
                    # A value of brackets and commas alone is in no token that was masked.
                    return self._masker.mask(nested, Place.KEY)
        return self._masker.mask(text, place)


def _decode(token: bytes) -> bytes:
    text = token[1:-1].decode() if b"\\" not in token else json.loads(token.decode(), strict=False)
    return str(text).encode("utf-8", "surrogatepass")


def _quote(text: bytes) -> bytes:
    value = text.decode("utf-8", "surrogatepass")
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # A lone surrogate can only be escaped.
        return json.dumps(value).encode()
