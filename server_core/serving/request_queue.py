"""The requests of a session that wait for running requests to end, so that a client may send any number at once.

Rule 1: no waiting request is lost or refused. The transport checks :attr:`RequestQueue.full` and stops reading, so that
the client has to wait and the queue stays bounded.
Rule 2: only requests wait. Cancellations, and responses to requests of a running call, are processed at once. The queue
holds as many requests as may run, before such a message is delayed. When the queue is full, messages behind it wait as
well, since reading on would need unlimited memory; then the timeout of the running call's request ends the wait.
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
        most: its capacity.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: dict[InFlight, Start] = {}
        self._changed = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """Whether the queue is at its capacity."""
        return len(self._waiting) >= self._most

    async def room(self) -> None:
        """Wait until the queue is not full."""
        while self.full:
            self._changed.clear()
            await self._changed.wait()

    def add(self, request: InFlight, start: Start) -> None:
        """Add a request; it will start in a copy of the current context, which holds the caller's identity."""
        self._waiting[request] = partial(copy_context().run, start)

    def take(self) -> Start:
        """Remove the oldest request and return its start function; the queue must not be empty."""
        request, start = next(iter(self._waiting.items()))
        self.discard(request)
        return start

    def discard(self, request: InFlight) -> None:
        """Remove a request, if it is in the queue."""
        if self._waiting.pop(request, None) is not None:
            self._changed.set()

    def clear(self) -> None:
        """Remove all requests."""
        self._waiting.clear()
        self._changed.set()
