"""One value of a secret: where it is masked, and the patterns that match it there.

A short value, or one that is a word of JSON or of the protocol, also occurs in places that have nothing to do with the
secret. The weaker a value is, the stricter the conditions on its surroundings.
"""

import re
from collections.abc import Iterable
from enum import Enum
from functools import cached_property

from server_core.protocol.vocabulary import WORDS
from server_core.records.masking.forms import SecretForm, as_bytes, as_text, encoded, quoted

SHORTEST = 4
"""A shorter value is masked only if it is the whole text."""
LONG = 8
"""A value of at least so many characters is masked everywhere."""
SHORTEST_ENCODED = 5
"""A shorter value is not searched for in base64 and hexadecimal."""


class Place(Enum):
    """The place of a piece of text."""

    KEY = "a key of JSON"
    STRING = "a string of JSON"
    TEXT = "free text"


class MaskedSecret:
    """A value to mask.

    Args:
        name: the name of the secret.
        value: its value, which is not empty.
    """

    def __init__(self, name: str, value: str) -> None:
        self.label = f"<secret {name}>".encode("ascii", "replace")
        """The replacement of the value."""
        self.length = len(value)
        self._value = value
        self._is_whole_only = len(value) < SHORTEST or value in WORDS
        self._is_long = not self._is_whole_only and len(value) >= LONG
        self._is_word = not self._is_long and (value.isalpha() or value.isdigit())
        self._texts = [] if self._is_whole_only else [as_text(text) for text in _texts(value)]
        self._encoded = [] if self._is_whole_only else _encoded(value)

    @property
    def wholes(self) -> set[bytes]:
        """The texts that are masked if there is nothing else around them."""
        return {as_bytes(text) for text in (self._value, self._value.strip()) if text}

    @property
    def texts(self) -> set[bytes]:
        """The value, also without surrounding whitespace, and its longer lines."""
        return self.wholes.union(map(as_bytes, _texts(self._value)))

    @property
    def anchors(self) -> set[bytes]:
        """Byte strings, one of which occurs wherever the value does; if one is empty, the value is always searched."""
        if self._is_whole_only:
            return quoted(self._value)
        return {form.anchor for form in (*self._texts, *self._encoded)}

    @property
    def beginnings(self) -> set[bytes]:
        """Patterns of the beginning of the value in any of its forms, even if truncated by the end of a text."""
        wholes = [as_text(text) for text in {self._value, self._value.strip()} if text]
        return {form.beginning for form in (*wholes, *self._texts, *self._encoded)}

    def pattern(self, place: Place) -> re.Pattern[bytes] | None:
        """Return the pattern of the value at a place; None when it is not masked there."""
        match place:
            case Place.TEXT:
                return self._everywhere
            case Place.STRING:
                return self._only_encoded if self._is_word else self._everywhere
            case Place.KEY:
                return self._everywhere if self._is_long else None

    @cached_property
    def _everywhere(self) -> re.Pattern[bytes] | None:
        return _compiled([self._bounded(form) for form in self._texts] + [form.pattern for form in self._encoded])

    @cached_property
    def _only_encoded(self) -> re.Pattern[bytes] | None:
        return _compiled([form.pattern for form in self._encoded])

    def _bounded(self, form: SecretForm) -> bytes:
        """Return a pattern that matches no number within a longer number, and no short value within a longer word."""
        if self._value.isdigit():
            return rb"(?<!\d)" + form.pattern + rb"(?!\d)"
        if self._is_long:
            return form.pattern
        return (
            rb"(?<![A-Za-z0-9_])" * _is_word(self._value[0])
            + form.pattern
            + rb"(?![A-Za-z0-9_])" * _is_word(self._value[-1])
        )


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _texts(value: str) -> list[str]:
    """Return a value and its longer lines, since printed output is recorded line by line; the longest first."""
    lines = {line.strip() for line in value.splitlines()}
    return sorted({value, *(line for line in lines if len(line) >= LONG)}, key=len, reverse=True)


def _encoded(value: str) -> list[SecretForm]:
    if len(value) < SHORTEST_ENCODED:
        return []
    return [form for text in {value, value.strip()} if text for form in encoded(text)]


def _compiled(patterns: Iterable[bytes]) -> re.Pattern[bytes] | None:
    return re.compile(b"|".join(patterns)) if patterns else None
