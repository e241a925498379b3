"""The name and the tables of a capture file, and a record as a row of them."""

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

# What the reader of a file must know; it counts up when older readers would misread what is written.
FORMAT = 1
SUFFIX = ".capture"

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
# How many records one statement takes: each statement takes the interpreter from those who serve, and gives it back.
# They are few, since SQLite compiles a statement for each.
SIZES = (128, 32, 8, 1)
SET_META = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"


def file_name(project: str, started: float, core_id: str) -> str:
    """Return the name of the capture file of one run.

    Args:
        project: the name of what the core serves.
        started: when the core started, in seconds since the epoch.
        core_id: the id of the core.

    Raises:
        ValueError, OverflowError, OSError: when `started` is no time that a calendar can show.
    """
    name = re.sub(r"[^\w.-]+", "-", project).strip("-.")[:40] or "server"
    moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(started))
    return f"{name}-{moment}-{core_id}{SUFFIX}"


def insert(connection: "sqlite3.Connection", records: Iterable[Record]) -> None:
    """Write records, in one transaction of the caller's; those that are there already are left as they are.

    A batch is written again when it is not known whether the disk took it.
    """
    rows = list(map(to_row, records))
    start = 0
    for size in SIZES:
        while start + size <= len(rows):
            connection.execute(_insert(size), list(chain.from_iterable(rows[start : start + size])))
            start += size


def to_row(record: Record) -> tuple[Any, ...]:
    """Return a record as a row of the table `records`."""
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
    """Return the record that :func:`to_row` wrote.

    Raises:
        ValueError: when the row is no record.
    """
    seq, time, session, direction, kind, call, data = row
    # Any column of SQLite may hold a value of any type, whatever its own is.
    if tuple(map(type, row)) != (int, float, str, str, str, str, bytes) or not isfinite(time):
        raise ValueError("a value of a record is of another type")
    return Record(seq, time, session, Direction(direction), Kind(kind), call, data)


@cache
def _insert(count: int) -> str:
    values = ", ".join(["(?, ?, ?, ?, ?, ?, ?)"] * count)
    return f"INSERT OR IGNORE INTO records ({COLUMNS}) VALUES {values}"
