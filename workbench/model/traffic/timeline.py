"""The store of the traffic: every record as an entry, requests joined with their responses, calls with their effects.

Rules:

1. Entries are ordered by `seq`; a record that is already stored is ignored, so a backlog and a live stream may overlap.
2. The facts of a record, and its relations to others, are computed once, by `RecordReader`.
3. The size of stored bodies is limited: beyond the budget the oldest are dropped, and their entries stay.
4. The timeline shows nothing and owns no filter; a `TrafficView` does.
5. The running time of a tool belongs to its call and has no entry, since it would be one more row for each call.
6. Each core numbers its records from 1. The entries of a core that replaces another continue the numbers, after an
   entry that separates both; their sessions and ids are those of another core, so another reader joins them.
"""

import json
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from sys import intern

from server_core.records.tap import Direction, Kind, Record
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.record_reader import TOOL_ENDED, RecordReader

BODY_BUDGET = 32 * 1024 * 1024

CORE_REPLACED = "core_replaced"
"""The event of the entry between the records of two cores, which is in no capture."""


@dataclass(frozen=True, slots=True)
class CoreRecords:
    """Where the records of one core are in a timeline."""

    offset: int  # what the numbers of its entries exceed those of its records by
    reader: RecordReader
    capture: str = ""  # the path, once another core has replaced it; empty if it has none


class Timeline:
    """Every record that this terminal has received; `body_budget` limits the bytes of stored bodies."""

    def __init__(self, body_budget: int = BODY_BUDGET) -> None:
        self.version = 0  # increases with each change, so that a screen knows when to repaint
        self._budget = body_budget
        self.clear()

    def clear(self) -> None:
        self.version += 1
        self.generation = self.version  # changes when everything was dropped
        self._entries: list[Entry] = []
        self._bodies = 0
        self._released = 0
        self._cores = [CoreRecords(0, RecordReader(self.by_seq, self._touch))]
        self._touched = array("Q")

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: int) -> Entry:
        return self._entries[index]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def since(self, index: int) -> list[Entry]:
        return self._entries[index:]

    @property
    def last_seq(self) -> int:
        """The number of the newest record; 0 before the first."""
        return self._entries[-1].seq if self._entries else 0

    @property
    def touched(self) -> "array[int]":
        """Indexes of entries that changed after they were added, in the order of the changes; it only grows."""
        return self._touched

    def begin_core(self, time: float, capture: str) -> None:
        """Continue with the records of another core, after an entry that separates them from those so far.

        Args:
            time: in seconds since the epoch.
            capture: the path of the capture of the core so far; empty if it has none.
        """
        offset = self.last_seq + 1
        last = self._cores[-1]
        self._cores[-1] = CoreRecords(last.offset, last.reader, capture)
        event = {"event": CORE_REPLACED, **({"capture": capture} if capture else {})}
        self._add(
            Record(offset - last.offset, time, "", Direction.NONE, Kind.LIFECYCLE, "", json.dumps(event).encode())
        )
        self._cores.append(CoreRecords(offset, RecordReader(self.by_seq, self._touch, offset)))
        self.version += 1

    @property
    def newest_core(self) -> CoreRecords:
        return self._cores[-1]

    def core_of(self, entry: Entry) -> CoreRecords:
        """Return the core that an entry is from."""
        return self._cores[bisect_left(self._cores, entry.seq, key=_offset) - 1]

    def entry_of(self, record: Record) -> Entry | None:
        """Return the entry of a record of the newest core; None if it has none."""
        return self.by_seq(self._cores[-1].offset + record.seq)

    def by_seq(self, seq: int) -> Entry | None:
        """Return the entry with this number; None if it is not stored."""
        index = self.index_of(seq)
        return None if index is None else self._entries[index]

    def index_of(self, seq: int) -> int | None:
        """Return the index of a record's entry; None if it is not stored."""
        index = self.place_of(seq)
        return index if index < len(self._entries) and self._entries[index].seq == seq else None

    def place_of(self, seq: int) -> int:
        """Return the index of a record's entry, or of the next entry if it is not stored."""
        entries = self._entries
        if not entries:
            return 0
        # Without gaps, which is the usual case, the index follows from the number.
        guess = seq - entries[0].seq
        if 0 <= guess < len(entries) and entries[guess].seq == seq:
            return guess
        return bisect_left(entries, seq, key=_seq)

    def place_at(self, time: float) -> int:
        """Return the index of the first entry that was recorded at a time, in seconds since the epoch, or later."""
        return bisect_left(self._entries, time, key=_time)

    def pair_of(self, entry: Entry) -> Entry | None:
        """Return the response of a request, or the request of a response."""
        return self.by_seq(entry.pair) if entry.pair else None

    def followers_of(self, entry: Entry) -> list[Entry]:
        """Return the client's requests that continue a call, oldest first; `entry` is any that belongs to the call."""
        return self.core_of(entry).reader.followers(entry.parent or entry.seq)

    def tool_time_of(self, request: Entry) -> float | None:
        """Return how long the tool of a call ran, in seconds; None if that is unknown."""
        return self.core_of(request).reader.tool_times.get(request.seq)

    def transport_of(self, entry: Entry) -> str:
        """Return the name of the transport of an entry's session; empty if unknown."""
        return self.core_of(entry).reader.transports.get(entry.session, "")

    def extend(self, records: Iterable[Record]) -> None:
        """Add records of the newest core, oldest first; those older than its newest stored record are ignored."""
        last = self.last_seq - self._cores[-1].offset
        count = len(self._entries)
        for record in records:
            if record.seq > last:
                last = record.seq
                self._add(record)
        if len(self._entries) != count:
            self.version += 1
            self._drop_oldest()

    def _add(self, record: Record) -> None:
        core, entry = self._cores[-1], Entry(record)
        if record.kind is Kind.LIFECYCLE and record.data.startswith(TOOL_ENDED):
            core.reader.read_tool_time(entry, record.data)
            return
        entry.seq += core.offset
        entry.session = intern(entry.session)
        self._entries.append(entry)
        self._bodies += entry.size
        core.reader.read(entry, record.data)

    def _touch(self, entry: Entry) -> None:
        index = self.index_of(entry.seq)
        if index is not None:
            self._touched.append(index)

    def _drop_oldest(self) -> None:
        while self._bodies > self._budget and self._released < len(self._entries) - 1:
            entry = self._entries[self._released]
            self._released += 1
            self._bodies -= entry.size
            entry.release()


_seq = attrgetter("seq")
_offset = attrgetter("offset")
_time = attrgetter("time")
