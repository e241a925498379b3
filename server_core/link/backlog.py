"""The records of this run, for those who look: the newest from memory, older ones from the capture.

Numbers without gaps are the whole trick: a viewer asks for what comes after the last record that it has, and
wherever it stands, it gets the next ones. So backlog and live records cannot overlap or leave a hole, a viewer that
is slow costs the core nothing, and what is gone for good shows as a gap that can be counted.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from itertools import islice
from operator import attrgetter
from typing import Protocol

from server_core.records.tap import Record, Tap

TURNS_PER_SECOND = 30
RECORDS_KEPT = 8192
BYTES_KEPT = 16 * 1024 * 1024
RECORDS_PER_BATCH = 512
BYTES_PER_BATCH = 1024 * 1024

_DATA = attrgetter("data")


class Archive(Protocol):
    """Where the older records lie: the capture store, while it writes."""

    async def after(self, seq: int, most: int, most_bytes: int) -> list[Record]:
        """Return the records that follow a number, in order, as far as they are there."""

    async def get(self, seqs: Sequence[int]) -> list[Record]:
        """Return the records with these numbers, in order, as far as they are there."""


class Backlog:
    """Hand out the records of one core by their numbers.

    Args:
        tap: where they come from.
        archive: where older ones can be read; None when this core keeps no capture.
        records_kept: how many stay in memory.
        bytes_kept: how many bytes of records stay in memory.
    """

    def __init__(
        self,
        tap: Tap,
        archive: Archive | None = None,
        *,
        records_kept: int = RECORDS_KEPT,
        bytes_kept: int = BYTES_KEPT,
    ) -> None:
        self._tap = tap
        self._archive = archive
        self._most_records = records_kept
        self._most_bytes = bytes_kept
        self._recent: deque[Record] = deque()
        """The newest records, without a gap."""
        self._bytes = 0
        self._fresh = tap.subscribe(records_kept, self._on_ready, bytes_kept)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._next_turn = 0.0
        self._arrived = asyncio.Event()

    def start(self) -> None:
        """Follow the tap from now on; what came before waits already."""
        self._loop = asyncio.get_running_loop()
        self._turn()

    def close(self) -> None:
        """Follow the tap no longer; viewers still get what is there, then :meth:`newer` waits no more."""
        self._tap.unsubscribe(self._fresh)
        self._take()
        self._loop = None
        self._arrived.set()

    async def newer(self, seq: int) -> None:
        """Wait until there is a record after this number, or until the backlog is closed."""
        while self._loop is not None and self._last_seq <= seq:
            await self._arrived.wait()

    async def after(self, seq: int, most: int = RECORDS_PER_BATCH) -> tuple[list[Record], int]:
        """Return the records that follow a number.

        Args:
            seq: the number of the last record that the viewer has; 0 at first.
            most: how many to return at most; less when they are large, but never none where there are some.

        Returns:
            The records, in order and without a gap, and how many between the viewer and them are gone for good.
        """
        if not self._recent or seq >= self._last_seq:
            return [], 0
        if (
            seq + 1 < self._recent[0].seq
            and self._archive is not None
            and (older := await self._archive.after(seq, most, BYTES_PER_BATCH))
        ):
            return _unbroken(older), older[0].seq - seq - 1
        lost = max(0, self._recent[0].seq - seq - 1)
        start = seq + lost + 1 - self._recent[0].seq
        return _bounded(islice(self._recent, start, start + most)), lost

    async def get(self, seqs: Sequence[int]) -> list[Record]:
        """Return the records with these numbers, in order; those that are gone are left out."""
        self._take()
        wanted = set(seqs)
        recent = [record for record in self._recent if record.seq in wanted]
        older = sorted(wanted.difference(record.seq for record in recent))
        found = await self._archive.get(older) if older and self._archive is not None else []
        return found + recent

    @property
    def _last_seq(self) -> int:
        return self._recent[-1].seq if self._recent else 0

    def _on_ready(self) -> None:
        # On any thread, under the tap's lock. It is called again only after the next turn has emptied the buffer.
        if (loop := self._loop) is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._plan_turn)

    def _plan_turn(self) -> None:
        if self._loop is not None:
            self._loop.call_at(max(self._next_turn, self._loop.time()), self._turn)

    def _turn(self) -> None:
        if self._loop is None:
            return
        self._next_turn = self._loop.time() + 1 / TURNS_PER_SECOND
        self._take()
        self._arrived.set()
        self._arrived = asyncio.Event()

    def _take(self) -> None:
        fresh = self._fresh.drain()
        if fresh and self._recent and fresh[0].seq != self._last_seq + 1:
            # More came in one turn than the buffer holds: what is left of the old ones would leave a gap.
            self._recent.clear()
            self._bytes = 0
        self._recent.extend(fresh)
        self._bytes += sum(map(len, map(_DATA, fresh)))
        while len(self._recent) > self._most_records or (self._bytes > self._most_bytes and len(self._recent) > 1):
            self._bytes -= len(self._recent.popleft().data)


def _unbroken(records: list[Record]) -> list[Record]:
    """The records up to the first gap, which a capture has where the disk failed for a while."""
    for index, record in enumerate(records):
        if record.seq != records[0].seq + index:
            return records[:index]
    return records


def _bounded(records: "islice[Record]") -> list[Record]:
    chosen: list[Record] = []
    size = 0
    for record in records:
        size += len(record.data)
        if chosen and size > BYTES_PER_BATCH:
            break
        chosen.append(record)
    return chosen
