"""A map whose entries expire when they are not used.

Rule 1: entries are in the order of their last use, so that finding idle entries only visits those.
Rule 2: a task removes idle entries while there are any entries; removal does not depend on the next request.
"""

import asyncio
import time
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

from server_core.runtime.background import spawn

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

# The number of checks for idle entries within the timeout.
SWEEPS = 10


class ExpiringMap(Generic[K, V]):
    """Entries by key, each until it was not used for a timeout in seconds, and is not `in_use`.

    Args:
        on_expired: called with each entry that was removed because it had expired, or to make room.
        on_used: called periodically with each entry that was used since the last time.
        every: seconds between two checks for idle entries; if 0, a tenth of the timeout.
    """

    def __init__(
        self,
        timeout: float,
        in_use: Callable[[V], bool],
        on_expired: Callable[[V], None],
        on_used: Callable[[V], None] | None = None,
        every: float = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._timeout = timeout
        self._every = every or timeout / SWEEPS
        self._in_use = in_use
        self._on_expired = on_expired
        self._on_used = on_used
        self._clock = clock
        self._swept = clock()
        # The least recently used entries come first.
        self._entries: dict[K, tuple[V, float]] = {}
        self._sweeping: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[V]:
        return iter([value for value, _ in self._entries.values()])

    def peek(self, key: K) -> V | None:
        """Return an entry without using it; an expired entry is removed."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        value, used = entry
        if used <= self._clock() - self._timeout and not self._in_use(value):
            self._expire(key)
            return None
        return value

    def use(self, key: K) -> None:
        """Mark an existing entry as used now."""
        value, _ = self._entries.pop(key)
        self._entries[key] = value, self._clock()

    def add(self, key: K, value: V) -> None:
        self._entries[key] = value, self._clock()
        if self._sweeping is None or self._sweeping.done():
            self._sweeping = spawn(self._sweep(), "expire unused entries")

    def pop(self, key: K) -> V | None:
        """Remove an entry without a callback."""
        entry = self._entries.pop(key, None)
        return None if entry is None else entry[0]

    def make_room(self, most: int) -> bool:
        """Return whether there are fewer than so many entries, if necessary after removing the most idle entry."""
        if len(self._entries) < most:
            return True
        idle = next((key for key, (value, _) in self._entries.items() if not self._in_use(value)), None)
        if idle is None:
            return False
        self._expire(idle)
        return True

    def clear(self) -> list[V]:
        """Remove all entries without callbacks, and stop the checks."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        values = list(self)
        self._entries.clear()
        return values

    def sweep(self) -> None:
        """Remove all expired entries, and report the entries that were used since the last sweep."""
        now = self._clock()
        for key in list(self._expired(now - self._timeout)):
            self._expire(key)
        if self._on_used is not None:
            for value, used in reversed(self._entries.values()):
                if used < self._swept:
                    break
                self._on_used(value)
        self._swept = now

    async def _sweep(self) -> None:
        while self._entries:
            await asyncio.sleep(self._every)
            self.sweep()

    def _expired(self, earliest: float) -> Iterator[K]:
        for key, (value, used) in self._entries.items():
            if used > earliest:
                return
            if not self._in_use(value):
                yield key

    def _expire(self, key: K) -> None:
        self._on_expired(self._entries.pop(key)[0])
