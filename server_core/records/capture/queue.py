"""What waits to be written to a capture, bounded in bytes.

Rule 1: what finds no room is counted, and a record in its place in the order says how much that was.
Rule 2: output and large records may take one half of the room; the other half is left to the conversation.
"""

import json
import threading
from collections import deque
from collections.abc import Callable

from server_core.records.tap import Direction, Kind, Record

RECORD_COST = 400
"""About how many bytes a record takes in memory besides its data."""
LARGE = 64 * 1024
DROPPED = "records_dropped"
"""The event that stands in the place of records that were not kept."""

_OUTPUT = frozenset({Kind.STDOUT, Kind.STDERR})


class CaptureQueue:
    """Keep the records that a capture store has yet to write; a reader of the tap.

    Args:
        lock: the tap's, which is held whenever a record is put.
        limit: how many bytes may wait.
        on_ready: called, on the thread that emits, when the first record comes into an empty queue.
    """

    def __init__(self, lock: threading.Lock, limit: int, on_ready: Callable[[], None]) -> None:
        self.dropped = 0
        """How many records found no room so far."""
        self._lock = lock
        self._limit = limit
        self._on_ready = on_ready
        self._waiting: deque[Record] = deque()
        self.bytes = 0
        """About how many bytes wait."""
        self.last_seq = 0
        """The number of the last record that was put, whether it found room or not."""
        self._gap: _Gap | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to take."""
        return not self._waiting and self._gap is None

    def put(self, record: Record) -> None:
        """Take a record, or count it where there is no room for it."""
        self.last_seq = record.seq
        size = len(record.data) + RECORD_COST
        limit = self._limit // 2 if size > LARGE or record.kind in _OUTPUT else self._limit
        is_first = self.is_empty
        if self.bytes + size > limit:
            self._drop(record)
        else:
            self._close_gap()
            self._waiting.append(record)
            self.bytes += size
        if is_first:
            self._on_ready()

    def take(self, most_bytes: int) -> tuple[list[Record], int]:
        """Return the records that have waited longest, and take them out.

        Args:
            most_bytes: stop once the records are as large as this.

        Returns:
            The records, and the number up to which nothing waits any more.
        """
        taken: list[Record] = []
        size = 0
        with self._lock:
            while self._waiting and size < most_bytes:
                record = self._waiting.popleft()
                size += len(record.data) + RECORD_COST
                taken.append(record)
            self.bytes -= size
            if not self._waiting and self._gap is not None:
                taken.append(self._gap.to_record())
                self._gap = None
            return taken, self._waiting[0].seq - 1 if self._waiting else self.last_seq

    def _drop(self, record: Record) -> None:
        self.dropped += 1
        if self._gap is None:
            self._gap = _Gap(record)
        self._gap.add(record)

    def _close_gap(self) -> None:
        if self._gap is not None:
            note = self._gap.to_record()
            self._waiting.append(note)
            self.bytes += len(note.data) + RECORD_COST
            self._gap = None


class _Gap:
    """Records in a row that found no room.

    Args:
        first: the first of them, whose number and time stand for all.
    """

    def __init__(self, first: Record) -> None:
        self._seq, self._time = first.seq, first.time
        self._last = first.seq
        self._count = self._bytes = 0

    def add(self, record: Record) -> None:
        """Count one more."""
        self._last = record.seq
        self._count += 1
        self._bytes += len(record.data)

    def to_record(self) -> Record:
        """Return the record that stands in their place."""
        facts = {"event": DROPPED, "count": self._count, "bytes": self._bytes, "last": self._last}
        data = json.dumps(facts).encode()
        return Record(self._seq, self._time, "", Direction.NONE, Kind.LIFECYCLE, "", data)
