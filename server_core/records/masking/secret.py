"""One value of a secret: where it is masked, and the patterns that find it there.

A short value, or one that is a word of JSON or of the protocol, stands in many places that have nothing to do with it.
The weaker a value is, the more of its surroundings must say that it is meant.
"""

import re
from collections.abc import Iterable
from enum import Enum
from functools import cached_property

from server_core.protocol.vocabulary import WORDS
from server_core.records.masking.forms import Form, as_bytes, as_text, encoded, quoted

SHORTEST = 4
"""A shorter value is masked only where it is a whole text."""
LONG = 8
"""A value of so many characters is masked wherever it stands."""
SHORTEST_ENCODED = 5
"""A shorter value is not looked for in base64 and hexadecimal."""


class Place(Enum):
    """Where a piece of text stands."""

    KEY = "a key of JSON"
    STRING = "a string of JSON"
    TEXT = "free text"


class Secret:
    """A value to mask.

    Args:
        name: the name of the secret.
        value: its value, which is not empty.
    """

    def __init__(self, name: str, value: str) -> None:
        self.label = f"<secret {name}>".encode("ascii", "replace")
        """What stands in place of the value."""
        self.length = len(value)
        self._value = value
        self._is_whole_only = len(value) < SHORTEST or value in WORDS
        self._is_long = not self._is_whole_only and len(value) >= LONG
        self._is_word = not self._is_long and (value.isalpha() or value.isdigit())
        self._texts = [] if self._is_whole_only else [as_text(text) for text in _texts(value)]
        self._encoded = [] if self._is_whole_only else _encoded(value)

    @property
    def wholes(self) -> set[bytes]:
        """The texts that are masked where nothing else stands beside them."""
        return {as_bytes(text) for text in (self._value, self._value.strip()) if text}

    @property
    def texts(self) -> set[bytes]:
        """The value, without what surrounds it, and its longer lines."""
        return self.wholes.union(map(as_bytes, _texts(self._value)))

    @property
    def anchors(self) -> set[bytes]:
        """Bytes, some of which stand wherever the value does; with an empty one among them it is always looked for."""
        if self._is_whole_only:
            return quoted(self._value)
        return {form.anchor for form in (*self._texts, *self._encoded)}

    @property
    def beginnings(self) -> set[bytes]:
        """Patterns of what the value begins with in any of its forms, also where a text ends before the value does."""
        wholes = [as_text(text) for text in {self._value, self._value.strip()} if text]
        return {form.beginning for form in (*wholes, *self._texts, *self._encoded)}

    def pattern(self, place: Place) -> re.Pattern[bytes] | None:
        """Return what finds the value in a text; None when it is not masked there."""
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

    def _bounded(self, form: Form) -> bytes:
        """A number is none within a longer number, and a short value none within a longer word."""
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
    """A value and its longer lines, since what is printed becomes a record a line; the longest first."""
    lines = {line.strip() for line in value.splitlines()}
    return sorted({value, *(line for line in lines if len(line) >= LONG)}, key=len, reverse=True)


def _encoded(value: str) -> list[Form]:
    if len(value) < SHORTEST_ENCODED:
        return []
    return [form for text in {value, value.strip()} if text for form in encoded(text)]


def _compiled(patterns: Iterable[bytes]) -> re.Pattern[bytes] | None:
    return re.compile(b"|".join(patterns)) if patterns else None
