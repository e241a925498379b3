"""Reading a capture: while it is written, after its core was killed, and as far as a damaged file goes."""

import contextlib
import os
import sqlite3
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from server_core.errors import ConfigurationError
from server_core.records.capture.schema import COLUMNS, FORMAT, from_row
from server_core.records.tap import Record

# What every SQLite file begins with (sqlite.org/fileformat2.html, sections 1.2 and 1.3).
MAGIC = b"SQLite format 3\x00"
HEAD = 100
MOST_VARIABLES = 500
# Instructions of SQLite between two looks at the clock.
STEPS = 10_000
MOST_DIGITS = 9
# What SQLite may open along with a database.
_BESIDE = ("-wal", "-shm", "-journal")


class Capture:
    """The records of one run, read from its file; use it as a context manager, on one thread.

    Args:
        path: the file.
        connection: the opened file.
        meta: what the file says of itself: `format`, `version`, `core`, `project`, `server`, `started`, and `ended`
            where the run was not cut short.
        is_cut: the file is shorter than it once was.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, meta: dict[str, str], is_cut: bool) -> None:
        self.path = path
        self.meta = meta
        self.damage = ""
        """What could not be read, once reading has met it; empty while everything was whole."""
        self._connection = connection
        self._is_cut = is_cut

    @property
    def count(self) -> int:
        """How many records can be read.

        Raises:
            ConfigurationError: when counting them takes longer than it may.
        """
        try:
            # Counting by `*` would look at no deadline.
            with closing(self._connection.execute("SELECT count(seq) FROM records")) as rows:
                return int(rows.fetchone()[0])
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                raise ConfigurationError(f"Counting the records of {self.path} takes too long.") from error
            return sum(1 for _ in self.records())

    def records(self, after: int = 0, limit: int | None = None) -> Iterator[Record]:
        """Yield the records in their order, up to where the file is damaged; then :attr:`damage` says so.

        Args:
            after: begin behind the record with this number.
            limit: at most so many.
        """
        query = f"SELECT {COLUMNS} FROM records WHERE seq > ? ORDER BY seq LIMIT ?"
        last = after
        try:
            with closing(self._connection.execute(query, (after, -1 if limit is None else limit))) as rows:
                for row in rows:
                    record = from_row(row)
                    if self._is_cut and record.data.endswith(b"\0"):
                        # SQLite fills the page that was cut with zeros, and no message ends with one.
                        raise ValueError("the end of a record is missing")
                    last = record.seq
                    yield record
        except (sqlite3.DatabaseError, ValueError) as error:
            whole = f"it is whole up to record {last}" if last else "not one record of it can be read"
            self.damage = f"{self.path} is cut off or damaged ({error}); {whole}."

    def get(self, seqs: Sequence[int]) -> list[Record]:
        """Return the records with these numbers, in their order; those that are not there are left out."""
        found: list[Record] = []
        for start in range(0, len(seqs), MOST_VARIABLES):
            some = seqs[start : start + MOST_VARIABLES]
            marks = ", ".join("?" * len(some))
            query = f"SELECT {COLUMNS} FROM records WHERE seq IN ({marks}) ORDER BY seq"
            with closing(self._connection.execute(query, tuple(some))) as rows:
                found.extend(map(from_row, rows))
        return found

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> "Capture":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def open_capture(path: Path, seconds: float | None = None) -> Capture:
    """Open a capture file for reading.

    Args:
        path: the file.
        seconds: how long all that is read from it may take; as long as it takes when not given.

    Raises:
        ConfigurationError: when there is no such file, it is no capture, it was cut off before its first record, or
            a newer version wrote it.
    """
    check_files(path)
    is_cut = _is_cut(path)
    try:
        connection = _connect(path, seconds)
    except sqlite3.Error as error:
        raise ConfigurationError(f"{path} is no capture ({error}).") from error
    try:
        meta = read_meta(path, connection, is_cut)
    except BaseException:
        connection.close()
        raise
    return Capture(path, connection, meta, is_cut)


def read_meta(path: Path, connection: sqlite3.Connection, is_cut: bool = False) -> dict[str, str]:
    """Return what an opened capture file says of itself.

    Args:
        path: the file, for messages.
        connection: the opened file, restricted by :func:`restrict`.
        is_cut: the file is shorter than it once was.

    Raises:
        ConfigurationError: when it is no capture, or a newer version wrote it.
    """
    _check_tables(path, connection)
    meta = _meta(path, connection, is_cut)
    _check_format(path, meta)
    return meta


def check_files(path: Path) -> None:
    """Refuse what is no file: reading a pipe, which anybody may put there, would wait for ever.

    Raises:
        ConfigurationError: when the capture, or what SQLite may open along with it, is not a regular file.
    """
    for file in (path, *(Path(f"{path}{suffix}") for suffix in _BESIDE)):
        with contextlib.suppress(OSError):
            if not stat.S_ISREG(file.stat().st_mode):
                raise ConfigurationError(f"The capture {path} cannot be read: {file} is not a regular file.")


def restrict(connection: sqlite3.Connection, seconds: float | None = None) -> None:
    """Run no code that a file may bring along, and interrupt what takes too long.

    Args:
        connection: the opened file.
        seconds: how long all that is read from it may take; as long as it takes when not given.
    """
    if seconds is not None:
        deadline = time.monotonic() + seconds
        connection.set_progress_handler(lambda: time.monotonic() > deadline, STEPS)
    # Whoever made the file may have put code of SQLite into its schema (sqlite.org/security.html).
    connection.execute("PRAGMA trusted_schema=OFF")
    # SQLite refuses a file that is shorter than its head says, unless it is told that it may be repaired.
    connection.execute("PRAGMA writable_schema=ON")


def advice(path: Path) -> str:
    """Return what may be missing beside a capture that was never ended, as a sentence behind another; or nothing.

    Args:
        path: the file, of which less can be read than there should be.
    """
    log = Path(f"{path}-wal")
    # What is newest lies in SQLite's log until the end of the run (sqlite.org/wal.html); readers make an empty one.
    found = log.exists() and log.stat().st_size
    return "" if found else f" If it was copied while its core ran, copy {log.name} along with it."


def _check_tables(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse what is named like our tables and is none: a view may have rows without end."""
    query = "SELECT count(*) FROM sqlite_master WHERE name IN ('meta', 'records') AND (type <> 'table' OR rootpage < 1)"
    try:
        with closing(connection.execute(query)) as rows:
            others = int(rows.fetchone()[0])
    except sqlite3.DatabaseError:
        return  # It is damaged; what reads it says how.
    if others:
        raise ConfigurationError(f"{path} is no capture (its records are not in a table).")


def _is_cut(path: Path) -> bool:
    """Whether the file is shorter than its head says; it is an error when it has no head of a database."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
            size = file.seek(0, os.SEEK_END)
    except OSError as error:
        raise ConfigurationError(f"The capture {path} cannot be read: {os.strerror(error.errno or 0)}.") from error
    if len(head) < HEAD or not head.startswith(MAGIC):
        raise ConfigurationError(f"{path} is no capture.")
    page_size, pages = int.from_bytes(head[16:18], "big"), int.from_bytes(head[28:32], "big")
    return size < pages * page_size


def _connect(path: Path, seconds: float | None) -> sqlite3.Connection:
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    if not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists():
        # SQLite would want to make files for its readers beside it.
        address += "&immutable=1"
    connection = sqlite3.connect(address, uri=True, check_same_thread=False)
    restrict(connection, seconds)
    return connection


def _meta(path: Path, connection: sqlite3.Connection, is_cut: bool) -> dict[str, str]:
    try:
        with closing(connection.execute("SELECT key, value FROM meta")) as rows:
            meta = dict(rows)
    except sqlite3.DatabaseError as error:
        if not is_cut:
            if _is_blank(connection):
                raise ConfigurationError(f"{path} is empty.{advice(path)}") from error
            raise ConfigurationError(f"{path} is no capture ({error}).") from error
        meta = {}
    if is_cut and "format" not in meta:
        raise ConfigurationError(f"{path} is cut off before its first record.{advice(path)}")
    if not all(isinstance(text, str) for pair in meta.items() for text in pair):
        raise ConfigurationError(f"{path} is no capture (what it says of itself is not text).")
    return meta


def _is_blank(connection: sqlite3.Connection) -> bool:
    """Whether it is a database, with nothing in it."""
    try:
        with closing(connection.execute("SELECT count(*) FROM sqlite_master")) as rows:
            return int(rows.fetchone()[0]) == 0
    except sqlite3.DatabaseError:
        return False


def _check_format(path: Path, meta: dict[str, str]) -> None:
    written = meta.get("format", "")
    if not written.isdecimal() or len(written) > MOST_DIGITS:
        raise ConfigurationError(f"{path} is no capture.")
    if int(written) > FORMAT:
        raise ConfigurationError(
            f"{path} was made by a newer version (format {written}, this one reads up to {FORMAT}); update workbench."
        )
