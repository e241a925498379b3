"""The capture store: every record of one run of a core, written to a capture file.

A thread of its own writes, so that traffic never waits for the disk, and commits what has come every
:data:`INTERVAL` seconds: killing the process at any moment loses less than a second. Subscribed before anything is
emitted, it misses no record, however late the file is opened. A disk that fails is told once, costs no traffic, and
is tried again with the next records.
"""

import contextlib
import logging
import os
import re
import threading
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.capture.schema import FORMAT, SET_META, SUFFIX, TABLES, insert
from server_core.errors import WorkbenchError
from server_core.places import captures_folder
from server_core.tap import Record, Tap
from server_core.version import VERSION

if TYPE_CHECKING:
    import sqlite3

INTERVAL = 0.2
PATIENCE = 5.0
# How much is held for a disk that fails; what is older is let go, and counted.
BYTES_HELD = 64 * 1024 * 1024

_log = logging.getLogger(__name__)


class CaptureStore:
    """Write the records of one core to a capture file.

    Args:
        tap: where the records come from.
        core_id: the id of the core.
        project: the name of what it serves.
        server: the version that its server gives itself.
        started: when it started, in seconds since the epoch.
    """

    def __init__(self, tap: Tap, *, core_id: str, project: str, server: str, started: float) -> None:
        self.path: Path | None = None
        """The file, once it is opened."""
        self._tap = tap
        self._core_id = core_id
        self._project = project
        self._server = server
        self._started = started
        self._connection: sqlite3.Connection | None = None
        self._unwritten: deque[Record] = deque()
        self._failure = ""
        self._lost = 0
        self._state = threading.Condition()
        self._pending = False
        self._closing = False
        self._flushes_asked = 0
        self._flushes_done = 0
        self._writer = threading.Thread(target=self._run, name="capture", daemon=True)
        self._subscription = tap.subscribe(None, self._on_ready)

    def start(self) -> None:
        """Open the file and begin to write, on a thread of its own."""
        self._writer.start()

    def flush(self) -> None:
        """Wait until every record that was emitted before this call is on disk, or the disk has refused it."""
        if not self._writer.is_alive():
            return
        with self._state:
            self._flushes_asked += 1
            asked = self._flushes_asked
            self._state.notify_all()
            self._state.wait_for(lambda: self._flushes_done >= asked, PATIENCE)

    def close(self) -> None:
        """Write the rest, say in the file that the run has ended, and close it; safe to call twice."""
        self._tap.unsubscribe(self._subscription)
        if self._writer.ident is None:
            # It ends before it got going; what was recorded so far is kept all the same.
            self._writer.start()
        with self._state:
            self._closing = True
            self._state.notify_all()
        self._writer.join(PATIENCE)

    def _on_ready(self) -> None:
        with self._state:
            self._pending = True
            self._state.notify_all()

    def _run(self) -> None:
        closing = False
        while not closing:
            with self._state:
                self._state.wait_for(lambda: self._pending or self._in_a_hurry())
                # The first records are not held back, so that the capture is there from the start.
                begun = self.path is not None or self._failure
                self._state.wait_for(self._in_a_hurry, INTERVAL if begun else 0)
                closing, asked, self._pending = self._closing, self._flushes_asked, False
            self._write(closing)
            with self._state:
                self._flushes_done = asked
                self._state.notify_all()

    def _in_a_hurry(self) -> bool:
        return self._closing or self._flushes_asked > self._flushes_done

    def _write(self, closing: bool) -> None:
        """Write what has come, in one transaction."""
        import sqlite3

        self._unwritten.extend(self._subscription.drain())
        if not self._unwritten and self._connection is None:
            return
        try:
            connection = self._connection or self._open()
            self._insert(connection)
            if closing:
                with connection:
                    connection.execute(SET_META, ("ended", str(time.time())))
            self._unwritten.clear()
            self._succeeded()
        except (sqlite3.Error, OSError, WorkbenchError) as error:
            self._failed(error)
        if closing:
            self._disconnect()

    def _insert(self, connection: "sqlite3.Connection") -> None:
        try:
            with connection:
                insert(connection, self._unwritten)
        except ValueError:
            # Some text has no form that a database can hold; that costs one record, and not those beside it.
            for record in self._unwritten:
                with contextlib.suppress(ValueError), connection:
                    insert(connection, [record])

    def _open(self) -> "sqlite3.Connection":
        import sqlite3

        if self.path is None:
            self.path = captures_folder() / self._file_name()
        # Made here, because SQLite would make it readable to others.
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(self.path, timeout=PATIENCE)
        self._connection = connection
        connection.execute("PRAGMA journal_mode=WAL")
        # A killed process loses nothing that was committed; only a power cut may cost the last moments.
        connection.execute("PRAGMA synchronous=NORMAL")
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

    def _file_name(self) -> str:
        project = re.sub(r"[^\w.-]+", "-", self._project).strip("-.")[:40] or "server"
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(self._started))
        return f"{project}-{moment}-{self._core_id}{SUFFIX}"

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _succeeded(self) -> None:
        if self._failure:
            self._tap.lifecycle("capture_resumed", path=str(self.path), lost=self._lost)
            self._failure = ""

    def _failed(self, error: Exception) -> None:
        self._disconnect()
        held = sum(len(record.data) for record in self._unwritten)
        while held > BYTES_HELD:
            held -= len(self._unwritten.popleft().data)
            self._lost += 1
        if not self._failure:
            self._failure = str(error)
            place = self.path or "the capture"
            _log.error("Records are not kept: %s cannot be written (%s). Serving goes on.", place, error)
            self._tap.lifecycle("capture_failed", path=str(place), error=str(error))
