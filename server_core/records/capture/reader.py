"""Reading a capture: even while it is written, after its core was killed, or up to where the file is damaged."""

import contextlib
import os
import sqlite3
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError
from server_core.records.capture.capture_schema import COLUMNS, FORMAT, from_row
from server_core.records.tap import Record
from server_core.runtime.sqlite_files import is_opened_here, open_untrusted

if TYPE_CHECKING:
    from server_core.records.capture.counts import Counts

# The start of every SQLite file (sqlite.org/fileformat2.html, sections 1.2 and 1.3).
MAGIC = b"SQLite format 3\x00"
HEADER_LENGTH = 100
# SQLite limits the variables of a statement; the limit was 999 in its older versions.
MAX_VARIABLES = 500
# Of the format number: `int` refuses thousands of digits with another error.
MAX_DIGITS = 9
# The files that SQLite may open along with a database.
_BESIDE = ("-wal", "-shm", "-journal")


class Capture:
    """The records of one run, read from its file; use it as a context manager, on one thread.

    Its metadata are `format`, `version`, `core`, `project`, `server`, `started`, and `ended` unless the run was killed.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, meta: dict[str, str], is_cut: bool) -> None:
        self.path = path
        self.meta = meta
        self.damage = ""
        """A description of the damage, once reading has detected it; empty otherwise."""
        self._connection = connection
        self._is_cut = is_cut

    @property
    def count(self) -> int:
        """How many records can be read; ConfigurationError if counting them exceeds the time limit."""
        try:
            # `count(*)` would not check the time limit.
            with closing(self._connection.execute("SELECT count(seq) FROM records")) as rows:
                return int(rows.fetchone()[0])
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                raise ConfigurationError(f"Counting the records of {self.path} takes too long.") from error
            return sum(1 for _ in self.records())

    def records(self, after: int = 0, limit: int | None = None, kinds: Collection[str] = ()) -> Iterator[Record]:
        """Yield the records after a number, in order, up to where the file is damaged; then :attr:`damage` is set.

        Without `kinds`, records of all kinds are read.
        """
        chosen = f" AND kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
        query = f"SELECT {COLUMNS} FROM records WHERE seq > ?{chosen} ORDER BY seq LIMIT ?"
        last = after
        try:
            values = (after, *map(str, kinds), -1 if limit is None else limit)
            with closing(self._connection.execute(query, values)) as rows:
                for row in rows:
                    record = from_row(row)
                    if self._is_cut and record.data.endswith(b"\0"):
                        # SQLite fills a truncated page with zero bytes, and no message ends with one.
                        raise ValueError("the end of a record is missing")
                    last = record.seq
                    yield record
        except (sqlite3.DatabaseError, ValueError) as error:
            whole = f"it is readable up to record {last}" if last else "none of its records can be read"
            self.damage = f"{self.path} is truncated or damaged ({error}); {whole}."

    def query(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run a statement that reads; sqlite3.Error if the file is damaged, or the time limit is over."""
        return self._connection.execute(statement, values)

    def counts(self, *, may_read: bool = True) -> "Counts | None":
        """Return the calls, errors and clients in the capture; see :func:`counts.counts_of`."""
        if self._is_cut:
            return None
        from server_core.records.capture.counts import counts_of

        return counts_of(self.path, self.meta.get("started", ""), self._connection, self.last_seq, may_read=may_read)

    def bodies(self, first: int, last: int) -> Iterator[tuple[int, bytes]]:
        """Yield the numbers and bytes of the records from a number to another, in order; errors are those of SQLite."""
        query = "SELECT seq, data FROM records WHERE seq BETWEEN ? AND ? AND typeof(data) = 'blob' ORDER BY seq"
        with closing(self._connection.execute(query, (first, last))) as rows:
            yield from rows

    @property
    def last_seq(self) -> int:
        """The number of the last record; 0 if there is none that can be read."""
        try:
            with closing(self._connection.execute("SELECT max(seq) FROM records")) as rows:
                return int(rows.fetchone()[0] or 0)
        except (sqlite3.DatabaseError, ValueError):
            return 0

    def get(self, seqs: Sequence[int]) -> list[Record]:
        """Return the records with these numbers, in order; missing records are left out."""
        records: list[Record] = []
        for start in range(0, len(seqs), MAX_VARIABLES):
            batch = seqs[start : start + MAX_VARIABLES]
            marks = ", ".join("?" * len(batch))
            query = f"SELECT {COLUMNS} FROM records WHERE seq IN ({marks}) ORDER BY seq"
            with closing(self._connection.execute(query, tuple(batch))) as rows:
                records.extend(map(from_row, rows))
        return records

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> "Capture":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def open_capture(path: Path, seconds: float | None = None) -> Capture:
    """Open a capture with a time limit for all reads together; ConfigurationError if it is unusable or newer."""
    check_files(path)
    is_cut = is_truncated(path)
    try:
        connection = open_untrusted(path, "ro", seconds=seconds)
    except sqlite3.Error as error:
        raise ConfigurationError(f"{path} is not a capture ({error}).") from error
    try:
        meta = read_meta(path, connection, is_cut)
    except BaseException:
        connection.close()
        raise
    return Capture(path, connection, meta, is_cut)


def read_meta(path: Path, connection: sqlite3.Connection, is_cut: bool = False) -> dict[str, str]:
    """Return the metadata of a file that was opened by :func:`open_untrusted`; refuse it if it is not a capture."""
    _check_tables(path, connection)
    meta = _meta(path, connection, is_cut)
    _check_format(path, meta)
    return meta


def check_files(path: Path) -> None:
    """Refuse a capture, or a file that SQLite opens beside it, that is not regular: a pipe would block forever."""
    for file in (path, *(Path(f"{path}{suffix}") for suffix in _BESIDE)):
        with contextlib.suppress(OSError):
            if not stat.S_ISREG(file.stat().st_mode):
                raise ConfigurationError(f"The capture {path} cannot be read: {file} is not a regular file.")


def missing_log_advice(path: Path) -> str:
    """Return a sentence for a capture that has fewer records than expected; empty if its log is there."""
    log = Path(f"{path}-wal")
    # The newest records are in SQLite's log until the run ends (sqlite.org/wal.html); readers create an empty one.
    has_log = log.exists() and log.stat().st_size
    return "" if has_log else f" If it was copied while its core ran, copy {log.name} along with it."


def _check_tables(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse views with the names of our tables: a view may have an endless number of rows."""
    query = "SELECT count(*) FROM sqlite_master WHERE name IN ('meta', 'records') AND (type <> 'table' OR rootpage < 1)"
    try:
        with closing(connection.execute(query)) as rows:
            others = int(rows.fetchone()[0])
    except sqlite3.DatabaseError:
        return  # It is damaged, which reading reports in more detail.
    if others:
        raise ConfigurationError(f"{path} is not a capture (its records are not in a table).")


def is_truncated(path: Path) -> bool:
    """Return whether the file is shorter than its header states; refuse a file without the header of a database."""
    try:
        if is_opened_here(path):
            return False
        with path.open("rb") as file:
            header = file.read(HEADER_LENGTH)
            size = file.seek(0, os.SEEK_END)
    except OSError as error:
        raise ConfigurationError(f"The capture {path} cannot be read: {os.strerror(error.errno or 0)}.") from error
    if len(header) < HEADER_LENGTH or not header.startswith(MAGIC):
        raise ConfigurationError(f"{path} is not a capture.")
    page_size, pages = int.from_bytes(header[16:18], "big"), int.from_bytes(header[28:32], "big")
    return size < pages * page_size


def _meta(path: Path, connection: sqlite3.Connection, is_cut: bool) -> dict[str, str]:
    try:
        with closing(connection.execute("SELECT key, value FROM meta")) as rows:
            meta = dict(rows)
    except sqlite3.DatabaseError as error:
        if not is_cut:
            if _is_blank(connection):
                raise ConfigurationError(f"{path} is empty.{missing_log_advice(path)}") from error
            raise ConfigurationError(f"{path} is not a capture ({error}).") from error
        meta = {}
    if is_cut and "format" not in meta:
        raise ConfigurationError(f"{path} is truncated before its first record.{missing_log_advice(path)}")
    if not all(isinstance(text, str) for pair in meta.items() for text in pair):
        raise ConfigurationError(f"{path} is not a capture (its description is not text).")
    return meta


def _is_blank(connection: sqlite3.Connection) -> bool:
    try:
        with closing(connection.execute("SELECT count(*) FROM sqlite_master")) as rows:
            return int(rows.fetchone()[0]) == 0
    except sqlite3.DatabaseError:
        return False


def _check_format(path: Path, meta: dict[str, str]) -> None:
    written = meta.get("format", "")
    if not written.isdecimal() or len(written) > MAX_DIGITS:
        raise ConfigurationError(f"{path} is not a capture.")
    if int(written) > FORMAT:
        raise ConfigurationError(
            f"{path} was written by a newer version (format {written}, this version reads {FORMAT}); update workbench."
        )
