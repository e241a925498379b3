"""The search of a server's offers by words: fuzzy in names, and as they are in titles, URIs and descriptions."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.model.catalog import Offer
from workbench.model.fuzzy import contained, fuzzy_match
from workbench.model.saved_calls import SavedCall

# A word in a description counts less than the same letters close together in a name.
_ELSEWHERE = 0.1


@dataclass(frozen=True, slots=True)
class OfferMatch:
    offer: Offer
    score: float
    positions: frozenset[int]  # of the matched characters in the label


def search_offers(offers: Sequence[Offer], query: str) -> list[OfferMatch]:
    """Return the offers that match every word of the query, best match first."""
    # Underscores alone match everything.
    words = [word for word in query.split() if word.strip("_")]
    matches = [match for offer in offers if (match := _match(offer, words)) is not None]
    # Among equal matches, the shorter name is the more similar one.
    return sorted(matches, key=lambda match: (-match.score, len(match.offer.label)))


def search_saved_calls(calls: Sequence[SavedCall], query: str) -> list[tuple[SavedCall, frozenset[int]]]:
    """Return the saved calls that match every word of the query, with the matched characters of their names."""
    matching = []
    for call in calls:
        matches = [(fuzzy_match(word, call.name), contained(word, call.note)) for word in query.split()]
        if all(in_name is not None or in_note is not None for in_name, in_note in matches):
            names = (in_name for in_name, _ in matches if in_name is not None)
            matching.append((call, frozenset(position for match in names for position in match.positions)))
    return matching


def _match(offer: Offer, words: list[str]) -> OfferMatch | None:
    score, positions = 0.0, set[int]()
    for word in words:
        in_label = fuzzy_match(word, offer.label)
        elsewhere = max((_score(word, text) for text in (offer.title, offer.name, offer.description)), default=0.0)
        if in_label is not None:
            positions.update(in_label.positions)
        best = max(0.0 if in_label is None else in_label.score, elsewhere)
        if not best:
            return None
        score += best
    return OfferMatch(offer, score, frozenset(positions))


def _score(word: str, text: str) -> float:
    match = contained(word, text)
    return 0.0 if match is None else match.score * _ELSEWHERE
