"""The name, the pin and the note of a capture, which are in the file itself."""

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.records.capture.capture_listing import describe_capture
from server_core.records.capture.capture_store import CaptureStore
from server_core.records.capture.labels import MAX_NAME, MAX_NOTE, change_labels
from server_core.records.capture.pruning import prune
from server_core.records.capture.reader import open_capture
from server_core.records.tap import Kind, Tap


def running_store(tap: Tap, started: float = 1000.0) -> CaptureStore:
    store = CaptureStore(tap, core_id="c1", project="demo", server="1.0", started=started)
    tap.emit(Kind.STDOUT, b"x" * 100_000)
    store.start()
    store.flush()
    return store


def ended_capture(started: float = 1000.0) -> Path:
    store = running_store(Tap(), started)
    store.close()
    assert store.path is not None
    return store.path


def test_name_pin_and_note_are_in_the_capture_and_in_its_copies(tmp_path: Path) -> None:
    path = ended_capture()
    change_labels(path, name=" the slow order ", pinned=True, note="Second try.\nSee the log.")
    copy = tmp_path / "copy.capture"
    shutil.copy(path, copy)
    for file in (path, copy):
        info = describe_capture(file)
        assert (info.name, info.pinned, info.note) == ("the slow order", True, "Second try.\nSee the log.")


def test_labels_that_are_not_given_stay_and_empty_ones_are_removed() -> None:
    path = ended_capture()
    change_labels(path, name="a", pinned=True, note="b")
    change_labels(path, name="")
    info = describe_capture(path)
    assert (info.name, info.pinned, info.note) == ("", True, "b")
    change_labels(path, pinned=False)
    assert not describe_capture(path).pinned


def test_a_capture_that_is_being_written_is_named_and_goes_on() -> None:
    tap = Tap()
    store = running_store(tap)
    assert store.path is not None
    change_labels(store.path, name="live", pinned=True)
    tap.emit(Kind.STDOUT, b"more")
    store.close()
    info = describe_capture(store.path)
    assert (info.name, info.pinned, info.records) == ("live", True, 2)


def test_a_capture_that_its_process_also_reads_is_named_by_another_process() -> None:
    tap = Tap()
    store = running_store(tap)
    assert store.path is not None
    assert describe_capture(store.path).problem == ""
    code = "import sys; from pathlib import Path; from server_core.records.capture.labels import change_labels\n"
    code += "change_labels(Path(sys.argv[1]), name='live')"
    subprocess.run([sys.executable, "-c", code, str(store.path)], check=True)
    tap.emit(Kind.STDOUT, b"more")
    store.flush()
    info = describe_capture(store.path)
    assert (info.name, info.records, info.problem) == ("live", 2, "")
    store.close()
    assert describe_capture(store.path).records == 2


def test_a_pinned_capture_is_not_pruned() -> None:
    pinned, other = ended_capture(1000.0), ended_capture(2000.0)
    change_labels(pinned, pinned=True)
    for path in (pinned, other):
        os.utime(path, (0, 0))
    assert prune(0, 0).paths == [other]
    assert pinned.exists()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"name": "x" * (MAX_NAME + 1)}, "81 characters"),
        ({"name": "two\nlines"}, "line break"),
        ({"name": "\x1b[31mred"}, "control character"),
        ({"name": "\ud800"}, "control character"),
        ({"note": "\ud800"}, "not valid Unicode"),
        ({"note": "x" * (MAX_NOTE + 1)}, "10,001 characters"),
    ],
)
def test_a_label_that_is_not_allowed_is_refused_with_the_reason(labels: dict[str, str], message: str) -> None:
    path = ended_capture()
    with pytest.raises(ConfigurationError, match=message):
        change_labels(path, **labels)  # type: ignore[arg-type]
    assert describe_capture(path).name == ""


def test_a_truncated_capture_is_not_changed() -> None:
    path = ended_capture()
    data = path.read_bytes()[:-8192]
    path.write_bytes(data)
    with pytest.raises(ConfigurationError, match="truncated: it can be read, but not changed"):
        change_labels(path, name="x")
    assert path.read_bytes() == data


def test_a_capture_of_a_newer_version_is_not_changed() -> None:
    path = ended_capture()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = '7' WHERE key = 'format'")
    connection.close()
    with pytest.raises(ConfigurationError, match="newer version"):
        change_labels(path, name="x")


def test_what_is_no_capture_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "notes.capture"
    path.write_text("no database")
    with pytest.raises(ConfigurationError, match="is not a capture"):
        change_labels(path, name="x")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        change_labels(tmp_path / "missing.capture", name="x")


def test_labels_of_strangers_are_cut() -> None:
    path = ended_capture()
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('name', ?)", ("x" * 5000,))
    connection.close()
    assert len(describe_capture(path).name) == MAX_NAME
    with open_capture(path) as capture:
        assert capture.count == 1
