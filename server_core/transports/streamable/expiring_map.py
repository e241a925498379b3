"""What is let go when nobody has used it for long.

Rule 1: entries are in the order of their last use, so that looking for idle ones costs what there are of them.
Rule 2: a task looks for idle ones as long as there are entries; none waits for a next request.
"""

import asyncio
import time
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

from server_core.runtime.background import spawn

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

# How often idle entries are looked for, in parts of the time after which they are let go.
SWEEPS = 10


class ExpiringMap(Generic[K, V]):
    """Entries by key.

    Args:
        timeout: seconds without use after which an entry lapses.
        in_use: whether an entry must not lapse now.
        on_lapsed: told of each entry that was taken out because it had lapsed, or to make room.
        on_used: told now and then of each entry that was used meanwhile.
        every: seconds from one look for idle entries to the next; a tenth of the timeout where it is 0.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        timeout: float,
        in_use: Callable[[V], bool],
        on_lapsed: Callable[[V], None],
        on_used: Callable[[V], None] | None = None,
        every: float = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._timeout = timeout
        self._every = every or timeout / SWEEPS
        self._in_use = in_use
        self._on_lapsed = on_lapsed
        self._on_used = on_used
        self._clock = clock
        self._swept = clock()
        # Those that were used longest ago come first.
        self._entries: dict[K, tuple[V, float]] = {}
        self._sweeping: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[V]:
        return iter([value for value, _ in self._entries.values()])

    def peek(self, key: K) -> V | None:
        """Return an entry without using it; one that has lapsed is gone."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        value, used = entry
        if used <= self._clock() - self._timeout and not self._in_use(value):
            self._lapse(key)
            return None
        return value

    def use(self, key: K) -> None:
        """Count an entry that is there as used now."""
        value, _ = self._entries.pop(key)
        self._entries[key] = value, self._clock()

    def add(self, key: K, value: V) -> None:
        """Add an entry, used now."""
        self._entries[key] = value, self._clock()
        if self._sweeping is None or self._sweeping.done():
            self._sweeping = spawn(self._sweep(), "look for what nobody uses")

    def pop(self, key: K) -> V | None:
        """Take an entry out; nobody is told."""
        entry = self._entries.pop(key, None)
        return None if entry is None else entry[0]

    def make_room(self, most: int) -> bool:
        """Return whether there are fewer than so many, if need be after the idlest was let go."""
        if len(self._entries) < most:
            return True
        idle = next((key for key, (value, _) in self._entries.items() if not self._in_use(value)), None)
        if idle is None:
            return False
        self._lapse(idle)
        return True

    def clear(self) -> list[V]:
        """Take everything out, and look for idle entries no more; nobody is told."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        values = list(self)
        self._entries.clear()
        return values

    def sweep(self) -> None:
        """Let go of everything that has lapsed, and tell what was used since this was last done."""
        now = self._clock()
        for key in list(self._lapsed(now - self._timeout)):
            self._lapse(key)
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

    def _lapsed(self, earliest: float) -> Iterator[K]:
        for key, (value, used) in self._entries.items():
            if used > earliest:
                return
            if not self._in_use(value):
                yield key

    def _lapse(self, key: K) -> None:
        self._on_lapsed(self._entries.pop(key)[0])
