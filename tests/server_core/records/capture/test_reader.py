"""A capture is read as far as it can be, and any other file is reported as such."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.records.capture.capture_store import CaptureStore
from server_core.records.capture.reader import open_capture
from server_core.records.tap import Kind, Tap

COUNT = 2000


@pytest.fixture
def whole() -> Path:
    tap = Tap()
    store = CaptureStore(tap, core_id="c1", project="demo", server="1.0", started=0.0)
    for number in range(1, COUNT + 1):
        tap.emit(Kind.STDOUT, b"%d " % number * 20)
    store.start()
    store.close()
    assert store.path is not None
    return store.path


def truncate(path: Path, size: int) -> Path:
    os.truncate(path, size)
    return path


def test_records_can_be_read_from_any_number_on_and_in_part(whole: Path) -> None:
    with open_capture(whole) as capture:
        assert capture.count == COUNT
        assert [record.seq for record in capture.records(after=10, limit=3)] == [11, 12, 13]
        assert [record.seq for record in capture.get([7, 5, 99_999, *range(100, 800)])] == [5, 7, *range(100, 800)]


def test_it_is_read_while_the_core_still_writes() -> None:
    tap = Tap()
    store = CaptureStore(tap, core_id="c1", project="demo", server="1.0", started=0.0)
    store.start()
    tap.emit(Kind.STDOUT, b"one")
    store.flush()
    assert store.path is not None
    with open_capture(store.path) as capture:
        assert [record.data for record in capture.records()] == [b"one"]
        tap.emit(Kind.STDOUT, b"two")
        store.flush()
        assert [record.data for record in capture.records(after=1)] == [b"two"]
    store.close()


@pytest.mark.parametrize("part", [0.9, 0.5, 0.1])
def test_a_truncated_file_is_read_up_to_its_end_and_reported(whole: Path, part: float) -> None:
    truncate(whole, int(whole.stat().st_size * part))
    with open_capture(whole) as capture:
        records = list(capture.records())
        assert 0 < len(records) < COUNT
        assert [record.seq for record in records] == list(range(1, len(records) + 1))
        assert f"readable up to record {len(records)}" in capture.damage
        assert capture.count == len(records)


@pytest.mark.parametrize("size", [4096, 5000])
def test_a_file_that_was_cut_off_before_its_first_record_cannot_be_opened(whole: Path, size: int) -> None:
    with pytest.raises(ConfigurationError, match="truncated before its first record"):
        open_capture(truncate(whole, size))


def test_a_file_without_any_record_left_is_reported(whole: Path) -> None:
    with sqlite3.connect(whole) as connection:
        connection.execute("UPDATE records SET kind = 'gossip' WHERE seq = 1")
    connection.close()
    with open_capture(whole) as capture:
        assert list(capture.records()) == []
        assert "none of its records can be read" in capture.damage


@pytest.mark.parametrize(("kept", "problem"), [(1.0, "is empty"), (0.9, "truncated before its first record")])
def test_a_file_that_was_copied_without_its_log_is_explained(tmp_path: Path, kept: float, problem: str) -> None:
    tap = Tap()
    store = CaptureStore(tap, core_id="c1", project="demo", server="1.0", started=0.0)
    store.start()
    tap.emit(Kind.STDOUT, b"one")
    store.flush()
    assert store.path is not None
    data = store.path.read_bytes()
    copy = tmp_path / "copy.capture"
    copy.write_bytes(data[: int(len(data) * kept)])
    store.close()
    with pytest.raises(ConfigurationError, match=rf"{problem}\..* copy copy\.capture-wal along with it"):
        open_capture(copy)


def test_a_truncated_record_is_not_read_as_a_whole_record() -> None:
    tap = Tap()
    store = CaptureStore(tap, core_id="c1", project="demo", server="1.0", started=0.0)
    tap.emit(Kind.STDOUT, b"small")
    tap.emit(Kind.STDOUT, b"large " * 10_000)
    store.start()
    store.close()
    assert store.path is not None
    truncate(store.path, store.path.stat().st_size - 1000)
    with open_capture(store.path) as capture:
        assert [record.data for record in capture.records()] == [b"small"]
        assert "up to record 1" in capture.damage


def test_a_row_that_is_no_record_counts_as_damage(whole: Path) -> None:
    with sqlite3.connect(whole) as connection:
        connection.execute("UPDATE records SET kind = 'gossip' WHERE seq = 3")
    connection.close()
    with open_capture(whole) as capture:
        assert [record.seq for record in capture.records()] == [1, 2]
        assert "up to record 2" in capture.damage


@pytest.mark.parametrize("value", ["data = 'text'", "data = 7", "data = NULL", "time = 9e999", "call = x'00'"])
def test_a_row_with_a_value_of_another_type_counts_as_damage(whole: Path, value: str) -> None:
    with sqlite3.connect(whole) as connection:
        connection.execute("PRAGMA ignore_check_constraints=ON")
        connection.execute("CREATE TABLE other AS SELECT * FROM records")
        connection.execute("DROP TABLE records")
        connection.execute("ALTER TABLE other RENAME TO records")
        connection.execute(f"UPDATE records SET {value} WHERE seq = 3")
    connection.close()
    with open_capture(whole) as capture:
        assert [record.seq for record in capture.records()] == [1, 2]
        assert "up to record 2" in capture.damage


def set_newer_format(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = '7' WHERE key = 'format'")
    connection.close()


def remove_format(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM meta")
    connection.close()


def replace_by_other_database(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE music (song)")
    connection.close()


def set_format_of_many_digits(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'format'", ("9" * 5000,))
    connection.close()


def replace_by_endless_view(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.executescript(
            "DROP TABLE records; CREATE VIEW records AS WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 "
            "FROM n) SELECT seq, 1.0 AS time, '' AS session, 'in' AS direction, 'stdout' AS kind, '' AS call, x'00' "
            "AS data FROM n;"
        )
    connection.close()


def put_pipe_beside(path: Path) -> None:
    Path(f"{path}-wal").unlink(missing_ok=True)
    os.mkfifo(f"{path}-wal")


def store_bytes_for_text(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = x'00ff' WHERE key = 'started'")
    connection.close()


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (Path.unlink, "cannot be read: No such file"),
        (lambda path: path.write_bytes(b""), "is not a capture"),
        (lambda path: path.write_bytes(b"hello, world, this is text"), "is not a capture"),
        (lambda path: os.truncate(path, 12), "is not a capture"),
        (lambda path: (path.unlink(), path.mkdir()), "is not a regular file"),
        (replace_by_other_database, "is not a capture"),
        (remove_format, "is not a capture"),
        (set_format_of_many_digits, "is not a capture"),
        (lambda path: (path.unlink(), os.mkfifo(path)), "is not a regular file"),
        (put_pipe_beside, "-wal is not a regular file"),
        (replace_by_endless_view, "its records are not in a table"),
        (store_bytes_for_text, "is not text"),
        (set_newer_format, r"written by a newer version \(format 7, this version reads 1\); update workbench"),
    ],
)
def test_a_file_that_is_no_capture_is_described(whole: Path, spoil: Callable[[Path], object], complaint: str) -> None:
    spoil(whole)
    with pytest.raises(ConfigurationError, match=complaint):
        open_capture(whole)


def test_a_capture_in_a_folder_that_cannot_be_written_is_read(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The superuser, who often runs tests, may write anywhere: ask as if he might not.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with open_capture(whole) as capture:
        assert capture.count == COUNT


def test_a_path_with_characters_of_a_uri_is_only_a_path(whole: Path) -> None:
    odd = whole.rename(whole.with_name("100% odd?name#1.capture"))
    with open_capture(odd) as capture:
        assert capture.count == COUNT
