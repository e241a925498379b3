"""What a person has to do at an address before a request can be served: error -32042 of 2025-11-25.

The error names elicitations in URL mode. When the person agrees to all of them, the request is sent again: as soon as
the server tells that they are complete, and now and then, since servers need not tell.

Source: 2025-11-25, client/elicitation, URL elicitation required error, and completion notifications.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from server_core.protocol.jsonrpc import Notification
from workbench.client.requester import Refused

COMPLETION_SECONDS = 10.0
"""How long the server may take to tell, until the request is sent again all the same."""
MOST_WAITS = 12
"""How often that may be; then the person has had two minutes at the address."""
MOST_AGREED = 1000

Inquire = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]


class UrlElicitations:
    """Those that were asked for in errors of one server."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Event] = {}
        self._agreed: deque[str] = deque(maxlen=MOST_AGREED)

    async def completed(self, data: Any, inquire: Inquire, *, agreed: bool = False) -> bool:
        """Ask the person to go where an error sends them, once; True when they may have been there meanwhile.

        Args:
            data: of the error.
            inquire: asks questions, by keys, and returns the answers.
            agreed: the person has agreed to these addresses already, for the same request.
        """
        asked = _elicitations(data)
        done = {id: self._waiting.setdefault(id, asyncio.Event()) for id in asked}
        try:
            if not asked or not (agreed or await self._agree(asked, inquire)):
                return False
            await _all_set(list(done.values()))
        finally:
            for id in done:
                self._waiting.pop(id, None)
        return True

    def take(self, notification: Notification) -> None:
        """Hear that one is complete."""
        if notification.method == "notifications/elicitation/complete":
            event = self._waiting.get(str(notification.params.get("elicitationId")))
            if event is not None:
                event.set()

    async def _agree(self, asked: dict[str, dict[str, Any]], inquire: Inquire) -> bool:
        fresh = {
            id: {"method": "elicitation/create", "params": one} for id, one in asked.items() if id not in self._agreed
        }
        try:
            answers = await inquire(fresh)
        except Refused:
            return False
        if any(answer.get("action") != "accept" for answer in answers.values()):
            return False
        self._agreed.extend(fresh)
        return True


def addresses(data: Any) -> list[str]:
    """Return the addresses that an error sends the person to; none when it asks for anything else."""
    return [one["url"] for one in _elicitations(data).values()]


def _elicitations(data: Any) -> dict[str, dict[str, Any]]:
    """Return the elicitations that an error asks for, by their ids; none when it asks for anything else."""
    named = data.get("elicitations") if isinstance(data, dict) else None
    if not isinstance(named, list) or not all(_is_url_elicitation(one) for one in named):
        return {}
    return {one["elicitationId"]: one for one in named}


def _is_url_elicitation(value: Any) -> bool:
    texts = ("elicitationId", "url", "message")
    return isinstance(value, dict) and value.get("mode") == "url" and all(isinstance(value.get(t), str) for t in texts)


async def _all_set(events: list[asyncio.Event]) -> None:
    try:
        async with asyncio.timeout(COMPLETION_SECONDS):
            for event in events:
                await event.wait()
    except TimeoutError:
        pass  # The server need not tell: whether it is done shows when the request is sent again.
