"""Deleting captures, so that they do not fill the disk.

Rule 1: only captures that still have their original name, according to their metadata, are pruned: renamed files stay,
and so do pinned captures, and files that cannot be read as a capture.
Rule 2: captures in use, by the core that writes them or by a reader, are not deleted.
Rule 3: the oldest are deleted first; of captures of commands that ran once, only the newest stay in any case.
Rule 4: one process prunes at a time. Otherwise, each of two would treat the captures that the other examines as in use,
and delete newer ones instead.
"""

import os
import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from server_core.errors import ConfigurationError
from server_core.records.capture.capture_schema import SUFFIX, file_name, is_of_command
from server_core.records.capture.labels import is_pinned
from server_core.records.capture.reader import check_files, read_meta
from server_core.runtime import private_files
from server_core.runtime.capture_limits import CaptureLimits, limits_with_config
from server_core.runtime.paths import captures_folder
from server_core.runtime.sqlite_files import open_untrusted

if TYPE_CHECKING:
    import sqlite3

RECENT_SECONDS = 60.0
"""Files that were modified so recently stay: their core may be about to open them."""

MAX_OF_COMMANDS = 100
"""How many captures of commands that ran once stay, so that a script does not displace those of cores."""

SECONDS = 1.0
"""The time limit for reading the metadata of one capture."""

# Only files with such a name are opened; see `file_name`.
_NAME = re.compile(rf".+-\d{{8}}T\d{{6}}Z-\w+{re.escape(SUFFIX)}")
_BESIDE = ("-wal", "-shm")


@dataclass
class PruneResult:
    """The captures that were deleted, and their total size."""

    paths: list[Path] = field(default_factory=list)
    bytes: int = 0
    # Why a capture could not be deleted; empty if there was no error.
    problem: str = ""


class _File(NamedTuple):
    modified: float
    path: Path
    bytes: int

    @property
    def is_recent(self) -> bool:
        return self.modified > time.time() - RECENT_SECONDS


def prune_to_limits(limits: CaptureLimits) -> PruneResult:
    """Delete the captures beyond the limits of the settings, or of the configuration file."""
    return prune(*limits_with_config(limits))


def prune(limit: int, bytes_limit: int, days: float = 0) -> PruneResult:
    """Delete the oldest captures beyond the limits; OSError or ConfigurationError if their folder is unusable."""
    with private_files.lock_folder(captures_folder()):
        return _prune(limit, bytes_limit, time.time() - days * 24 * 3600 if days else 0.0)


def _prune(limit: int, bytes_limit: int, oldest: float) -> PruneResult:
    """Delete captures; `oldest` is the time of the last write before which they are too old."""
    result = PruneResult()
    _delete_excess_of_commands(sorted(_files()), result)
    files = sorted(_files())
    is_any_old = bool(files) and files[0].modified < oldest
    # Without opening any of them, which is the usual case.
    if len(files) <= limit and sum(file.bytes for file in files) <= bytes_limit and not is_any_old:
        return result
    files = [file for file in files if file.is_recent or _may_be_pruned(file.path)]
    left, left_bytes = len(files), sum(file.bytes for file in files)
    for file in files:
        if left <= limit and left_bytes <= bytes_limit and file.modified >= oldest:
            break
        if _delete_unused(file, result):
            left, left_bytes = left - 1, left_bytes - file.bytes
    return result


def _delete_excess_of_commands(files: list[_File], result: PruneResult) -> None:
    """Delete the oldest captures of commands beyond :data:`MAX_OF_COMMANDS`."""
    of_commands = [file for file in files if is_of_command(file.path.name)]
    for file in of_commands[: max(0, len(of_commands) - MAX_OF_COMMANDS)]:
        if not file.is_recent and _may_be_pruned(file.path):
            _delete_unused(file, result)


def _delete_unused(file: _File, result: PruneResult) -> bool:
    """Delete a capture unless it is in use; return whether it is deleted."""
    if file.is_recent or is_in_use(file.path):
        return False
    try:
        _unlink(file.path)
    except OSError as error:
        result.problem = f"{file.path} cannot be deleted: {error.strerror}."
        return False
    result.paths.append(file.path)
    result.bytes += file.bytes
    return True


def delete(path: Path) -> None:
    """Delete one capture; ConfigurationError when it is in use, is not named as a capture, or cannot be deleted."""
    if path.suffix != SUFFIX or not path.is_file():
        raise ConfigurationError(f"The capture {path} does not exist; `workbench captures` lists the captures.")
    if is_in_use(path):
        raise ConfigurationError(f"{path.name} is in use; stop the core that writes it first: see `workbench ps`.")
    try:
        _unlink(path)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be deleted: {error.strerror}.") from error


def is_in_use(path: Path) -> bool:
    """Return whether the file is open, in this process or another; ConfigurationError if it is not a regular file."""
    import sqlite3

    try:
        with _exclusive(path):
            return False
    except sqlite3.Error as error:
        return error.sqlite_errorcode == sqlite3.SQLITE_BUSY


def _may_be_pruned(path: Path) -> bool:
    """Return whether a capture has its original name and no pin, or is in use, when its metadata cannot be read."""
    import sqlite3

    try:
        with _exclusive(path) as connection:
            meta = read_meta(path, connection)
            return path.name == file_name(meta["project"], float(meta["started"]), meta["core"]) and not is_pinned(meta)
    except sqlite3.Error as error:
        return error.sqlite_errorcode == sqlite3.SQLITE_BUSY
    except (ConfigurationError, KeyError, ValueError, OverflowError, OSError):
        return False


@contextmanager
def _exclusive(path: Path) -> Iterator["sqlite3.Connection"]:
    """Open a capture exclusively; if it is open elsewhere, this raises the sqlite3.Error SQLITE_BUSY."""
    check_files(path)
    with closing(open_untrusted(path, "rw", seconds=SECONDS, lock_timeout=0)) as connection:
        # Every open connection to a file in WAL mode holds a lock on it (sqlite.org/wal.html).
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        yield connection


def _files() -> Iterator[_File]:
    with os.scandir(captures_folder()) as entries:
        for entry in entries:
            if not _NAME.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
                continue
            main, log, index = (_facts(entry.path + name) for name in ("", *_BESIDE))
            parts = [facts for facts in (main, log, index) if facts is not None]
            # Readers of a capture leave an empty log beside it, whose time is not that of a write.
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
