"""The name and the tables of a capture file, and the conversion between records and rows."""

import re
import time
from collections.abc import Iterable
from functools import cache
from itertools import chain
from math import isfinite
from typing import TYPE_CHECKING, Any

from server_core.records.tap import Direction, Kind, Record

if TYPE_CHECKING:
    import sqlite3

# The version of the file format; it is incremented when older readers would misread newer files.
FORMAT = 1
SUFFIX = ".capture"
COMMAND_PREFIX = "call_"
"""How the id of a core begins that runs within a command, for one call."""

TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS records (
    seq INTEGER PRIMARY KEY,
    time REAL NOT NULL,
    session TEXT NOT NULL,
    direction TEXT NOT NULL,
    kind TEXT NOT NULL,
    call TEXT NOT NULL,
    data BLOB NOT NULL
);
"""
COLUMNS = "seq, time, session, direction, kind, call, data"
# How many records one statement inserts: few statements, because each of them acquires the interpreter lock from the
# threads that serve; and few sizes, because SQLite compiles a statement for each.
SIZES = (128, 32, 8, 1)
_OF_COMMAND = re.compile(rf".+-\d{{8}}T\d{{6}}Z-{COMMAND_PREFIX}\w+{re.escape(SUFFIX)}")
SET_META = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"


def is_of_command(name: str) -> bool:
    """Return whether the file of a capture has its original name, and was written by a command that ran once."""
    return _OF_COMMAND.fullmatch(name) is not None


def file_name(project: str, started: float, core_id: str) -> str:
    """Return the name of a capture file; a time out of range raises ValueError, OverflowError or OSError."""
    name = re.sub(r"[^\w.-]+", "-", project).strip("-.")[:40] or "server"
    moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(started))
    return f"{name}-{moment}-{core_id}{SUFFIX}"


def insert(connection: "sqlite3.Connection", records: Iterable[Record]) -> None:
    """Insert records, in a transaction of the caller; existing records are not changed."""
    # A batch is inserted again when it is unknown whether it was committed, so the statement ignores existing records.
    rows = list(map(to_row, records))
    start = 0
    for size in SIZES:
        while start + size <= len(rows):
            connection.execute(_insert(size), list(chain.from_iterable(rows[start : start + size])))
            start += size


def to_row(record: Record) -> tuple[Any, ...]:
    """Return the row of the table `records` for a record."""
    return (
        record.seq,
        record.time,
        record.session,
        record.direction.value,
        record.kind.value,
        record.call,
        record.data,
    )


def from_row(row: tuple[Any, ...]) -> Record:
    """Return the record of a row from :func:`to_row`; ValueError if the row is none."""
    seq, time, session, direction, kind, call, data = row
    # In SQLite, a column may contain a value of any type, whatever its declared type.
    if tuple(map(type, row)) != (int, float, str, str, str, str, bytes) or not isfinite(time):
        raise ValueError("a value of a record has the wrong type")
    return Record(seq, time, session, Direction(direction), Kind(kind), call, data)


@cache
def _insert(count: int) -> str:
    values = ", ".join(["(?, ?, ?, ?, ?, ?, ?)"] * count)
    return f"INSERT OR IGNORE INTO records ({COLUMNS}) VALUES {values}"
