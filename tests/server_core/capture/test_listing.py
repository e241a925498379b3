"""The captures folder, listed."""

import json

from server_core.capture.listing import list_captures
from server_core.capture.store import CaptureStore
from server_core.places import captures_folder
from server_core.tap import Kind, Tap


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


def test_captures_of_one_project_can_be_asked_for() -> None:
    capture_run("one", 1000.0)
    capture_run("two", 2000.0)
    assert [capture.project for capture in list_captures("one")] == ["one"]


def test_a_file_that_cannot_be_read_is_listed_with_the_reason() -> None:
    (captures_folder() / "broken.capture").write_text("no database")
    (capture,) = list_captures()
    assert "is no capture" in capture.problem
    assert json.loads(json.dumps(capture.to_json()))["records"] == 0


def test_no_captures_make_an_empty_list() -> None:
    assert list_captures() == []
