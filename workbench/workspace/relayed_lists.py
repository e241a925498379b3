"""The lists of a relayed server, each requested again only after the server has reported a change of it.

Many servers report changes while they start: a list that has not been requested yet contains them already.
"""

import asyncio
from typing import Any

from server_core.errors import ProtocolError
from workbench.client.session import ClientSession
from workbench.model.catalog import without_own_members

_PARTS = ("tools", "resources", "templates", "prompts")
_CAPABILITIES = {"templates": "resources"}
_CHANGED = {
    "notifications/tools/list_changed": ("tools",),
    "notifications/resources/list_changed": ("resources", "templates"),
    "notifications/prompts/list_changed": ("prompts",),
}


class RelayedLists:
    """The lists of one session, as they were last fetched."""

    def __init__(self) -> None:
        self._lists: dict[str, Any] = {}
        # Why lists are not shown.
        self._refused: dict[str, str] = {}
        self._stale = set(_PARTS)
        # Changes are reported faster than lists arrive: one request for a list answers all of them.
        self._lock = asyncio.Lock()

    def handle(self, method: str) -> bool:
        """Handle a notification of the server; return whether it is about a list."""
        self._stale.update(_CHANGED.get(method, ()))
        return method in _CHANGED

    async def fetch(self, session: ClientSession) -> dict[str, Any]:
        """Return all lists, as in a catalog, after requesting those that are stale."""
        requests = {
            "tools": session.list_tools,
            "resources": session.list_resources,
            "templates": session.list_resource_templates,
            "prompts": session.list_prompts,
        }
        async with self._lock:
            for part in _PARTS:
                if part in self._stale:
                    # A change that is reported from here on may not be in the answer.
                    self._stale.discard(part)
                    try:
                        is_offered = _CAPABILITIES.get(part, part) in session.capabilities
                        offered = await requests[part]() if is_offered else []
                        self._lists[part] = [without_own_members(definition) for definition in offered]
                        self._refused.pop(part, None)
                    except ProtocolError as error:
                        # The server is there, and the user needs the terminal to see what it has sent.
                        self._lists[part] = []
                        self._refused[part] = str(error)
                    except BaseException:
                        self._stale.add(part)
                        raise
            return {**self._lists, "problems": [_problem(part, why) for part, why in self._refused.items()]}


def _problem(part: str, why: str) -> dict[str, Any]:
    """Return a problem of a list, with the members of a problem of a load."""
    place = {"file": "", "line": 0, "source_line": ""}
    fix = "Its messages are in the Inspector; the list is empty here until the server corrects it."
    return {"severity": "error", "message": f"The list of {part} is not shown: {why}", "fix": fix, **place}
