"""Compare two definitions of an offer, or all offers of two catalogs."""

from collections.abc import Iterator, Mapping
from typing import Any

from workbench.model.catalog import Offer, OfferKind, offers
from workbench.model.definitions.change import DefinitionChange, Verdict
from workbench.model.definitions.schema_comparison import SchemaRole, schema_changes
from workbench.model.definitions.value_sets import json_text
from workbench.model.difference import is_same_json
from workbench.model.json_members import object_in

# How many changed definitions are compared.
_MAX_COMPARED = 200
# How many definitions of offers that are gone are stored.
_MAX_GONE = 1000
# Members that are compared by themselves, or that our own core adds for terminals.
_OWN = frozenset({"source", "short_name", "retries", "ui"})
_COMPARED = frozenset({"inputSchema", "outputSchema", "arguments", "annotations", "name", "uri", "uriTemplate"})
_NEEDS = {"secrets": "secrets", "account": "account", "metadata_keys": "attributes in _meta"}
_HINTS = {
    "readOnlyHint": "read-only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "connected to other systems",
}


def offer_changes(old: Offer, new: Offer) -> list[DefinitionChange]:
    """Return what changed from one definition of an offer to another, breaking changes first."""
    return sorted(_changes(old, new), key=lambda change: not change.is_breaking)


def catalog_changes(
    old: Mapping[str, Any], new: Mapping[str, Any], gone: Mapping[tuple[str, str], Offer] = {}
) -> dict[tuple[str, str], list[DefinitionChange]]:
    """Return the changes of each offer that differs between two catalogs, by the key of the offer.

    Args:
        old: the earlier catalog.
        new: the later one.
        gone: the last definitions of offers that earlier reloads have removed: one that returns is no new offer.
    """
    before = {offer.key: offer for offer in offers(dict(old))}
    after = {offer.key: offer for offer in offers(dict(new))}
    changes: dict[tuple[str, str], list[DefinitionChange]] = {}
    compared = 0
    for key, offer in after.items():
        if (previous := before.get(key) or gone.get(key)) is None:
            changes[key] = [DefinitionChange((), f"The {offer.kind} is new.")]
        elif not is_same_json(previous.definition, offer.definition):
            compared += 1
            details = offer_changes(previous, offer) if compared <= _MAX_COMPARED else [_NOT_COMPARED]
            if details:
                changes[key] = details
    for key, offer in before.items():
        if key not in after:
            changes[key] = [DefinitionChange((), f"The {offer.kind} is removed.", Verdict.CALLERS)]
    return changes


def gone_offers(
    old: Mapping[str, Any], new: Mapping[str, Any], gone: Mapping[tuple[str, str], Offer]
) -> dict[tuple[str, str], Offer]:
    """Return the last definitions of the offers that the new catalog does not have, the latest."""
    known = {**gone, **{offer.key: offer for offer in offers(dict(old))}}
    for offer in offers(dict(new)):
        known.pop(offer.key, None)
    return dict(list(known.items())[-_MAX_GONE:])


_NOT_COMPARED = DefinitionChange(
    (), f"More than {_MAX_COMPARED} definitions changed; this is not compared.", Verdict.UNKNOWN
)


def _changes(old: Offer, new: Offer) -> Iterator[DefinitionChange]:
    root = "inputSchema" if new.kind is OfferKind.TOOL else "arguments"
    yield from schema_changes(old.schema, new.schema, SchemaRole.PARAMETERS, (root,))
    yield from _output_changes(old.definition.get("outputSchema"), new.definition.get("outputSchema"))
    yield from _hint_changes(object_in(old.definition, "annotations"), object_in(new.definition, "annotations"))
    for member, what in _NEEDS.items():
        before, after = old.definition.get(member), new.definition.get(member)
        if (after or None) != (before or None):
            verdict = Verdict.CALLERS if after else Verdict.NONE
            yield DefinitionChange(
                (member,), f"It needs {_listed(after)} as {what} now, not {_listed(before)}.", verdict
            )
    yield from _other_changes(old.definition, new.definition)


def _output_changes(old: Any, new: Any) -> Iterator[DefinitionChange]:
    if old is not None and new is not None:
        yield from schema_changes(old, new, SchemaRole.RESULTS, ("outputSchema",))
    elif old is not None:
        yield DefinitionChange(("outputSchema",), "The output schema is removed.", Verdict.READERS)
    elif new is not None:
        yield DefinitionChange(("outputSchema",), "It has an output schema now.")


def _hint_changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[DefinitionChange]:
    for key in dict.fromkeys([*old, *new]):
        if json_text(old.get(key)) != json_text(new.get(key)):
            words = f"It is declared as {'' if new.get(key) is True else 'not '}{_HINTS.get(key)} now."
            yield DefinitionChange(
                ("annotations", key), words if key in _HINTS else f"It has another annotation {key}."
            )


def _other_changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[DefinitionChange]:
    for member in dict.fromkeys([*old, *new]):
        if member in _OWN or member in _COMPARED or member in _NEEDS:
            continue
        if json_text(old.get(member)) == json_text(new.get(member)):
            continue
        if member == "mimeType":
            yield DefinitionChange(
                (member,), f"The MIME type is {new.get(member)} now, not {old.get(member)}.", Verdict.READERS
            )
        else:
            yield DefinitionChange((member,), f"It has another {member}.")


def _listed(names: Any) -> str:
    listed = names if isinstance(names, list) else [names] if names else []
    return ", ".join(map(str, listed)) or "nothing"
