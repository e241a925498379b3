"""The captures folder, listed."""

import json
import os
import sqlite3

import pytest

from server_core.records.capture.capture_listing import list_captures
from server_core.records.capture.capture_store import CaptureStore
from server_core.records.tap import Kind, Tap
from server_core.runtime.paths import captures_folder


def capture_run(project: str, started: float) -> None:
    tap = Tap()
    store = CaptureStore(tap, core_id="c1", project=project, server="1.0", started=started)
    tap.emit(Kind.STDOUT, b"x")
    store.start()
    store.close()


def test_captures_are_listed_newest_first_with_what_they_hold() -> None:
    capture_run("old", 1000.0)
    capture_run("new", 2000.0)
    newest, oldest = list_captures()
    assert (newest.project, newest.started, newest.records) == ("new", 2000.0, 1)
    assert newest.bytes > 0
    assert newest.ended is not None
    assert oldest.project == "old"


def test_captures_of_a_single_project_can_be_listed() -> None:
    capture_run("one", 1000.0)
    capture_run("two", 2000.0)
    assert [capture.project for capture in list_captures("one")] == ["one"]


def test_a_file_that_cannot_be_read_is_listed_with_the_reason() -> None:
    (captures_folder() / "broken.capture").write_text("no database")
    (capture,) = list_captures()
    assert "is not a capture" in capture.problem
    assert json.loads(json.dumps(capture.to_json()))["records"] == 0


@pytest.mark.parametrize("moment", ["inf", "nan", "1e300", "-1", "soon", "9" * 5000])
def test_a_capture_without_a_time_hides_none_of_the_others(moment: str) -> None:
    capture_run("bad", 2000.0)
    (bad,) = captures_folder().glob("bad-*.capture")
    with sqlite3.connect(bad) as connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'started'", (moment,))
    connection.close()
    capture_run("good", 1000.0)
    good, listed = list_captures()
    assert (good.project, good.problem) == ("good", "")
    assert (listed.path, listed.started) == (bad, 0.0)
    assert "is not a time" in listed.problem or "could not convert" in listed.problem


def test_a_file_that_cannot_be_a_capture_is_never_waited_for() -> None:
    capture_run("good", 1000.0)
    os.mkfifo(captures_folder() / "pipe.capture")
    (captures_folder() / "loop.capture").symlink_to("loop.capture")
    good, *bad = list_captures()
    assert good.project == "good"
    assert len(bad) == 2
    assert all(capture.problem for capture in bad)


def test_a_capture_whose_records_take_too_long_to_count_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    capture_run("slow", 1000.0)
    (path,) = captures_folder().glob("slow-*.capture")
    with sqlite3.connect(path) as connection:
        rows = [(seq, 1.0, "", "none", "stdout", "", b"") for seq in range(10, 20_000)]
        connection.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    connection.close()
    monkeypatch.setattr("server_core.records.capture.capture_listing.SECONDS", -1.0)
    (capture,) = list_captures()
    assert "takes too long" in capture.problem


def test_no_captures_make_an_empty_list() -> None:
    assert list_captures() == []
