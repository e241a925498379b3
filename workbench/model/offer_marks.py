"""The signs beside an offer: what it does, and what it still needs before it can be called."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from workbench.model.catalog import Offer, is_destructive
from workbench.model.json_members import object_in, text_in, texts_in
from workbench.model.missing_requirements import is_usable

READS_ONLY, DESTRUCTIVE, NEEDS_ACCOUNT, NEEDS_SECRET, HAS_PROBLEMS = "○", "▲", "@", "*", "!"
SUBSCRIBED, UPDATED = "◇", "◆"

MARKS = {
    READS_ONLY: "Only reads (readOnlyHint)",
    DESTRUCTIVE: "May destroy data (destructiveHint)",
    NEEDS_ACCOUNT: "Needs an account that is not logged in",
    NEEDS_SECRET: "Needs a secret that is not set",
    SUBSCRIBED: "You are subscribed to the resource",
    UPDATED: "The resource was updated since you read it",
    HAS_PROBLEMS: "Has problems, or a warning about its definition",
}
"""The signs with their meanings, for the help; they differ without colour."""

_SHORT_MEANINGS = {
    READS_ONLY: "read-only",
    DESTRUCTIVE: "destructive",
    NEEDS_ACCOUNT: "needs login",
    NEEDS_SECRET: "needs secret",
    SUBSCRIBED: "subscribed",
    UPDATED: "updated",
    HAS_PROBLEMS: "problems",
}


def legend(signs: Collection[str], width: int) -> str:
    """Return the signs with their meanings in a word or two, in lines of at most so many characters if possible."""
    lines = [""]
    for sign in sorted(signs, key=list(_SHORT_MEANINGS).index):
        meaning = f"{sign} {_SHORT_MEANINGS[sign]}"
        if lines[-1] and len(lines[-1]) + 2 + len(meaning) > width:
            lines.append("")
        lines[-1] += f"  {meaning}" if lines[-1] else meaning
    return "\n".join(lines)


class OfferMarks:
    """The signs of all offers; the arguments are from `catalog/get`, `secrets/list` and `accounts/list`.

    `warned` has the keys of the offers with a warning in a `LintReport`; `subscribed` has, by the URIs of the
    subscriptions, whether an update was not read yet.
    """

    def __init__(
        self,
        offers: Iterable[Offer] = (),
        secrets: Iterable[Mapping[str, Any]] = (),
        accounts: Iterable[Mapping[str, Any]] = (),
        problems: Iterable[Mapping[str, Any]] = (),
        warned: Collection[tuple[str, str]] = (),
        subscribed: Mapping[str, bool] | None = None,
    ) -> None:
        self._subscribed = subscribed or {}
        self._set_secrets = {secret["key"] for secret in secrets if secret.get("is_set")}
        self._missing_accounts = {account["account"] for account in accounts if not is_usable(account)}
        self._with_problems = _with_problems(offers, problems).union(warned)

    def of(self, offer: Offer) -> str:
        definition = offer.definition
        signs = {
            READS_ONLY: object_in(definition, "annotations").get("readOnlyHint") is True,
            DESTRUCTIVE: is_destructive(definition),
            NEEDS_ACCOUNT: text_in(definition, "account") in self._missing_accounts,
            NEEDS_SECRET: any(key not in self._set_secrets for key in texts_in(definition, "secrets")),
            SUBSCRIBED: self._subscribed.get(offer.name) is False,
            UPDATED: self._subscribed.get(offer.name) is True,
            HAS_PROBLEMS: offer.key in self._with_problems,
        }
        return "".join(sign for sign, applies in signs.items() if applies)


def _with_problems(offers: Iterable[Offer], problems: Iterable[Mapping[str, Any]]) -> set[tuple[str, str]]:
    """Return the keys of the offers in whose lines of a file a problem is: up to the next definition there."""
    places: dict[str, list[tuple[int, Offer]]] = defaultdict(list)
    for offer in offers:
        source = object_in(offer.definition, "source")
        if isinstance(line := source.get("line"), int):
            places[text_in(source, "file")].append((line, offer))
    for definitions in places.values():
        definitions.sort(key=lambda place: place[0])
    keys = set()
    for problem in problems:
        definitions = places.get(problem.get("file") or "", [])
        at = bisect_right(definitions, problem.get("line") or 0, key=lambda place: place[0])
        if at and _may_be_about(definitions[at - 1][1], problem):
            keys.add(definitions[at - 1][1].key)
    return keys


def _may_be_about(offer: Offer, problem: Mapping[str, Any]) -> bool:
    """Whether a problem at the lines of an offer is about it: an error removes its subject from the offers."""
    subject = text_in(problem, "subject") if problem.get("severity") == "error" else ""
    return not subject or _letters(subject) in (_letters(offer.name), _letters(text_in(offer.definition, "short_name")))


def _letters(name: str) -> str:
    return name.replace("_", "").lower()
