"""The lists of one catalog, page by page, as the JSON text of their results; each page is encoded once per revision.

Source: server/utilities/pagination. A cursor is the name of the list and a position. A cursor from an older catalog
still works, since a client that reads a list while it changes is notified and reads it again.
"""

import base64
from typing import TYPE_CHECKING, Any

from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_PARAMS
from server_core.protocol.envelope import SERVER_INFO
from server_core.protocol.jsonrpc import encode
from server_core.protocol.revisions import LATEST, Revision
from server_core.serving.handshake import cache_hints

if TYPE_CHECKING:
    from server_core.catalog.catalog import Catalog
    from server_core.catalog.catalog_entry import CatalogEntry

PAGE_SIZE = 250


class Pages:
    """The pages of a catalog's lists, with a `ttl` in seconds and `serverInfo` in revisions that have these."""

    def __init__(
        self,
        catalog: "Catalog",
        *,
        size: int = PAGE_SIZE,
        ttl: float = 0.0,
        server_info: dict[str, Any] | None = None,
    ) -> None:
        self._size = size
        self._hints = cache_hints(ttl)
        self._meta = {"_meta": {SERVER_INFO: server_info}} if server_info else {}
        self._lists: dict[str, list[CatalogEntry]] = {
            "tools": list(catalog.tools.values()),
            "resources": list(catalog.resources.values()),
            "resourceTemplates": list(catalog.templates),
            "prompts": list(catalog.prompts.values()),
        }
        self._cache: dict[tuple[str, int, str], bytes] = {}

    def page(self, kind: str, cursor: Any = None, revision: Revision = LATEST) -> bytes:
        """Return the JSON text of a list's page: tools, resources, ...; ProtocolError for a cursor not of this list."""
        start = 0 if cursor is None else self._position(kind, cursor)
        key = kind, start, revision.date
        page = self._cache.get(key)
        if page is None:
            page = encode(self._result(kind, start, revision))
            # Pages beyond the end are empty and unlimited in number, so they are not cached.
            if start == 0 or start < len(self._lists[kind]):
                self._cache[key] = page
        return page

    def _result(self, kind: str, start: int, revision: Revision) -> dict[str, Any]:
        entries = self._lists[kind]
        end = start + self._size
        result: dict[str, Any] = {kind: [entry.definition_for(revision) for entry in entries[start:end]]}
        if end < len(entries):
            result["nextCursor"] = _cursor(kind, end)
        if revision.cache_hints:
            result |= self._hints
        # Source: 2026-07-28, basic, results: the type of the result, and the server's info.
        return {"resultType": "complete", **result, **self._meta} if revision.stateless else result

    def _position(self, kind: str, cursor: Any) -> int:
        try:
            name, position = base64.b64decode(cursor, altchars=b"-_", validate=True).decode("ascii").split(" ")
            if name == kind and position.isdecimal() and int(position) % self._size == 0:
                return int(position)
        except (TypeError, ValueError):
            pass
        raise ProtocolError(INVALID_PARAMS, "Unknown cursor; start the list again without one")


def _cursor(kind: str, position: int) -> str:
    return base64.urlsafe_b64encode(f"{kind} {position}".encode()).decode()
