"""The capture store: every record of one run of a core, written to a capture file.

A writer thread commits the queued records every :data:`INTERVAL` seconds: killing the process at any moment loses less
than a second. That thread cannot run while a tool holds the interpreter lock, in C code for example; so an incoming
message is committed before it is handled, as long as that takes a small fraction of the time
(:meth:`CaptureStore.write_received`). The store subscribes before anything is emitted, so it misses no record, however
late the file is opened. The queue is bounded, and so is the file. A disk failure is reported once, does not affect the
traffic, and writing is retried.
"""

import contextlib
import logging
import threading
import time
from itertools import accumulate
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from server_core.errors import WorkbenchError
from server_core.records.capture.capture_schema import FORMAT, SET_META, TABLES, file_name, insert
from server_core.records.capture.queue import CaptureQueue
from server_core.records.tap import Record, Tap
from server_core.runtime.paths import captures_folder
from server_core.runtime.version import VERSION

if TYPE_CHECKING:
    import sqlite3

INTERVAL = 0.2
"""Seconds between two commits of the writer thread."""
RETRY_INTERVAL = 1.0
"""Seconds between two attempts to write to a failing disk."""
DISK_TIMEOUT = 5.0
"""Seconds to wait for a lock on the file, and for the writer thread."""
QUEUE_BYTES = 64 * 1024 * 1024
MAX_BYTES = 512 * 1024 * 1024
ROW_COST = 64
"""The approximate size of a record in the file besides its data, in bytes."""
RECEIVED_BYTES = 256 * 1024
"""The maximum size of the queue that is written when a message arrives."""
RECEIVED_PAUSE = 100
"""The pause after such a write, as a multiple of its duration: these writes take about 1 % of the time at most."""
CHECKPOINT_BYTES = 4 * 1024 * 1024
"""How many bytes are written between two checkpoints of SQLite's log, which wait for the disk."""
BATCH_BYTES = 8 * 1024 * 1024
"""The approximate size of a transaction, which is in memory in addition to the queue."""

_log = logging.getLogger(__name__)


class CaptureStore:
    """Write the records of one core to a capture file.

    The last record of a full file, of about `max_bytes`, reports that it is full.
    """

    def __init__(
        self,
        tap: Tap,
        *,
        core_id: str,
        project: str,
        server: str,
        started: float,
        queue_bytes: int = QUEUE_BYTES,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.path: Path | None = None
        """The file, once it has been opened."""
        self.is_full = False
        """Whether the file has reached its maximum size; then nothing more is written."""
        self._tap = tap
        self._core_id = core_id
        self._project = project
        self._server = server
        self._started = started
        self._connection: sqlite3.Connection | None = None
        self._unwritten: list[Record] = []
        self._bytes_left = max_bytes
        self._failure = ""
        self._is_lagging = False
        self._dropped_before = 0
        """How many records had been dropped when the queue was last empty."""
        self._state = threading.Condition()
        self._pending = False
        self._closing = False
        self._wanted_seq = self._dequeued_seq = self._handled_seq = tap.last_seq
        self._writing = threading.Lock()
        """Held while records are removed from the queue and written."""
        self._unchecked_bytes = 0
        self._next_received = 0.0
        self._writer = threading.Thread(target=self._run, name="capture", daemon=True)
        self._queue = CaptureQueue(tap.lock, queue_bytes, self._on_ready)
        tap.attach(self._queue)
        tap.on_received(self.write_received)

    @property
    def problem(self) -> str:
        """Why records are not stored at the moment; empty if they are."""
        return "the capture has reached its maximum size" if self.is_full else self._failure

    def start(self) -> None:
        self._writer.start()

    def flush(self) -> None:
        """Wait until every record that was emitted before this call is on disk, or writing it has failed."""
        if not self._writer.is_alive() or self.is_full:
            return
        seq = self._tap.last_seq
        with self._state:
            self._wanted_seq = max(self._wanted_seq, seq)
            self._state.notify_all()
            self._state.wait_for(lambda: self._handled_seq >= seq or self.is_full, DISK_TIMEOUT)

    def write_received(self) -> None:
        """Write the queued records now, on this thread, unless that would delay the traffic.

        The tool that the received message calls may hold the interpreter lock for a long time, which would stop the
        writer thread.
        """
        began = monotonic()
        if began < self._next_received or self._queue.bytes > RECEIVED_BYTES:
            return
        # Otherwise the writer thread is writing them, perhaps waiting for the disk.
        if not self._writing.acquire(blocking=False):
            return
        try:
            if self._connection is not None and not self._failure and not self.is_full:
                self._connection.execute("PRAGMA busy_timeout=0")
                self._write_all(may_wait=False)
        finally:
            self._writing.release()
        ended = monotonic()
        self._next_received = ended + RECEIVED_PAUSE * (ended - began)

    def close(self) -> None:
        """Write the queued records, store the end of the run in the file, and close it; safe to call twice."""
        self._tap.on_received(None)
        self._tap.unsubscribe(self._queue)
        if self._writer.ident is None:
            # The core ends before the writer was started; the records so far are written all the same.
            self._writer.start()
        with self._state:
            self._closing = True
            self._state.notify_all()
        self._writer.join(DISK_TIMEOUT)

    def _on_ready(self) -> None:
        if self._pending:
            return
        with self._state:
            self._pending = True
            self._state.notify_all()

    def _run(self) -> None:
        closing = False
        while not closing:
            with self._state:
                self._state.wait_for(lambda: self._pending or self._is_urgent())
                self._state.wait_for(self._is_urgent, self._interval())
                closing, self._pending = self._closing, False
            with self._writing:
                self._write_all(may_wait=True)
        with self._writing:
            self._end()

    def _interval(self) -> float:
        """Return how long records wait, so that many are written at once."""
        if self._failure:
            return RETRY_INTERVAL
        # The first records are not delayed, so that the capture exists from the start.
        return 0.0 if self.path is None else INTERVAL

    def _is_urgent(self) -> bool:
        """Return whether a caller waits for the records to be written."""
        return self._closing or (self._wanted_seq > self._handled_seq and not self.is_full)

    def _write_all(self, *, may_wait: bool) -> None:
        """Write the queued records until writing fails; `may_wait`: for locks on the file, and for checkpoints."""
        import sqlite3

        try:
            if may_wait and self._connection is not None:
                self._connection.execute(f"PRAGMA busy_timeout={DISK_TIMEOUT * 1000:.0f}")
            while self._dequeue():
                self._write(self._unwritten)
                self._unwritten = []
                if self._queue.is_empty:
                    self._report_resumed()
                self._set_handled(self._dequeued_seq)
                if may_wait:
                    self._checkpoint()
            self._set_handled(self._dequeued_seq)
        except (sqlite3.Error, OSError, WorkbenchError) as error:
            if not may_wait and getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_BUSY:
                return  # The file is locked; the writer thread waits for it.
            self._report_failure(error)
            self._pending = True
            # Callers of `flush` must not wait any longer for records that cannot be written.
            self._set_handled(self._queue.last_seq)

    def _checkpoint(self) -> None:
        if self._connection is not None and self._unchecked_bytes >= CHECKPOINT_BYTES:
            self._unchecked_bytes = 0
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _dequeue(self) -> bool:
        """Dequeue the next batch, if there is any; a batch that could not be written is retried."""
        if not self._unwritten:
            self._unwritten, self._dequeued_seq = self._queue.pop_batch(BATCH_BYTES)
            if self._queue.dropped > self._dropped_before and not (self._is_lagging or self._failure):
                self._is_lagging = True
                self._tap.emit_event("capture_lagging", path=str(self.path))
        return bool(self._unwritten)

    def _set_handled(self, seq: int) -> None:
        with self._state:
            self._handled_seq = max(self._handled_seq, seq)
            self._state.notify_all()

    def _write(self, records: list[Record]) -> None:
        if self.is_full:
            return
        connection = self._connection or self._open()
        fitting = self._records_that_fit(records)
        self._insert(connection, fitting)
        size = sum(map(_size, fitting))
        self._bytes_left -= size
        self._unchecked_bytes += size
        if self._queue.dropped:
            with connection:
                connection.execute(SET_META, ("lost", str(self._queue.dropped)))
        if len(fitting) < len(records):
            self._end_full_file(connection)

    def _records_that_fit(self, records: list[Record]) -> list[Record]:
        count = sum(end <= self._bytes_left for end in accumulate(map(_size, records)))
        return records[:count]

    def _end_full_file(self, connection: "sqlite3.Connection") -> None:
        """Write a last record, which reports that the file is full, and unsubscribe."""
        self._tap.unsubscribe(self._queue)
        self.is_full = True
        _log.warning("%s has reached its maximum size; further records are not stored.", self.path)
        self._insert(connection, [self._tap.emit_event("capture_full", path=str(self.path))])

    def _insert(self, connection: "sqlite3.Connection", records: list[Record]) -> None:
        try:
            with connection:
                insert(connection, records)
        except ValueError:
            # A text cannot be stored in a database; only that record is lost, not the rest of the batch.
            for record in records:
                with contextlib.suppress(ValueError), connection:
                    insert(connection, [record])

    def _open(self) -> "sqlite3.Connection":
        from server_core.runtime.sqlite_files import open_private

        if self.path is None:
            self.path = captures_folder() / file_name(self._project, self._started, self._core_id)
        connection = self._connection = open_private(self.path, TABLES, lock_timeout=DISK_TIMEOUT)
        connection.isolation_level = "DEFERRED"
        # Checkpoints wait for the disk, so the writer thread runs them itself.
        connection.execute("PRAGMA wal_autocheckpoint=0")
        with connection:
            about = {
                "format": FORMAT,
                "version": VERSION,
                "core": self._core_id,
                "project": self._project,
                "server": self._server,
                "started": self._started,
            }
            connection.executemany(SET_META, [(key, str(value)) for key, value in about.items()])
        return connection

    def _end(self) -> None:
        import sqlite3

        if self._connection is None:
            return
        try:
            with self._connection:
                self._connection.execute(SET_META, ("ended", str(time.time())))
        except sqlite3.Error as error:
            self._report_failure(error)
        self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _report_resumed(self) -> None:
        """Record that the queue is empty again, if records were delayed or dropped before."""
        if self._failure or self._is_lagging:
            lost = self._queue.dropped - self._dropped_before
            self._tap.emit_event("capture_resumed", path=str(self.path), lost=lost)
        self._failure, self._is_lagging, self._dropped_before = "", False, self._queue.dropped

    def _report_failure(self, error: Exception) -> None:
        """Disconnect, and report the first of several failures."""
        self._disconnect()
        if not self._failure:
            self._failure = str(error)
            place = self.path or "the capture"
            _log.error("Records are not stored: %s cannot be written (%s). Serving continues.", place, error)
            self._tap.emit_event("capture_failed", path=str(place), error=str(error))


def _size(record: Record) -> int:
    return len(record.data) + ROW_COST
