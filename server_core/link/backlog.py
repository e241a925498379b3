"""The records of this run, for viewers: the newest from memory, older records from the capture.

Record numbers have no gaps. A viewer requests the records after the last number that it has, and gets the next records,
wherever they are stored. Therefore stored and live records cannot overlap or leave a hole, a slow viewer costs the core
nothing, and lost records are a gap that can be counted.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any, Protocol

from server_core.records.tap import Record, Tap

TURNS_PER_SECOND = 30
MAX_RECORDS = 8192
MAX_BYTES = 16 * 1024 * 1024
RECORDS_PER_BATCH = 512
BYTES_PER_BATCH = 1024 * 1024

_DATA = attrgetter("data")


class Archive(Protocol):
    """The store of older records: the capture, while it is written."""

    async def after(self, seq: int, most: int, most_bytes: int) -> list[Record]:
        """Return the stored records after a number, in order."""

    async def get(self, seqs: Sequence[int]) -> list[Record]:
        """Return the stored records with these numbers, in order."""


class Backlog:
    """The records of one core, by their numbers, within limits in memory, and older ones from the archive, if any."""

    def __init__(
        self,
        tap: Tap,
        archive: Archive | None = None,
        *,
        most_records: int = MAX_RECORDS,
        most_bytes: int = MAX_BYTES,
    ) -> None:
        self._tap = tap
        self._archive = archive
        self._most_records = most_records
        self._most_bytes = most_bytes
        # The newest records, without a gap.
        self._recent: deque[Record] = deque()
        self._bytes = 0
        self._buffer = tap.subscribe(most_records, self._on_ready, most_bytes)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._next_turn = 0.0
        self._arrived = asyncio.Event()

    def start(self) -> None:
        """Drain the buffer of the tap from now on; records emitted before this call are already in that buffer."""
        self._loop = asyncio.get_running_loop()
        self._turn()

    def close(self) -> None:
        """Unsubscribe from the tap and end the waits of viewers, which still get the records so far."""
        self._tap.unsubscribe(self._buffer)
        self._drain_buffer()
        self._loop = None
        self._arrived.set()

    async def wait_for_newer(self, seq: int) -> None:
        """Wait until there is a record after this number, or until the backlog is closed."""
        while self._loop is not None and self._last_seq <= seq:
            await self._arrived.wait()

    async def after(self, seq: int, most: int = RECORDS_PER_BATCH) -> tuple[list[Record], int]:
        """Return records after a number, in order and without a gap, and the number of lost records before them.

        Fewer than `most` are returned when they are large, but at least one if there is any.
        """
        if not self._recent or seq >= self._last_seq:
            return [], 0
        if (
            seq + 1 < self._recent[0].seq
            and self._archive is not None
            and (older := await self._archive.after(seq, most, BYTES_PER_BATCH))
        ):
            return _before_gap(older), older[0].seq - seq - 1
        lost = max(0, self._recent[0].seq - seq - 1)
        start = seq + lost + 1 - self._recent[0].seq
        return _limit_bytes(islice(self._recent, start, start + most)), lost

    async def get(self, seqs: Sequence[int]) -> list[Record]:
        """Return the records with these numbers, in order; lost records are left out."""
        self._drain_buffer()
        wanted = set(seqs)
        recent = [record for record in self._recent if record.seq in wanted]
        older = sorted(wanted.difference(record.seq for record in recent))
        archived = await self._archive.get(older) if older and self._archive is not None else []
        return archived + recent

    def recent(self) -> list[Record]:
        """Return the newest records, which are in memory, oldest first."""
        self._drain_buffer()
        return list(self._recent)

    @property
    def _last_seq(self) -> int:
        return self._recent[-1].seq if self._recent else 0

    def _on_ready(self) -> None:
        # Called on any thread, while the tap's lock is held, so it must not drain the buffer. The tap calls it again
        # only after the buffer has been drained.
        if (loop := self._loop) is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._plan_turn)

    def _plan_turn(self) -> None:
        if self._loop is not None:
            self._loop.call_at(max(self._next_turn, self._loop.time()), self._turn)

    def _turn(self) -> None:
        if self._loop is None:
            return
        self._next_turn = self._loop.time() + 1 / TURNS_PER_SECOND
        self._drain_buffer()
        # A new event each time, so that a viewer that calls `wait_for_newer` during this turn waits for the next turn.
        self._arrived.set()
        self._arrived = asyncio.Event()

    def _drain_buffer(self) -> None:
        new_records = self._buffer.drain()
        if new_records and self._recent and new_records[0].seq != self._last_seq + 1:
            # More records arrived in one turn than the buffer holds, so there is a gap after the old ones: drop these.
            self._recent.clear()
            self._bytes = 0
        self._recent.extend(new_records)
        self._bytes += sum(map(len, map(_DATA, new_records)))
        while len(self._recent) > self._most_records or (self._bytes > self._most_bytes and len(self._recent) > 1):
            self._bytes -= len(self._recent.popleft().data)


async def stream_records(backlog: Backlog, after: int, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
    """Send every record after a number to one viewer, until the backlog is closed and everything was sent.

    The viewer sets the pace: the next batch is read only after the previous batch was sent. A batch is the params of a
    `records` notification: `records` as JSON values, and `dropped`, the number that is lost for this viewer.
    """
    seq, dropped = after, 0
    while True:
        await backlog.wait_for_newer(seq)
        records, lost = await backlog.after(seq)
        if not records:
            return
        dropped += lost
        seq = records[-1].seq
        await send({"records": [record.to_wire() for record in records], "dropped": dropped})
        # A viewer repaints no faster than this; waiting makes the batches larger, and fewer.
        await asyncio.sleep(1 / TURNS_PER_SECOND)


def _before_gap(records: list[Record]) -> list[Record]:
    """Return the records up to the first gap, which a capture has where writing failed for a while."""
    for index, record in enumerate(records):
        if record.seq != records[0].seq + index:
            return records[:index]
    return records


def _limit_bytes(records: "islice[Record]") -> list[Record]:
    chosen: list[Record] = []
    size = 0
    for record in records:
        size += len(record.data)
        if chosen and size > BYTES_PER_BATCH:
            break
        chosen.append(record)
    return chosen
