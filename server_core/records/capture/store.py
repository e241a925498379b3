"""The capture store: every record of one run of a core, written to a capture file.

A thread of its own writes, and commits what has come every :data:`INTERVAL` seconds: killing the process at any moment
loses less than a second. That thread does not run while a tool holds the interpreter, in C code say; so a message that
comes in is committed before it is handled, as long as that takes a small part of the time
(:meth:`CaptureStore.write_received`). Subscribed before anything is emitted, the store misses no record, however late
the file is opened. What waits for the disk is bounded, and so is the file. A disk that fails is told once, costs no
traffic, and is tried again.
"""

import contextlib
import logging
import os
import threading
import time
from itertools import accumulate
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from server_core.errors import WorkbenchError
from server_core.records.capture.queue import CaptureQueue
from server_core.records.capture.schema import FORMAT, SET_META, TABLES, file_name, insert
from server_core.records.tap import Record, Tap
from server_core.runtime.paths import captures_folder
from server_core.runtime.version import VERSION

if TYPE_CHECKING:
    import sqlite3

INTERVAL = 0.2
RETRY_INTERVAL = 1.0
"""Seconds between two tries to write to a disk that fails."""
PATIENCE = 5.0
QUEUE_BYTES = 64 * 1024 * 1024
MOST_BYTES = 512 * 1024 * 1024
ROW_COST = 64
"""About how many bytes a record takes in the file besides its data."""
RECEIVED_BYTES = 256 * 1024
"""Up to how many bytes are written at once when a message comes in."""
RECEIVED_PAUSE = 100
"""For how many times as long as such a write took the next one is left to the thread: it costs about 1 % at most."""
CHECKPOINT_BYTES = 4 * 1024 * 1024
"""After how many written bytes what is in SQLite's log is put into the file, which waits for the disk."""
BATCH_BYTES = 8 * 1024 * 1024
"""About how many bytes are written in one transaction: they are in memory besides those in the queue."""

_log = logging.getLogger(__name__)


class CaptureStore:
    """Write the records of one core to a capture file.

    Args:
        tap: where the records come from.
        core_id: the id of the core.
        project: the name of what it serves.
        server: the version that its server gives itself.
        started: when it started, in seconds since the epoch.
        queue_bytes: how many bytes of records may wait for the disk.
        most_bytes: about how large the file may become; then a last record says so.
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
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.path: Path | None = None
        """The file, once it is opened."""
        self.is_full = False
        """Whether it has become as large as it may; then nothing more is recorded."""
        self._tap = tap
        self._core_id = core_id
        self._project = project
        self._server = server
        self._started = started
        self._connection: sqlite3.Connection | None = None
        self._unwritten: list[Record] = []
        self._bytes_left = most_bytes
        self._failure = ""
        self._is_lagging = False
        self._dropped_before = 0
        """How many records had been dropped when the disk last had taken everything."""
        self._state = threading.Condition()
        self._pending = False
        self._closing = False
        self._wanted_seq = self._dequeued_seq = self._handled_seq = tap.last_seq
        self._writing = threading.Lock()
        """Held by the thread that takes records out of the queue and writes them."""
        self._unchecked_bytes = 0
        self._next_received = 0.0
        self._writer = threading.Thread(target=self._run, name="capture", daemon=True)
        self._queue = CaptureQueue(tap.lock, queue_bytes, self._on_ready)
        tap.attach(self._queue)
        tap.on_received(self.write_received)

    def start(self) -> None:
        """Open the file and begin to write, on a thread of its own."""
        self._writer.start()

    def flush(self) -> None:
        """Wait until every record that was emitted before this call is on disk, or the disk has refused it."""
        if not self._writer.is_alive() or self.is_full:
            return
        seq = self._tap.last_seq
        with self._state:
            self._wanted_seq = max(self._wanted_seq, seq)
            self._state.notify_all()
            self._state.wait_for(lambda: self._handled_seq >= seq or self.is_full, PATIENCE)

    def write_received(self) -> None:
        """Write what waits, at once and on this thread, unless that would hold up the traffic.

        A tool that the received message calls may hold the interpreter for long, and no thread of ours runs then.
        """
        began = monotonic()
        if began < self._next_received or self._queue.bytes > RECEIVED_BYTES:
            return
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
        """Write the rest, say in the file that the run has ended, and close it; safe to call twice."""
        self._tap.on_received(None)
        self._tap.unsubscribe(self._queue)
        if self._writer.ident is None:
            # It ends before it got going; what was recorded so far is kept all the same.
            self._writer.start()
        with self._state:
            self._closing = True
            self._state.notify_all()
        self._writer.join(PATIENCE)

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
                self._state.wait_for(lambda: self._pending or self._in_a_hurry())
                self._state.wait_for(self._in_a_hurry, self._interval())
                closing, self._pending = self._closing, False
            with self._writing:
                self._write_all(may_wait=True)
        with self._writing:
            self._end()

    def _interval(self) -> float:
        """How long records wait, so that many are written at once."""
        if self._failure:
            return RETRY_INTERVAL
        # The first records are not held back, so that the capture is there from the start.
        return 0.0 if self.path is None else INTERVAL

    def _in_a_hurry(self) -> bool:
        return self._closing or (self._wanted_seq > self._handled_seq and not self.is_full)

    def _write_all(self, *, may_wait: bool) -> None:
        """Write what waits, in as many transactions as that takes, until the disk fails.

        Args:
            may_wait: for the disk, and for others who lock the file.
        """
        import sqlite3

        try:
            if may_wait and self._connection is not None:
                self._connection.execute(f"PRAGMA busy_timeout={PATIENCE * 1000:.0f}")
            while self._take():
                self._write(self._unwritten)
                self._unwritten = []
                if self._queue.is_empty:
                    self._caught_up()
                self._handled(self._dequeued_seq)
                if may_wait:
                    self._checkpoint()
            self._handled(self._dequeued_seq)
        except (sqlite3.Error, OSError, WorkbenchError) as error:
            if not may_wait and getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_BUSY:
                return  # The thread waits for whoever has locked the file.
            self._failed(error)
            self._pending = True
            # The disk has refused all of it, as far as anybody waits for that.
            self._handled(self._queue.last_seq)

    def _checkpoint(self) -> None:
        """Put what is in SQLite's log into the file, now and then."""
        if self._connection is not None and self._unchecked_bytes >= CHECKPOINT_BYTES:
            self._unchecked_bytes = 0
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _take(self) -> bool:
        """Take the next batch; one that the disk has refused comes again."""
        if not self._unwritten:
            self._unwritten, self._dequeued_seq = self._queue.take(BATCH_BYTES)
            if self._queue.dropped > self._dropped_before and not (self._is_lagging or self._failure):
                self._is_lagging = True
                self._tap.lifecycle("capture_lagging", path=str(self.path))
        return bool(self._unwritten)

    def _handled(self, seq: int) -> None:
        with self._state:
            self._handled_seq = max(self._handled_seq, seq)
            self._state.notify_all()

    def _write(self, records: list[Record]) -> None:
        if self.is_full:
            return
        connection = self._connection or self._open()
        fitting = self._fitting(records)
        self._insert(connection, fitting)
        size = sum(map(_size, fitting))
        self._bytes_left -= size
        self._unchecked_bytes += size
        if self._queue.dropped:
            with connection:
                connection.execute(SET_META, ("lost", str(self._queue.dropped)))
        if len(fitting) < len(records):
            self._fill(connection)

    def _fitting(self, records: list[Record]) -> list[Record]:
        """Return the records that the file still has room for."""
        fitting = sum(end <= self._bytes_left for end in accumulate(map(_size, records)))
        return records[:fitting]

    def _fill(self, connection: "sqlite3.Connection") -> None:
        """Say in the file that it has become as large as it may, and take no more records."""
        self._tap.unsubscribe(self._queue)
        self.is_full = True
        _log.warning("%s has become as large as it may; what follows is not recorded.", self.path)
        self._insert(connection, [self._tap.lifecycle("capture_full", path=str(self.path))])

    def _insert(self, connection: "sqlite3.Connection", records: list[Record]) -> None:
        try:
            with connection:
                insert(connection, records)
        except ValueError:
            # Some text has no form that a database can hold; that costs one record, and not those beside it.
            for record in records:
                with contextlib.suppress(ValueError), connection:
                    insert(connection, [record])

    def _open(self) -> "sqlite3.Connection":
        import sqlite3

        if self.path is None:
            self.path = captures_folder() / file_name(self._project, self._started, self._core_id)
        # Made here, because SQLite would make it readable to others.
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(self.path, timeout=PATIENCE, check_same_thread=False)
        self._connection = connection
        connection.execute("PRAGMA journal_mode=WAL")
        # A killed process loses nothing that was committed; only a power cut may cost the last moments.
        connection.execute("PRAGMA synchronous=NORMAL")
        # That waits for the disk, so the writer's thread does it.
        connection.execute("PRAGMA wal_autocheckpoint=0")
        with connection:
            connection.executescript(TABLES)
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
        """Say in the file that the run has ended, and close it."""
        import sqlite3

        if self._connection is None:
            return
        try:
            with self._connection:
                self._connection.execute(SET_META, ("ended", str(time.time())))
        except sqlite3.Error as error:
            self._failed(error)
        self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _caught_up(self) -> None:
        if self._failure or self._is_lagging:
            lost = self._queue.dropped - self._dropped_before
            self._tap.lifecycle("capture_resumed", path=str(self.path), lost=lost)
        self._failure, self._is_lagging, self._dropped_before = "", False, self._queue.dropped

    def _failed(self, error: Exception) -> None:
        self._disconnect()
        if not self._failure:
            self._failure = str(error)
            place = self.path or "the capture"
            _log.error("Records are not kept: %s cannot be written (%s). Serving goes on.", place, error)
            self._tap.lifecycle("capture_failed", path=str(place), error=str(error))


def _size(record: Record) -> int:
    return len(record.data) + ROW_COST
