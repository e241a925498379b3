"""Search for a text in a document, without regard to case: its lines with matches, and the matches in a line."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import islice

from workbench.model.traffic.json_document import JsonDocument

MAX_MATCHES = 100_000
"""The number of matches at which a search of a document ends."""

# The screen has a blank after a colon, which may not be in the data.
_SEPARATOR = re.compile(r":\\ ")


class TextSearch:
    """A text that the user searches for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._pattern = re.compile(re.escape(text), re.IGNORECASE)

    def spans(self, shown: str) -> list[tuple[int, int]]:
        """Return where the matches in a shown line begin and end."""
        return [match.span() for match in self._pattern.finditer(shown)] if self.text else []

    def lines(self, document: JsonDocument) -> list[int]:
        """Return the line of each match, in order; a line with two matches is there twice."""
        if not self.text:
            return []
        matches = islice(self._raw_pattern.finditer(document.text), MAX_MATCHES)
        return [document.line_at(match.start()) for match in matches]

    @cached_property
    def _raw_pattern(self) -> "re.Pattern[str]":
        return re.compile(_SEPARATOR.sub(lambda _: r":\s*", re.escape(self.text)), re.IGNORECASE)


def following(places: Sequence[tuple[int, int]], place: tuple[int, int], step: int) -> int:
    """Return the index of the first of the sorted places after a place, or before it for step -1; around at the end."""
    index = bisect_right(places, place) if step > 0 else bisect_left(places, place) - 1
    return index % len(places)
