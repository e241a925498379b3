"""The lists of one catalog, page by page, as the JSON text of their results; each page is made once for a revision.

Source: server/utilities/pagination. A cursor is the list's name and a position: one of an older catalog still
works, since whoever reads a list while it changes is told of the change and reads it again.
"""

import base64
from typing import TYPE_CHECKING, Any

from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_PARAMS
from server_core.protocol.envelope import SERVER_INFO
from server_core.protocol.jsonrpc import encode
from server_core.protocol.revisions import LATEST, Revision
from server_core.serving.cache_hints import cache_hints

if TYPE_CHECKING:
    from server_core.catalog.catalog import Catalog
    from server_core.catalog.offered import Offered

PAGE_SIZE = 250


class Pages:
    """The pages of a catalog's lists.

    Args:
        catalog: what they list.
        size: how many entries a page has.
        ttl: for how long clients may keep a page, in seconds, where the revision tells that.
        server_info: who the server is, for revisions in which each result says so.
    """

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
        self._lists: dict[str, list[Offered]] = {
            "tools": list(catalog.tools.values()),
            "resources": list(catalog.resources.values()),
            "resourceTemplates": list(catalog.templates),
            "prompts": list(catalog.prompts.values()),
        }
        self._made: dict[tuple[str, int, str], bytes] = {}

    def page(self, kind: str, cursor: Any = None, revision: Revision = LATEST) -> bytes:
        """Return the JSON text of a list's result.

        Args:
            kind: the member of the result: tools, resources, resourceTemplates or prompts.
            cursor: as the client gave it; None for the first page.
            revision: the one that the client speaks.

        Raises:
            ProtocolError: when the cursor is none of this list.
        """
        start = 0 if cursor is None else self._position(kind, cursor)
        key = kind, start, revision.date
        page = self._made.get(key)
        if page is None:
            page = encode(self._result(kind, start, revision))
            # What lies beyond the end is as cheap to make as to keep, and has no bound.
            if start == 0 or start < len(self._lists[kind]):
                self._made[key] = page
        return page

    def _result(self, kind: str, start: int, revision: Revision) -> dict[str, Any]:
        entries = self._lists[kind]
        end = start + self._size
        result: dict[str, Any] = {kind: [entry.definition_for(revision) for entry in entries[start:end]]}
        if end < len(entries):
            result["nextCursor"] = _cursor(kind, end)
        if revision.cache_hints:
            result |= self._hints
        # Source: 2026-07-28, basic, results: what kind of result it is, and whose.
        return {"resultType": "complete", **result, **self._meta} if revision.stateless else result

    def _position(self, kind: str, cursor: Any) -> int:
        try:
            of, position = base64.b64decode(cursor, altchars=b"-_", validate=True).decode("ascii").split(" ")
            if of == kind and position.isdecimal() and int(position) % self._size == 0:
                return int(position)
        except (TypeError, ValueError):
            pass
        raise ProtocolError(INVALID_PARAMS, "Unknown cursor; start the list again without one")


def _cursor(kind: str, position: int) -> str:
    return base64.urlsafe_b64encode(f"{kind} {position}".encode()).decode()
