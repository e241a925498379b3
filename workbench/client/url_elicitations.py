"""URLs that the user has to open before a request can be served: error -32042 of 2025-11-25.

The error lists elicitations in URL mode. If the user agrees to all of them, the request is sent again: as soon as the
server reports that they are complete, and at intervals, since servers need not report it.

Source: 2025-11-25, client/elicitation, URL elicitation required error, and completion notifications.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from server_core.protocol.jsonrpc import Notification
from workbench.client.requester import Refused

COMPLETION_SECONDS = 10.0  # How long to wait for the server's notification before the request is sent again anyway.
MAX_WAITS = 12  # How often the request is sent again; with this interval, the user has two minutes.
MAX_AGREED = 1000

RequestInput = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]


class UrlElicitations:
    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Event] = {}
        self._agreed: deque[str] = deque(maxlen=MAX_AGREED)

    async def wait_for_completion(self, data: Any, request_input: RequestInput, *, agreed: bool = False) -> bool:
        """Ask the user to open the URLs of an error, unless `agreed`, and wait; True if they may have been visited."""
        elicitations = _elicitations(data)
        # Registered before the user is asked: a notification may arrive while the user still reads the question.
        events = {
            elicitation_id: self._waiting.setdefault(elicitation_id, asyncio.Event()) for elicitation_id in elicitations
        }
        try:
            if not elicitations or not (agreed or await self._agree(elicitations, request_input)):
                return False
            await _all_set(list(events.values()))
        finally:
            for elicitation_id in events:
                self._waiting.pop(elicitation_id, None)
        return True

    def handle(self, notification: Notification) -> None:
        if notification.method == "notifications/elicitation/complete":
            event = self._waiting.get(str(notification.params.get("elicitationId")))
            if event is not None:
                event.set()

    async def _agree(self, elicitations: dict[str, dict[str, Any]], request_input: RequestInput) -> bool:
        fresh = {
            elicitation_id: {"method": "elicitation/create", "params": elicitation}
            for elicitation_id, elicitation in elicitations.items()
            if elicitation_id not in self._agreed
        }
        try:
            answers = await request_input(fresh)
        except Refused:
            return False
        if any(answer.get("action") != "accept" for answer in answers.values()):
            return False
        self._agreed.extend(fresh)
        return True


def elicitation_urls(data: Any) -> list[str]:
    """Return the URLs that an error asks the user to open; none for other errors."""
    return [elicitation["url"] for elicitation in _elicitations(data).values()]


def _elicitations(data: Any) -> dict[str, dict[str, Any]]:
    """Return the elicitations that an error lists, by their ids; none for other errors."""
    named = data.get("elicitations") if isinstance(data, dict) else None
    if not isinstance(named, list) or not all(_is_url_elicitation(elicitation) for elicitation in named):
        return {}
    return {elicitation["elicitationId"]: elicitation for elicitation in named}


def _is_url_elicitation(value: Any) -> bool:
    texts = ("elicitationId", "url", "message")
    return (
        isinstance(value, dict)
        and value.get("mode") == "url"
        and all(isinstance(value.get(text), str) for text in texts)
    )


async def _all_set(events: list[asyncio.Event]) -> None:
    try:
        async with asyncio.timeout(COMPLETION_SECONDS):
            for event in events:
                await event.wait()
    except TimeoutError:
        pass  # The notification is optional: the next try of the request shows whether it is complete.
