"""Whether an offer that is gone has another name now: decided by its file and its schema, since nothing states it."""

from collections.abc import Sequence

from workbench.model.catalog import Offer
from workbench.model.difference import is_same_json
from workbench.model.json_members import object_in, text_in

_MAX_OTHER_PARAMETERS = 1
"""How many parameters may differ in a definition that was renamed."""


def renamed_offer(gone: Offer, before: Sequence[Offer], after: Sequence[Offer]) -> Offer | None:
    """Return the offer that has taken the place of one that is gone; None if that is not clear.

    It is clear if the file of the offer has lost no other of its kind and gained exactly one, with nearly its schema.
    """
    lost, gained = _beside(gone, before, after), _beside(gone, after, before)
    if len(lost) != 1 or len(gained) != 1:
        return None
    return gained[0] if _is_nearly_the_same(gone, gained[0]) else None


def _beside(offer: Offer, these: Sequence[Offer], others: Sequence[Offer]) -> list[Offer]:
    """Return the offers of the same kind and file that the other catalog does not have."""
    keys, place = {other.key for other in others}, (offer.kind, _file(offer))
    return [it for it in these if it.key not in keys and (it.kind, _file(it)) == place]


def _file(offer: Offer) -> str:
    return text_in(object_in(offer.definition, "source"), "file")


def _is_nearly_the_same(before: Offer, after: Offer) -> bool:
    old, new = object_in(before.schema, "properties"), object_in(after.schema, "properties")
    same = {name for name in old.keys() & new.keys() if is_same_json(old[name], new[name])}
    differing = len(old.keys() | new.keys()) - len(same)
    return differing <= _MAX_OTHER_PARAMETERS and (bool(same) or not differing)
