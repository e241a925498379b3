"""The records that have come over a link and wait for the terminal to take them."""

from collections import deque
from collections.abc import Callable
from typing import Any

from server_core.records.tap import Record


class Arrivals:
    """The records that have come and that the terminal has not taken yet: a bounded buffer.

    Args:
        limit: how many may wait; of more, the oldest go and are counted.
        bytes_limit: how large they may be together, or one that is larger.
    """

    def __init__(self, limit: int = 100_000, bytes_limit: int = 32 * 1024 * 1024) -> None:
        self.on_records: Callable[[], None] | None = None
        self._limit = limit
        self._bytes_limit = bytes_limit
        self._bytes = 0
        self._waiting: deque[dict[str, Any]] = deque()
        self._dropped_here = 0
        self._dropped_there = 0

    @property
    def dropped(self) -> int:
        """How many records this terminal will never get."""
        return self._dropped_here + self._dropped_there

    def take(self, batch: dict[str, Any]) -> None:
        """Take the params of one `records` notification."""
        self._waiting.extend(batch["records"])
        self._bytes += sum(map(_size, batch["records"]))
        self._dropped_there = batch["dropped"]
        while len(self._waiting) > self._limit or (self._bytes > self._bytes_limit and len(self._waiting) > 1):
            self._next()
            self._dropped_here += 1
        if self.on_records is not None:
            self.on_records()

    def drain(self, most: int) -> list[Record]:
        """Return the records that have come, oldest first, and at most so many."""
        # A record is made when it is wanted: the terminal bounds how long that takes.
        return [Record.from_wire(self._next()) for _ in range(min(most, len(self._waiting)))]

    def _next(self) -> dict[str, Any]:
        wire = self._waiting.popleft()
        self._bytes -= _size(wire)
        return wire


def _size(wire: dict[str, Any]) -> int:
    return len(wire["data"] if "data" in wire else wire["data64"])
