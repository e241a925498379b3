"""The bodies of the entries of a timeline: the newest are in memory, older ones are read where they are stored.

Where they are stored nowhere, the summary of an entry stays when its body is dropped.
"""

from collections.abc import Callable
from typing import TypeAlias

from server_core.records.tap import Kind
from workbench.model.traffic.summaries import summarise

Read: TypeAlias = Callable[[range, int], dict[int, bytes]]
"""Returns the stored bodies of entries, by index, up to a number of bytes: those after it are left out."""

# What a body takes in memory beyond its bytes.
_OVERHEAD = 200
# How many summaries are kept: some screens of a list.
_MOST_SUMMARIES = 2_000
# How many bodies are read at once, since neighbours are usually shown or filtered next; and their bytes.
_READ_AT_ONCE = 1_000
_READ_BYTES = 4 * 1024 * 1024


class Bodies:
    """Stores bodies up to a budget, in bytes; others are read."""

    def __init__(self, budget: int, read: Read) -> None:
        self.budget = budget
        self.are_stored = False  # whether those that are dropped are stored elsewhere
        self._read = read
        self._newest: dict[int, bytes] = {}
        self._oldest = 0  # the index of the oldest body in memory
        self._used = 0
        self._window: dict[int, bytes] = {}
        self._window_range = range(0)
        # By index: of entries that were shown, and of those whose body is stored nowhere.
        self._shown: dict[int, str] = {}
        self._left: dict[int, str] = {}

    def add(self, index: int, data: bytes) -> None:
        """Add the body of the next entry."""
        self._newest[index] = data
        self._used += len(data) + _OVERHEAD

    def skip(self, count: int) -> None:
        """Leave out the bodies of the first entries, which are stored."""
        self._oldest = count

    def drop_oldest(self, kind_of: Callable[[int], Kind]) -> None:
        """Drop what exceeds the budget; the newest body stays."""
        while self._used > self.budget and len(self._newest) > 1:
            index = self._oldest
            if not self.are_stored:
                self._left[index] = self.summary(index, kind_of(index))
            self._used -= len(self._newest.pop(index)) + _OVERHEAD
            self._oldest += 1

    def body(self, index: int) -> bytes | None:
        """Return the bytes of a record; None if they are stored nowhere."""
        body = self._newest.get(index)
        if body is not None or index in self._left:
            return body
        if index not in self._window_range:
            start = index // _READ_AT_ONCE * _READ_AT_ONCE
            self._window_range = range(start, start + _READ_AT_ONCE)
            self._window = self._read(self._window_range, _READ_BYTES)
        body = self._window.get(index)
        return self._read(range(index, index + 1), 0).get(index) if body is None else body

    def summary(self, index: int, kind: Kind) -> str:
        if (text := self._left.get(index)) is not None:
            return text
        if (text := self._shown.get(index)) is None:
            if len(self._shown) >= _MOST_SUMMARIES:
                self._shown.clear()
            text = self._shown[index] = summarise(kind, self.body(index) or b"")
        return text
