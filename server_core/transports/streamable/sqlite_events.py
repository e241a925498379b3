"""Store events in a file, so that sessions survive a restart of their server.

Rule 1: appended events are on disk however the process ends; only a power failure may lose the last transactions.
Rule 2: a disk failure is logged once and does not affect the traffic: events that were not written cannot be replayed.
Rule 3: session ids give access to sessions, so only the owner of the file can read it.
"""

import json
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from server_core.errors import ConfigurationError
from server_core.protocol.jsonrpc import RequestId
from server_core.runtime.sqlite_files import open_private
from server_core.transports.streamable.event_store import GET_STREAM, MAX_BYTES, MAX_SESSION_BYTES, Replay

# The version of the file format; it is incremented when older readers would misread newer files.
FORMAT = 1
TABLES = """
CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, facts TEXT NOT NULL, used REAL NOT NULL);
CREATE TABLE IF NOT EXISTS streams (
    number INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, calls TEXT NOT NULL,
    complete INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, stream INTEGER NOT NULL, message BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS streams_of_session ON streams (session);
CREATE INDEX IF NOT EXISTS events_of_stream ON events (session, stream, position);
"""
# Seconds to wait for another process that has locked the file.
LOCK_TIMEOUT = 2.0

_log = logging.getLogger(__name__)


class SqliteEvents:
    """Store events, up to a limit for each session, and sessions in a SQLite file, until they were idle too long.

    ConfigurationError when the file cannot be opened, or belongs to another program.
    """

    def __init__(
        self, path: Path, most_events: int, idle_timeout: float, clock: Callable[[], float] = time.time
    ) -> None:
        self._path = path
        self._most_events = most_events
        self._clock = clock
        self._has_failed = False
        # The largest number of an inserted row, from which a number is made up when an insertion fails.
        self._last = 0
        # The number of stored events and bytes of each session that has been written to.
        self._sizes: dict[str, list[int]] = {}
        try:
            self._connection = open_private(path, TABLES, lock_timeout=LOCK_TIMEOUT, version=FORMAT)
            self._execute("DELETE FROM sessions WHERE used < ?", clock() - idle_timeout)
            for table in ("streams", "events"):
                self._execute(f"DELETE FROM {table} WHERE session NOT IN (SELECT id FROM sessions)")
            self._total = int(self._first_row("SELECT coalesce(sum(length(message)), 0) FROM events")[0])
        except (sqlite3.Error, OSError) as error:
            raise ConfigurationError(f"Events cannot be stored in {path}: {error}; choose another file.") from error

    def begin(self, session: str, calls: Sequence[RequestId]) -> int:
        return self._insert("INSERT INTO streams (session, calls) VALUES (?, ?)", session, json.dumps(list(calls)))

    def append(self, session: str, stream: int, message: bytes, *, last: bool = False) -> int:
        size = self._size_of(session)
        size[0] += 1
        size[1] += len(message)
        self._total += len(message)
        position = self._insert(
            "INSERT INTO events (session, stream, message) VALUES (?, ?, ?)", session, stream, message
        )
        if last:
            self._try("UPDATE streams SET complete = 1 WHERE number = ?", stream)
        if size[0] > self._most_events or size[1] > MAX_SESSION_BYTES:
            self._drop_oldest("WHERE session = ?", session)
        if self._total > MAX_BYTES:
            self._drop_oldest("")
        return position

    async def after(self, session: str, stream: int, position: int) -> Replay | None:
        events = self._try(
            "SELECT position, message FROM events WHERE session = ? AND stream = ? AND position > ? ORDER BY position",
            session,
            stream,
            position,
        )
        if stream == GET_STREAM:
            return Replay(events)
        rows = self._try("SELECT calls, complete FROM streams WHERE number = ? AND session = ?", stream, session)
        return Replay(events, json.loads(rows[0][0]), bool(rows[0][1])) if rows else None

    def save_session(self, session: str, facts: dict[str, Any]) -> None:
        self._try(
            "INSERT OR REPLACE INTO sessions (id, facts, used) VALUES (?, ?, ?)",
            session,
            json.dumps(facts),
            self._clock(),
        )

    async def load_session(self, session: str) -> dict[str, Any] | None:
        rows = self._try("SELECT facts FROM sessions WHERE id = ?", session)
        facts = json.loads(rows[0][0]) if rows else None
        return facts if isinstance(facts, dict) else None

    def delete_session(self, session: str) -> None:
        self._total -= self._size_of(session)[1]
        del self._sizes[session]
        self._try("DELETE FROM sessions WHERE id = ?", session)
        self._try("DELETE FROM streams WHERE session = ?", session)
        self._try("DELETE FROM events WHERE session = ?", session)

    def close(self) -> None:
        self._connection.close()

    def _size_of(self, session: str) -> list[int]:
        if session not in self._sizes:
            self._sizes[session] = list(
                self._first_row(
                    "SELECT count(*), coalesce(sum(length(message)), 0) FROM events WHERE session = ?", session
                )
            )
        return self._sizes[session]

    def _drop_oldest(self, where: str, *values: Any) -> None:
        """Delete the older half of the events, so that this is rarely needed."""
        half = f"SELECT count(*) / 2 FROM events {where}"
        oldest = f"SELECT position FROM events {where} ORDER BY position LIMIT ({half})"
        self._try(f"DELETE FROM events WHERE position IN ({oldest})", *values, *values)
        self._try("DELETE FROM streams WHERE complete = 1 AND number NOT IN (SELECT stream FROM events)")
        # Counted again when needed, since any session may have lost events.
        self._sizes.clear()
        self._total = int(self._first_row("SELECT coalesce(sum(length(message)), 0) FROM events")[0])

    def _first_row(self, sql: str, *values: Any) -> Any:
        rows = self._try(sql, *values)
        return rows[0] if rows else (0, 0)

    def _insert(self, sql: str, *values: Any) -> int:
        """Insert a row and return its number; if that fails, an unused number."""
        try:
            row = self._execute(sql, *values).lastrowid or 0
        except sqlite3.Error as error:
            self._report(error)
            row = self._last + 1
        self._last = max(self._last, row)
        return row

    def _try(self, sql: str, *values: Any) -> list[Any]:
        try:
            return self._execute(sql, *values).fetchall()
        except sqlite3.Error as error:
            self._report(error)
            return []

    def _execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        return self._connection.execute(sql, values)

    def _report(self, error: sqlite3.Error) -> None:
        if not self._has_failed:
            self._has_failed = True
            _log.error("Events are not stored: %s failed (%s). The server continues.", self._path, error)
