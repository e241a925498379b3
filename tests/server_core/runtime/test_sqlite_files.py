"""SQLite files are the owner's alone, and what others wrote runs no code."""

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.runtime.sqlite_files import open_private, open_untrusted

TABLES = "CREATE TABLE IF NOT EXISTS numbers (n INTEGER);"


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_file_and_what_sqlite_writes_beside_it_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    with closing(open_private(tmp_path / "a", TABLES, lock_timeout=1)) as connection:
        connection.execute("INSERT INTO numbers VALUES (1)")
        assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert not connection.in_transaction
    with closing(open_private(tmp_path / "a", TABLES, lock_timeout=1)) as connection:
        assert connection.execute("SELECT n FROM numbers").fetchall() == [(1,)]


def test_a_file_of_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    open_private(tmp_path / "a", TABLES, lock_timeout=1, version=2).close()
    before = open_files()
    with pytest.raises(ConfigurationError, match=r"was written by a newer version \(2\)"):
        open_private(tmp_path / "a", TABLES, lock_timeout=1, version=1)
    assert open_files() == before
    with closing(open_private(tmp_path / "a", TABLES, lock_timeout=1, version=3)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (3,)


def test_a_file_that_is_no_database_is_closed_again(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"no database " * 100)
    before = open_files()
    with pytest.raises(sqlite3.DatabaseError) as failure:
        open_private(tmp_path / "a", TABLES, lock_timeout=1)
    assert "not a database" in str(failure.value)
    assert open_files() == before


def test_a_reader_neither_creates_nor_changes_files_of_others(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError), closing(open_untrusted(tmp_path / "missing", "ro")) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    open_private(tmp_path / "a ?%#", TABLES, lock_timeout=1).close()
    with closing(open_untrusted(tmp_path / "a ?%#", "ro")) as connection:
        assert connection.execute("PRAGMA trusted_schema").fetchone() == (0,)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("INSERT INTO numbers VALUES (1)")


def test_statements_on_what_others_wrote_end_at_the_time_limit(tmp_path: Path) -> None:
    open_private(tmp_path / "a", TABLES, lock_timeout=1).close()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    interrupted = pytest.raises(sqlite3.OperationalError, match="interrupted")
    with closing(open_untrusted(tmp_path / "a", "rw", seconds=0.01)) as connection, interrupted:
        connection.execute(endless).fetchone()
