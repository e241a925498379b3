"""The lists of one catalog, page by page, as the JSON text of their results; each page is made once.

Source: server/utilities/pagination. A cursor is the list's name and a position: one of an older catalog still
works, since whoever reads a list while it changes is told of the change and reads it again.
"""

import base64
from typing import TYPE_CHECKING, Any

from server_core.errors import INVALID_PARAMS, ProtocolError
from server_core.protocol.jsonrpc import encode

if TYPE_CHECKING:
    from server_core.catalog.catalog import Catalog

PAGE_SIZE = 250


class Pages:
    """The pages of a catalog's lists.

    Args:
        catalog: what they list.
    """

    def __init__(self, catalog: "Catalog") -> None:
        self._catalog = catalog
        self._made: dict[tuple[str, int], bytes] = {}

    def page(self, kind: str, cursor: Any = None) -> bytes:
        """Return the JSON text of a list's result.

        Args:
            kind: the member of the result: tools, resources, resourceTemplates or prompts.
            cursor: as the client gave it; None for the first page.

        Raises:
            ProtocolError: when the cursor is none of this list.
        """
        start = 0 if cursor is None else _position(kind, cursor)
        page = self._made.get((kind, start))
        if page is None:
            page = encode(self._result(kind, start))
            # What lies beyond the end is as cheap to make as to keep, and has no bound.
            if start == 0 or start < len(self._entries(kind)):
                self._made[kind, start] = page
        return page

    def _result(self, kind: str, start: int) -> dict[str, Any]:
        entries = self._entries(kind)
        end = start + PAGE_SIZE
        result: dict[str, Any] = {kind: [entry.definition for entry in entries[start:end]]}
        if end < len(entries):
            result["nextCursor"] = _cursor(kind, end)
        return result

    def _entries(self, kind: str) -> list[Any]:
        if kind == "resourceTemplates":
            return list(self._catalog.templates)
        return list(getattr(self._catalog, kind).values())


def _cursor(kind: str, position: int) -> str:
    return base64.urlsafe_b64encode(f"{kind} {position}".encode()).decode()


def _position(kind: str, cursor: Any) -> int:
    try:
        of, position = base64.b64decode(cursor, altchars=b"-_", validate=True).decode("ascii").split(" ")
        if of == kind and position.isdecimal() and int(position) % PAGE_SIZE == 0:
            return int(position)
    except (TypeError, ValueError):
        pass
    raise ProtocolError(INVALID_PARAMS, "Unknown cursor; start the list again without one")
