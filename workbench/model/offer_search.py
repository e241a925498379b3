"""The search of a server's offers by words: fuzzy in names, and as they are in titles, URIs and descriptions."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.model.catalog import Offer
from workbench.model.fuzzy import contained, fuzzy_match

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
