"""The store of the traffic: every record as an entry, requests joined with their responses, calls with their effects.

Rules:

1. Entries are ordered by `seq`; a record that is already stored is ignored, so a backlog and a live stream may overlap.
2. The facts of a record, and its relations to others, are computed once, by `RecordReader`.
3. The size of the bodies in memory is limited: beyond the budget the oldest are dropped, and their entries stay.
4. The timeline shows nothing and owns no filter; a `TrafficView` does.
5. The running time of a tool belongs to its call and has no entry, since it would be one more row for each call.
6. Each core numbers its records from 1. The entries of a core that replaces another continue the numbers, after an
   entry that separates both; their sessions and ids are those of another core, so another reader joins them.
"""

import json
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import compress
from operator import attrgetter
from typing import Any, BinaryIO, TypeAlias

from server_core.records.tap import Direction, Kind, Record
from workbench.model.traffic.annotations import Annotation
from workbench.model.traffic.bodies import Bodies
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.entry_columns import ANSWERS, EFFECTS, EntryColumns, mask_of
from workbench.model.traffic.held_records import Holding
from workbench.model.traffic.record_reader import TOOL_ENDED, RecordReader

BODY_BUDGET = 16 * 1024 * 1024

CORE_REPLACED = "core_replaced"
"""The event of the entry between the records of two cores, which is in no capture."""


ReadCapture: TypeAlias = Callable[[str, range, int], dict[int, bytes]]
"""Returns the bodies of records by number, from the capture at a path, up to a number of bytes."""


@dataclass(slots=True)
class CoreRecords:
    """Where the records of one core are in a timeline."""

    offset: int  # what the numbers of its entries exceed those of its records by
    reader: RecordReader
    capture: str = ""  # the path of its capture; empty if it has none


class Timeline:
    """Every record that this terminal has received.

    Args:
        body_budget: limits the bytes of the bodies in memory.
        read_capture: reads bodies that are no longer in memory.
    """

    def __init__(self, body_budget: int = BODY_BUDGET, read_capture: ReadCapture | None = None) -> None:
        self.version = 0  # increases with each change, so that a screen knows when to repaint
        self._body_budget = body_budget
        self._read_capture = read_capture
        self.clear()

    def clear(self) -> None:
        self.version += 1
        self.generation = self.version  # changes when everything was dropped
        self.bodies = Bodies(self._body_budget, self._read_bodies)
        self._columns = EntryColumns(self.bodies)
        self._cores = [CoreRecords(0, RecordReader(self.by_seq, self._touch))]
        self._touched = array("I")

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, index: int) -> Entry:
        return Entry(self._columns, range(len(self._columns))[index])

    def __iter__(self) -> Iterator[Entry]:
        return self.since(0)

    def since(self, index: int) -> Iterator[Entry]:
        """Yield the entries from an index on."""
        return map(partial(Entry, self._columns), range(index, len(self._columns)))

    def call_rows(self, index: int) -> list[int]:
        """Return the indexes, from one on, of the entries that are in no row of another: see `calls`."""
        columns = self._columns
        facts = zip(columns.pair[index:], columns.parent[index:], columns.kind[index:], strict=True)
        return [
            place
            for place, (pair, parent, kind) in enumerate(facts, index)
            if not (pair and kind in ANSWERS) and not (parent and kind in EFFECTS)
        ]

    def count_effects(self, index: int) -> Counter[int]:
        """Return how many of the entries, from one on, are the effects of each call, by the index of its request."""
        columns = self._columns
        parents = compress(columns.parent[index:], mask_of(columns.kind[index:], EFFECTS))
        return Counter(parent - 1 for parent in parents if parent)

    def call_results(self, indexes: Iterable[int]) -> Iterator[tuple[int, bool, bool, float | None]]:
        """Yield the client's requests among entries, and errors that answer no request.

        Each is its index, whether it is a request, whether it failed, and seconds until its response.
        """
        return self._columns.call_results(indexes)

    def parts_of(self, request: int, start: int) -> list[int]:
        """Return the indexes, from one on, of the entries that belong to the call of a request."""
        return self._columns.parts_of(request, start)

    def with_parts(self, rows: "array[int]", *, has_effects: bool) -> "array[int]":
        """Return the indexes of rows of calls and of what is in them: the responses, and perhaps the effects."""
        columns = self._columns
        is_shown = bytearray(len(columns))
        for row in rows:
            is_shown[row] = 1
        for index, (pair, parent, kind) in enumerate(zip(columns.pair, columns.parent, columns.kind, strict=True)):
            call = pair if kind in ANSWERS else parent if has_effects and kind in EFFECTS else 0
            if call and is_shown[call - 1]:
                is_shown[index] = 1
        return array("I", (index for index, shown in enumerate(is_shown) if shown))

    @property
    def last_seq(self) -> int:
        """The number of the newest record; 0 before the first."""
        return self._columns.seq[-1] if len(self._columns) else 0

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
        self.set_capture(capture)
        event = {"event": CORE_REPLACED, **({"capture": capture} if capture else {})}
        self._add(
            Record(offset - last.offset, time, "", Direction.NONE, Kind.LIFECYCLE, "", json.dumps(event).encode())
        )
        self._cores.append(CoreRecords(offset, RecordReader(self.by_seq, self._touch, offset)))
        self.set_capture("")
        self.version += 1

    def set_capture(self, path: str) -> None:
        """Set the capture that stores the records of the newest core from now on; empty if none does."""
        self._cores[-1].capture = path or self._cores[-1].capture
        self.bodies.are_stored = bool(path) and self._read_capture is not None

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
        return None if index is None else Entry(self._columns, index)

    def index_of(self, seq: int) -> int | None:
        """Return the index of a record's entry; None if it is not stored."""
        index = self._columns.index_of(seq)
        return None if index < 0 else index

    def place_of(self, seq: int) -> int:
        """Return the index of a record's entry, or of the next entry if it is not stored."""
        return self._columns.place_of(seq)

    def place_at(self, time: float) -> int:
        """Return the index of the first entry that was recorded at a time, in seconds since the epoch, or later."""
        return bisect_left(self._columns.time, time)

    def pair_of(self, entry: Entry) -> Entry | None:
        """Return the response of a request, or the request of a response."""
        return self.by_seq(entry.pair) if entry.pair else None

    def followers_of(self, entry: Entry) -> list[Entry]:
        """Return the client's requests that continue a call, oldest first; `entry` is any that belongs to the call."""
        return self.core_of(entry).reader.followers(entry.parent or entry.seq)

    def tool_time_of(self, request: Entry) -> float | None:
        """Return how long the tool of a call ran, in seconds; None if that is unknown."""
        return self._columns.tool_time_at(request.index)

    @property
    def annotations(self) -> Mapping[int, Annotation]:
        """What a user has added to messages, by their numbers."""
        return self._columns.annotations

    def annotate(self, seq: int, annotation: Annotation) -> None:
        """Set what a user has added to a message; an empty annotation removes it."""
        if annotation:
            self._columns.annotations[seq] = annotation
        else:
            self._columns.annotations.pop(seq, None)
        if (entry := self.by_seq(seq)) is not None:
            self._touch(entry)
        self.version += 1

    def holding_of(self, entry: Entry) -> Holding | None:
        """Return how a message was held, also for what was delivered instead of it; None if it was not."""
        held = self.core_of(entry).reader.held
        return held.holdings.get(held.originals.get(entry.seq, entry.seq))

    def holdings_beside(self, entry: Entry) -> Mapping[int, Holding]:
        """Return how the messages of an entry's core were held, by their numbers."""
        return self.core_of(entry).reader.held.holdings

    @property
    def has_held(self) -> bool:
        """Whether any message was held."""
        return any(core.reader.held.holdings for core in self._cores)

    def original_of_passed(self, entry: Entry) -> Entry | None:
        """Return the message instead of which this one was delivered; None for any other."""
        return self.by_seq(self.core_of(entry).reader.held.originals.get(entry.seq, 0))

    def transport_of(self, entry: Entry) -> str:
        """Return the name of the transport of an entry's session; empty if unknown."""
        return self.core_of(entry).reader.transports.get(entry.session, "")

    def extend(self, records: Iterable[Record]) -> None:
        """Add records of the newest core, oldest first; those older than its newest stored record are ignored."""
        last = self.last_seq - self._cores[-1].offset
        count = len(self._columns)
        for record in records:
            if record.seq > last:
                last = record.seq
                self._add(record)
        if len(self._columns) != count:
            self.version += 1
            self.drop_bodies()

    def drop_bodies(self) -> None:
        """Drop the oldest bodies that exceed the budget."""
        self.bodies.drop_oldest(lambda index: self[index].kind)

    def save(self, file: BinaryIO, about: dict[str, Any]) -> None:
        """Write the facts of the entries, without their bodies and holds, and a description of what they are of."""
        columns, reader = self._columns, self._cores[0].reader
        sizes = {name: [column.typecode, len(column)] for name, column in columns.arrays()}
        header = about | {"columns": sizes, "texts": columns.texts, "transports": reader.transports}
        file.write(json.dumps(header).encode() + b"\n")
        for _, column in columns.arrays():
            column.tofile(file)

    def load(self, file: BinaryIO, about: dict[str, Any]) -> bool:
        """Read what :meth:`save` has written into this empty timeline; False if it is of something else.

        Raises:
            ValueError, EOFError, OSError: when the file is damaged.
        """
        header = json.loads(file.readline())
        columns, reader = self._columns, self._cores[0].reader
        if not about.items() <= header.items():
            return False
        count = header["columns"]["seq"][1]
        columns.set_texts(header["texts"])
        for name, (typecode, _) in header["columns"].items():
            columns.read(name, typecode, file, count)
        reader.transports.update(header["transports"])
        reader.restore_followers(map(self.__getitem__, columns.continued()))
        self.bodies.skip(count)
        self.version += 1
        return True

    def _read_bodies(self, indexes: range, limit: int) -> dict[int, bytes]:
        """Return the bodies of entries, as far as they are of the core of the first and in its capture."""
        first, last = self[indexes.start], self[min(indexes.stop, len(self)) - 1]
        core = self.core_of(first)
        if not core.capture or self._read_capture is None:
            return {}
        bodies = self._read_capture(core.capture, range(first.seq - core.offset, last.seq - core.offset + 1), limit)
        places = ((self.index_of(core.offset + seq), body) for seq, body in bodies.items())
        return {index: body for index, body in places if index is not None and self.core_of(self[index]) is core}

    def _add(self, record: Record) -> None:
        core = self._cores[-1]
        if record.kind is Kind.LIFECYCLE and record.data.startswith(TOOL_ENDED):
            if (read := core.reader.read_tool_time(record)) is not None:
                seq, seconds = read
                self._columns.set_tool_time(self._columns.index_of(seq), seconds)
            return
        index = self._columns.append(record, core.offset + record.seq, core.reader.named_by(record.call))
        core.reader.read(Entry(self._columns, index), record)

    def _touch(self, entry: Entry) -> None:
        self._touched.append(entry.index)


_offset = attrgetter("offset")
