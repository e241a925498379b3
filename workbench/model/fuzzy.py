"""Fuzzy search: a query matches a text that has its characters in the same order.

The time is proportional to the length of the text. Textual's matcher tries every combination of positions instead, and
a server could choose names that take it forever.
"""

from collections.abc import Sequence
from dataclasses import dataclass

# The part of a text that is searched.
_MAX_LENGTH = 2000

_EQUAL, _PREFIX, _WORD, _INSIDE = 5.0, 4.0, 3.0, 2.0
# The factor for a match without the underscores of the query.
_JOINED = 0.5


@dataclass(frozen=True, slots=True)
class FuzzyMatch:
    """A match; the score of a text that contains the query as it is exceeds that of any other."""

    score: float
    positions: Sequence[int]  # the indexes of the matched characters


def fuzzy_match(query: str, text: str) -> FuzzyMatch | None:
    """Match a query, in any case of letters; None if the text does not have its characters in this order.

    Underscores in the query may be missing in the text: the tool of a function `say_hello` may be called SayHello.
    """
    text = text[:_MAX_LENGTH]
    query = query.lower()
    match = _match(query, text)
    if match is None and "_" in query and (joined := _match(query.replace("_", ""), text)) is not None:
        return FuzzyMatch(joined.score * _JOINED, joined.positions)
    return match


def contained(query: str, text: str) -> FuzzyMatch | None:
    """Match a query that the text contains as it is, in any case of letters."""
    text = text[:_MAX_LENGTH]
    return _substring(query.lower(), text, text.lower())


def _match(query: str, text: str) -> FuzzyMatch | None:
    lower = text.lower()
    return _substring(query, text, lower) or _subsequence(query, lower)


def _substring(query: str, text: str, lower: str) -> FuzzyMatch | None:
    at = lower.find(query)
    if at < 0:
        return None
    if lower == query:
        return FuzzyMatch(_EQUAL, range(len(query)))
    start: int = at
    while start >= 0 and not _begins_word(text, start):
        start = lower.find(query, start + 1)
    if start < 0:
        return FuzzyMatch(_INSIDE, range(at, at + len(query)))
    return FuzzyMatch(_PREFIX if start == 0 else _WORD, range(start, start + len(query)))


def _begins_word(text: str, at: int) -> bool:
    """Whether a word begins here: at the start, after a sign, or at a capital letter within a name."""
    if at == 0 or at >= len(text):
        return True
    before = text[at - 1]
    return not before.isalnum() or (before.islower() and text[at].isupper())


def _subsequence(query: str, lower: str) -> FuzzyMatch | None:
    end = 0
    for letter in query:
        end = lower.find(letter, end) + 1
        if not end:
            return None
    # Backwards from the end of the first match, so that the positions are close together.
    positions = []
    for letter in reversed(query):
        end = lower.rfind(letter, 0, end)
        positions.append(end)
    positions.reverse()
    span = positions[-1] - positions[0] + 1 if positions else 1
    return FuzzyMatch(len(query) / span, positions)
