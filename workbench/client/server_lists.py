"""The lists of a server, page by page, and its resources; from the cache where it is still valid."""

from collections.abc import Mapping
from typing import Any

from server_core.errors import ProtocolError
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.protocol.jsonrpc import Notification, Params
from server_core.transports.channel import Channel, HeaderRepeatingChannel
from workbench.client.deadline import DEFAULT_LIMITS
from workbench.client.multi_round_request import MultiRoundRequest
from workbench.client.requester import Requester
from workbench.client.result_cache import ResultCache

MAX_PAGES = 1000

Items = list[dict[str, Any]]


class ServerLists:
    """The lists of one server; `fresh` asks the server even if a cached result is still valid."""

    def __init__(self, requester: Requester, channel: Channel) -> None:
        # the tools that only run as tasks (2025-11-25), once they are listed
        self.tasks_only: frozenset[str] = frozenset()
        self._requester = requester
        self._channel = channel
        self._cache = ResultCache()

    @property
    def uncallable_tools(self) -> Mapping[str, str]:
        """The tools that cannot be called over this channel, and the reasons; known once they are listed."""
        return self._channel.refused_tools if isinstance(self._channel, HeaderRepeatingChannel) else {}

    async def tools(self, *, fresh: bool = False) -> Items:
        """Return the tools that can be called."""
        tools = await self._list("tools", "tools/list", "tools", fresh)
        self.tasks_only = frozenset(str(tool.get("name")) for tool in tools if _is_for_tasks_only(tool))
        return [tool for tool in tools if str(tool.get("name")) not in self.uncallable_tools]

    async def resources(self, *, fresh: bool = False) -> Items:
        return await self._list("resources", "resources/list", "resources", fresh)

    async def resource_templates(self, *, fresh: bool = False) -> Items:
        return await self._list("resources", "resources/templates/list", "resourceTemplates", fresh)

    async def prompts(self, *, fresh: bool = False) -> Items:
        return await self._list("prompts", "prompts/list", "prompts", fresh)

    async def fetch(self, method: str, params: Params, *, fresh: bool = False) -> dict[str, Any]:
        """Return the result of a request, from the cache if possible."""
        if not fresh and (cached := self._cache.find(method, params)) is not None:
            return cached
        rounds = MultiRoundRequest(self._requester, method, params, DEFAULT_LIMITS)
        result = await rounds.result()
        # The cache hints of an answer to a retry with input responses apply to nothing else.
        if self._requester.handshake.revision.cache_hints and rounds.id == rounds.first_id:
            self._cache.store(method, params, result)
        return result

    def invalidate(self, notification: Notification) -> None:
        self._cache.invalidate(notification)

    async def _list(self, capability: str, method: str, key: str, fresh: bool) -> Items:
        if capability not in self._requester.handshake.capabilities:
            return []
        items: Items = []
        params: Params = {}
        for _ in range(MAX_PAGES):
            result = await self.fetch(method, params, fresh=fresh)
            page = result.get(key)
            if not isinstance(page, list):
                raise ProtocolError(INTERNAL_ERROR, f"The server answered {method} without a list of {key}.")
            if (wrong := next((n for n, item in enumerate(page) if not isinstance(item, dict)), None)) is not None:
                raise ProtocolError(INTERNAL_ERROR, f"The server answered {method}, and {key}[{wrong}] is no object.")
            items += page
            if (cursor := result.get("nextCursor")) is None:
                return items
            params = {"cursor": cursor}
        raise ProtocolError(INTERNAL_ERROR, f"The server's {method} does not end after {MAX_PAGES} pages.")


def _is_for_tasks_only(tool: dict[str, Any]) -> bool:
    execution = tool.get("execution")
    return isinstance(execution, dict) and execution.get("taskSupport") == "required"
