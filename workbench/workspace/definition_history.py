"""What the last reload changed in the definitions of the offers."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.model.catalog import is_stale

if TYPE_CHECKING:
    from workbench.model.catalog import Offer
    from workbench.model.definitions.change import DefinitionChange

_PARTS = ("tools", "resources", "templates", "prompts")


class DefinitionHistory:
    """The changes from the previous definitions to the current ones; a failed reload changes nothing."""

    def __init__(self) -> None:
        self.changes: dict[tuple[str, str], list[DefinitionChange]] = {}  # by the key of the offer
        self._newest: Mapping[str, Any] = {}
        # The last definitions of offers that were removed: a file may be moved away and back.
        self._gone: dict[tuple[str, str], Offer] = {}

    async def update(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Compare two catalogs, each a response to `catalog/get`; the first one is compared with nothing."""
        self._newest = after
        if not _is_reload(before, after, has_gone=bool(self._gone)):
            return
        # Imported late: the first screen has nothing to compare. On a thread: many definitions may have changed.
        from workbench.model.definitions.offer_changes import catalog_changes, gone_offers

        gone = self._gone
        changes = await asyncio.to_thread(catalog_changes, before, after, gone)
        self._gone = await asyncio.to_thread(gone_offers, before, after, gone)
        if self._newest is after:
            self.changes = changes


def _is_reload(before: Mapping[str, Any], after: Mapping[str, Any], *, has_gone: bool) -> bool:
    """Whether a catalog replaces an earlier one; a relayed server has no generations, so its definitions decide.

    One without offers is the first, or all of them have gone.
    """
    if not has_gone and not any(before.get(part) for part in _PARTS):
        return False
    if not after.get("generation"):
        return any(before.get(part) != after.get(part) for part in _PARTS)
    return bool(after["generation"] > (before.get("generation") or 0) and not is_stale(after))
