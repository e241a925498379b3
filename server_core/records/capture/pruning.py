"""Deleting captures, so that they do not fill the disk.

Rule 1: only captures that go by the name which their core gave them are pruned, as they say themselves: one that was
renamed stays, and so does what cannot be read as a capture.
Rule 2: none is deleted that is in use, by the core that writes it or by somebody who reads it.
Rule 3: the oldest go first.
"""

import os
import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from server_core.errors import ConfigurationError
from server_core.records.capture.reader import check_files, read_meta, restrict
from server_core.records.capture.schema import SUFFIX, file_name
from server_core.runtime.paths import captures_folder

if TYPE_CHECKING:
    import sqlite3

RECENT_SECONDS = 60.0
"""A file that was written to so lately stays: its core may be about to open it."""

SECONDS = 1.0
"""How long reading the name of one capture in its file may take."""

# What is worth a look into the file; see `file_name`.
_NAME = re.compile(rf".+-\d{{8}}T\d{{6}}Z-\w+{re.escape(SUFFIX)}")
_BESIDE = ("-wal", "-shm")


@dataclass
class Pruned:
    """What became of it.

    Attributes:
        paths: the captures that were deleted.
        bytes: how large they were.
        problem: why one that is too many could not be deleted; empty where none was in the way.
    """

    paths: list[Path] = field(default_factory=list)
    bytes: int = 0
    problem: str = ""


class _File(NamedTuple):
    modified: float
    path: Path
    bytes: int

    @property
    def is_recent(self) -> bool:
        return self.modified > time.time() - RECENT_SECONDS


def prune(most: int, most_bytes: int) -> Pruned:
    """Delete the oldest captures, until there are no more and they are no larger than they may be.

    Args:
        most: how many there may be.
        most_bytes: how large they may be together.

    Raises:
        ConfigurationError: when the folder of the captures cannot be made.
        OSError: when it cannot be read.
    """
    pruned = Pruned()
    files = sorted(_files())
    if len(files) <= most and sum(file.bytes for file in files) <= most_bytes:
        return pruned
    files = [file for file in files if file.is_recent or _has_expected_name(file.path)]
    left, left_bytes = len(files), sum(file.bytes for file in files)
    for file in files:
        if left <= most and left_bytes <= most_bytes:
            break
        if file.is_recent or is_in_use(file.path):
            continue
        try:
            _unlink(file.path)
        except OSError as error:
            pruned.problem = f"{file.path} cannot be deleted: {error.strerror}."
            continue
        pruned.paths.append(file.path)
        pruned.bytes += file.bytes
        left, left_bytes = left - 1, left_bytes - file.bytes
    return pruned


def delete(path: Path) -> None:
    """Delete one capture, whatever its name.

    Args:
        path: the file.

    Raises:
        ConfigurationError: when it is in use, is no capture by its name, or cannot be deleted.
    """
    if path.suffix != SUFFIX or not path.is_file():
        raise ConfigurationError(f"There is no capture {path}; `workbench captures` lists those that there are.")
    if is_in_use(path):
        raise ConfigurationError(f"{path} is in use; stop the core that writes it first: `workbench ps` lists them.")
    try:
        _unlink(path)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be deleted: {error.strerror}.") from error


def is_in_use(path: Path) -> bool:
    """Return whether somebody has the file open, in this process or another.

    Raises:
        ConfigurationError: when it is not a regular file.
    """
    import sqlite3

    try:
        with _opened_alone(path):
            return False
    except sqlite3.Error as error:
        return error.sqlite_errorcode == sqlite3.SQLITE_BUSY


def _has_expected_name(path: Path) -> bool:
    """Whether a capture has the name that its core gave it, or is in use, which nobody but its core can look into."""
    import sqlite3

    try:
        with _opened_alone(path) as connection:
            meta = read_meta(path, connection)
            return path.name == file_name(meta["project"], float(meta["started"]), meta["core"])
    except sqlite3.Error as error:
        return error.sqlite_errorcode == sqlite3.SQLITE_BUSY
    except (ConfigurationError, KeyError, ValueError, OverflowError, OSError):
        return False


@contextmanager
def _opened_alone(path: Path) -> Iterator["sqlite3.Connection"]:
    """Open a capture that nobody else has open.

    Raises:
        ConfigurationError: when it is not a regular file.
        sqlite3.Error: when somebody has it open (SQLITE_BUSY), or it cannot be opened.
    """
    import sqlite3

    check_files(path)
    address = f"file:{quote(str(path.absolute()))}?mode=rw"
    with closing(sqlite3.connect(address, uri=True, timeout=0, isolation_level=None)) as connection:
        # Every connection to a file with a log holds a lock on it as long as it is open (sqlite.org/wal.html).
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        restrict(connection, SECONDS)
        yield connection


def _files() -> Iterator[_File]:
    with os.scandir(captures_folder()) as entries:
        for entry in entries:
            if not _NAME.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
                continue
            main, log, index = (_facts(entry.path + name) for name in ("", *_BESIDE))
            parts = [facts for facts in (main, log, index) if facts is not None]
            # Who only reads a capture leaves an empty log beside it.
            written = [
                facts.st_mtime for facts in (main, log) if facts is not None and (facts is main or facts.st_size)
            ]
            yield _File(max(written, default=0.0), Path(entry.path), sum(facts.st_size for facts in parts))


def _facts(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _unlink(path: Path) -> None:
    for name in ("", *_BESIDE):
        Path(f"{path}{name}").unlink(missing_ok=True)
