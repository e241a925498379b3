"""Open SQLite files: those of this program, readable by their owner only, and those that others may have written."""

import os
import sqlite3
import time
from collections import Counter
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from server_core.errors import ConfigurationError

_opened: Counter[tuple[int, int]] = Counter()
"""How many connections of :func:`open_private` each file has, by its device and number."""
# Between two checks of the time limit.
SQLITE_INSTRUCTIONS = 10_000


def open_private(path: Path, tables: str, *, lock_timeout: float, version: int = 0) -> sqlite3.Connection:
    """Open a file of this program, in autocommit mode; the SQL creates missing tables.

    The connection may be used on any thread, but not on two at once. A killed process loses nothing that was committed;
    only a power failure may lose the last transactions. Raises ConfigurationError for a file of a newer version.
    """
    # Created here, because SQLite would create a file that others can read.
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = sqlite3.connect(
        path, timeout=lock_timeout, isolation_level=None, check_same_thread=False, factory=_PrivateConnection
    )
    connection.count(path)
    try:
        written = connection.execute("PRAGMA user_version").fetchone()[0]
        if written > version:
            raise ConfigurationError(f"{path} was written by a newer version ({written}); choose another file.")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.executescript(tables)
        connection.execute(f"PRAGMA user_version={version}")
    except BaseException:
        connection.close()
        raise
    return connection


def is_opened_here(path: Path) -> bool:
    """Return whether this process has a connection of :func:`open_private` to the file; OSError if there is no file.

    Such a file must not be opened without SQLite: closing it would release the locks that SQLite has on it in the whole
    process (sqlite.org/howtocorrupt.html, 2.2). Another process could then remove the log with its newest records.
    """
    return _opened[_identity(path)] > 0


class _PrivateConnection(sqlite3.Connection):
    """A connection that is counted while it is open."""

    _counted: tuple[int, int] | None = None

    def count(self, path: Path) -> None:
        self._counted = _identity(path)
        _opened[self._counted] += 1

    def close(self) -> None:
        super().close()
        if self._counted is not None:
            _opened[self._counted] -= 1
            self._counted = None


def _identity(path: Path) -> tuple[int, int]:
    facts = path.stat()
    return facts.st_dev, facts.st_ino


def open_untrusted(
    path: Path, mode: Literal["ro", "rw"], *, seconds: float | None = None, lock_timeout: float = 5.0
) -> sqlite3.Connection:
    """Open an existing file that others may have written: no code in its schema runs.

    `seconds` is the limit for all statements together, `lock_timeout` that for another connection's lock.
    """
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
    if mode == "ro" and not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists():
        # SQLite would try to create files for its readers beside it.
        uri += "&immutable=1"
    connection = sqlite3.connect(uri, uri=True, timeout=lock_timeout, isolation_level=None, check_same_thread=False)
    if seconds is not None:
        deadline = time.monotonic() + seconds
        # SQLite interrupts a statement whose handler returns a true value.
        connection.set_progress_handler(lambda: time.monotonic() > deadline, SQLITE_INSTRUCTIONS)
    # The schema of an untrusted file may contain SQL functions and triggers (sqlite.org/security.html).
    connection.execute("PRAGMA trusted_schema=OFF")
    # Without this, SQLite refuses a file that is shorter than its header states.
    connection.execute("PRAGMA writable_schema=ON")
    return connection
