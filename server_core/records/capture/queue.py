"""The queue of records to write to a capture, bounded in bytes.

Rule 1: records that do not fit are dropped and counted, and a record in their place states the count and size.
Rule 2: stray output and large records may use half of the limit; the other half is reserved for messages.
"""

import json
import threading
from collections import deque
from collections.abc import Callable

from server_core.records.tap import Direction, Kind, Record

RECORD_COST = 400
"""The approximate memory of a record besides its data, in bytes."""
LARGE = 64 * 1024
DROPPED = "records_dropped"
"""The event in the place of dropped records."""

_OUTPUT = frozenset({Kind.STDOUT, Kind.STDERR})


class CaptureQueue:
    """The records that a capture store has yet to write; a reader of the tap, with its lock.

    `on_ready` is called, on the emitting thread, when the first record is added to an empty queue.
    """

    def __init__(self, lock: threading.Lock, limit: int, on_ready: Callable[[], None]) -> None:
        self.dropped = 0
        """How many records have been dropped so far."""
        self._lock = lock
        self._limit = limit
        self._on_ready = on_ready
        self._waiting: deque[Record] = deque()
        self.bytes = 0
        """The approximate size of the queue, in bytes."""
        self.last_seq = 0
        """The number of the last record that was put, including dropped records."""
        self._gap: _Gap | None = None

    @property
    def is_empty(self) -> bool:
        return not self._waiting and self._gap is None

    def put(self, record: Record) -> None:
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

    def pop_batch(self, size_limit: int) -> tuple[list[Record], int]:
        """Remove and return the oldest records of about a size, and the number up to which none are left."""
        batch: list[Record] = []
        size = 0
        with self._lock:
            while self._waiting and size < size_limit:
                record = self._waiting.popleft()
                size += len(record.data) + RECORD_COST
                batch.append(record)
            self.bytes -= size
            if not self._waiting and self._gap is not None:
                batch.append(self._gap.to_record())
                self._gap = None
            return batch, self._waiting[0].seq - 1 if self._waiting else self.last_seq

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
    def __init__(self, first: Record) -> None:
        # The number and time of the first of them represent the gap.
        self._seq, self._time = first.seq, first.time
        self._last = first.seq
        self._count = self._bytes = 0

    def add(self, record: Record) -> None:
        self._last = record.seq
        self._count += 1
        self._bytes += len(record.data)

    def to_record(self) -> Record:
        """Return the record that replaces them."""
        facts = {"event": DROPPED, "count": self._count, "bytes": self._bytes, "last": self._last}
        data = json.dumps(facts).encode()
        return Record(self._seq, self._time, "", Direction.NONE, Kind.LIFECYCLE, "", data)
