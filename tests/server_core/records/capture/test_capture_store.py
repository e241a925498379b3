"""Every record reaches the disk, whatever happens to the process or the disk."""

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from server_core.records.capture.capture_store import ROW_COST, CaptureStore
from server_core.records.capture.queue import RECORD_COST
from server_core.records.capture.reader import open_capture
from server_core.records.masking import Masker
from server_core.records.tap import Direction, Kind, Tap
from server_core.runtime.paths import captures_folder


@contextmanager
def open_store(tap: Tap) -> Iterator[CaptureStore]:
    store = CaptureStore(tap, core_id="c1", project="demo tools", server="1.0", started=0.0)
    store.start()
    try:
        yield store
    finally:
        store.close()


def emit(tap: Tap, count: int) -> None:
    for number in range(count):
        tap.emit(Kind.REQUEST, b"%d" % number, session="s1", direction=Direction.IN, call='"a"')


def stored_data(store: CaptureStore) -> list[bytes]:
    assert store.path is not None
    with open_capture(store.path) as capture:
        return [record.data for record in capture.records()]


def test_a_record_is_read_as_it_was_emitted() -> None:
    tap = Tap()
    with open_store(tap) as store:
        record = tap.emit(Kind.MALFORMED, b"\xff\x00{", session="s1", direction=Direction.OUT, call='"a"')
        store.flush()
        assert store.path is not None
        with open_capture(store.path) as capture:
            assert list(capture.records()) == [record]


def test_records_emitted_before_the_file_was_opened_are_in_it() -> None:
    tap = Tap()
    store = CaptureStore(tap, core_id="c1", project="demo", server="1.0", started=0.0)
    emit(tap, 3)
    store.start()
    store.close()
    assert stored_data(store) == [b"0", b"1", b"2"]


def test_the_file_names_the_project_and_only_its_owner_may_read_it() -> None:
    tap = Tap()
    with open_store(tap) as store:
        emit(tap, 1)
        store.flush()
        assert store.path is not None
        assert store.path.name == "demo-tools-19700101T000000Z-c1.capture"
        assert store.path.parent == captures_folder()
        files = [store.path, *store.path.parent.glob("*-wal")]
        assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600] * 2
        with open_capture(store.path) as capture:
            assert capture.meta["project"] == "demo tools"
            assert capture.meta["server"] == "1.0"
            assert "ended" not in capture.meta
    with open_capture(store.path) as capture:
        assert float(capture.meta["ended"]) > 0


def test_a_run_that_ended_leaves_one_file() -> None:
    tap = Tap()
    with open_store(tap) as store:
        emit(tap, 1)
    assert list(captures_folder().iterdir()) == [store.path]


def test_a_secret_is_masked_in_the_file_too() -> None:
    tap = Tap(Masker({"KEY": "very-secret"}))
    with open_store(tap) as store:
        tap.emit(Kind.STDOUT, b"it is very-secret")
    assert store.path is not None
    assert b"very-secret" not in store.path.read_bytes()


def test_closing_twice_and_closing_before_the_start_are_harmless() -> None:
    tap = Tap()
    never_started = CaptureStore(tap, core_id="c0", project="demo", server="1.0", started=0.0)
    never_started.close()
    never_started.flush()
    with open_store(tap) as store:
        emit(tap, 1)
        store.close()
    assert stored_data(store) == [b"0"]


def test_a_disk_failure_is_reported_once_and_stops_no_traffic(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "file" / "home"))
    tap = Tap()
    reader = tap.subscribe(None, lambda: None)
    with open_store(tap) as store:
        for _ in range(3):
            emit(tap, 1)
            store.flush()
        assert "file" in store.problem
    events = [record for record in reader.drain() if record.kind is Kind.LIFECYCLE]
    assert len(events) == 1
    assert b'"capture_failed"' in events[0].data
    assert len(caplog.records) == 1
    assert "Serving continues" in caplog.text


def test_records_that_a_failing_disk_refused_are_written_when_it_works_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    obstacle = tmp_path / "home"
    obstacle.write_text("")
    monkeypatch.setenv("WORKBENCH_HOME", str(obstacle))
    tap = Tap()
    with open_store(tap) as store:
        emit(tap, 2)
        store.flush()
        obstacle.unlink()
        emit(tap, 1)
        store.flush()
        assert store.problem == ""
    records = stored_data(store)
    assert records[:2] == [b"0", b"1"]
    assert b'"capture_failed"' in records[2]
    assert b'"capture_resumed"' in records[-1]
    assert records[-2] == b"0"


def lock_file_of(store: CaptureStore) -> sqlite3.Connection:
    """Lock the file of a store, so that it cannot write."""
    assert store.path is not None
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return other


def test_a_disk_that_is_slower_than_the_traffic_costs_records_that_are_counted_in_their_place() -> None:
    tap = Tap()
    reader = tap.subscribe(None, lambda: None)
    store = CaptureStore(tap, core_id="c1", project="demo", server="1.0", started=0.0, queue_bytes=RECORD_COST * 20)
    store.start()
    emit(tap, 1)
    store.flush()
    other = lock_file_of(store)
    emit(tap, 100)
    other.execute("ROLLBACK")
    other.close()
    store.flush()
    emit(tap, 1)
    store.close()
    assert store.path is not None
    with open_capture(store.path) as capture:
        records = list(capture.records())
        (dropped,) = [json.loads(item.data) for item in records if b'"records_dropped"' in item.data]
        assert int(capture.meta["lost"]) == dropped["count"]
    written_numbers = [record.seq for record in records]
    assert written_numbers == sorted(written_numbers)
    assert 0 < dropped["count"] < 100
    assert dropped["last"] + 1 in written_numbers
    events = [json.loads(item.data) for item in reader.drain() if item.kind is Kind.LIFECYCLE]
    assert [event["event"] for event in events] == ["capture_lagging", "capture_resumed"]
    assert events[-1]["lost"] == dropped["count"]


def test_a_capture_at_its_limit_ends_with_a_record_of_it() -> None:
    tap = Tap()
    store = CaptureStore(tap, core_id="c1", project="demo", server="1.0", started=0.0, max_bytes=ROW_COST * 10)
    store.start()
    emit(tap, 20)
    store.flush()
    emit(tap, 20)
    store.flush()
    store.close()
    assert store.is_full
    assert store.path is not None
    with open_capture(store.path) as capture:
        *records, last = capture.records()
        assert "ended" in capture.meta
    assert 5 < len(records) < 10
    assert json.loads(last.data)["event"] == "capture_full"


def test_a_capture_that_is_damaged_during_writing_loses_only_its_own_records(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tap = Tap()
    with open_store(tap) as store:
        emit(tap, 1)
        store.flush()
        assert store.path is not None
        with sqlite3.connect(store.path) as connection:
            connection.execute("DROP TABLE records")
        connection.close()
        tap.emit(Kind.STDOUT, b"later")
        store.flush()
        assert "Records are not stored" in caplog.text
    assert stored_data(store)[0] == b"later"


def test_a_record_that_no_database_can_hold_costs_none_of_the_others() -> None:
    tap = Tap()
    with open_store(tap) as store:
        emit(tap, 2)
        tap.emit(Kind.REQUEST, b"bad", session="s1", call="\ud800")
        emit(tap, 2)
        store.flush()
        emit(tap, 1)
        store.flush()
    assert stored_data(store) == [b"0", b"1", b"0", b"1", b"0"]


WRITER = """
import sys, time
from server_core.records.capture.capture_store import ROW_COST, CaptureStore
from server_core.records.tap import Kind, Tap

tap = Tap()
store = CaptureStore(tap, core_id="killed", project="demo", server="1", started=0.0)
store.start()
while True:
    # The record holds the moment of its emission, on a clock that the test shares.
    tap.emit(Kind.STDOUT, b"%.6f" % time.monotonic())
    sys.stdout.write(".")
    sys.stdout.flush()
    time.sleep(0.002)
"""


@pytest.mark.parametrize("lifetime", [150, 400, 600])
def test_killing_the_process_loses_no_record_older_than_a_second(lifetime: int) -> None:
    process = subprocess.Popen([sys.executable, "-c", WRITER], stdout=subprocess.PIPE, env=os.environ.copy())
    with process:
        assert process.stdout is not None
        assert len(process.stdout.read(lifetime)) == lifetime
        process.send_signal(signal.SIGKILL)
        # It has recorded what it had emitted when it died, and at most one record more.
        emitted = lifetime + len(process.stdout.read())
    (path,) = captures_folder().glob("*.capture")
    with open_capture(path) as capture:
        records = list(capture.records())
        assert "ended" not in capture.meta
        assert capture.damage == ""
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    assert len(records) <= emitted + 1
    # Each record took two milliseconds at least, so a second holds at most five hundred.
    assert emitted - len(records) < 500
