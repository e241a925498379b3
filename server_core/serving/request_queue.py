"""The requests of a session that wait for others to end, so that a client may ask for any number at once.

Rule 1: nothing that waits is lost or refused; whoever hands requests on looks at :attr:`RequestQueue.full` and stops
there, so that the client waits instead: what is kept stays bounded.
Rule 2: only requests wait. A cancellation, and the answer to a question of a running call, are served as they come,
and there is room for as many waiting requests as there may be running ones before such a message is held up. What lies
behind still more requests has to wait with them, since reading on would mean to keep without bound what a client sends;
then it is the timeout of the question that ends the wait.
"""

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import TypeAlias

from server_core.serving.session_info import InFlight

Start: TypeAlias = Callable[[], None]
"""Starts a request."""


class RequestQueue:
    """First in, first out.

    Args:
        most: from how many on it is full.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: dict[InFlight, Start] = {}
        self._changed = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """Whether some have to leave before more should be handed on."""
        return len(self._waiting) >= self._most

    async def room(self) -> None:
        """Wait until more may be handed on."""
        while self.full:
            self._changed.clear()
            await self._changed.wait()

    def add(self, one: InFlight, start: Start) -> None:
        """Let a request wait; it begins with the context in which it came, and so for whom it came."""
        self._waiting[one] = partial(copy_context().run, start)

    def take(self) -> Start:
        """Take out what has waited longest; there must be something."""
        one, start = next(iter(self._waiting.items()))
        self.discard(one)
        return start

    def discard(self, one: InFlight) -> None:
        """Take out a request that nobody wants any more, if it is there."""
        if self._waiting.pop(one, None) is not None:
            self._changed.set()

    def clear(self) -> None:
        """Take out everything."""
        self._waiting.clear()
        self._changed.set()
