"""A capture that is opened: read in parts, and from its index when it is opened again."""

import sqlite3
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.runtime.paths import indexes_folder
from tests.workbench.model.records import drop_bodies
from tests.workbench.workspace.test_earlier_sessions import captured
from workbench.workspace import capture_index, opened_capture
from workbench.workspace.capture_files import change_capture, delete_capture
from workbench.workspace.opened_capture import OpenedCapture


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few records are many here."""
    monkeypatch.setattr(capture_index, "MIN_RECORDS", 5)
    monkeypatch.setattr(opened_capture, "_RECORDS_AT_ONCE", 3)
    monkeypatch.setattr(opened_capture, "_PAUSE_S", 0)


async def opened(path: Path) -> tuple[OpenedCapture, list[float]]:
    """Open a capture, and return it with the progress after each part that was read."""
    capture = OpenedCapture(str(path))
    progress: list[float] = []
    await capture.load(lambda: progress.append(capture.progress))
    return capture, progress


def calls(capture: OpenedCapture) -> list[tuple[str, str, str, bytes | None]]:
    return [(entry.method, entry.id, entry.status, entry.data) for entry in capture.timeline]


async def test_a_capture_is_read_in_parts_and_then_from_its_index() -> None:
    path = captured(100, *range(1, 5))
    first, progress = await opened(path)
    assert progress == sorted(progress)
    assert len(progress) > 3
    assert progress[-1] == 1
    again, progress = await opened(path)
    assert progress == [1]
    assert calls(again) == calls(first)
    assert again.timeline[2].data is not None


async def test_a_dropped_body_is_read_from_the_capture() -> None:
    capture, _ = await opened(captured(100, 1, 2))
    before = calls(capture)
    drop_bodies(capture.timeline)
    assert calls(capture) == before


async def test_a_capture_with_another_name_keeps_its_index_and_a_deleted_one_has_none() -> None:
    path = captured(100, 1, 2)
    await opened(path)
    await change_capture(str(path), name="kept", pinned=True, note="for the issue")
    assert (await opened(path))[1] == [1]
    await delete_capture(str(path))
    assert not list(indexes_folder().iterdir())


async def test_a_capture_that_has_not_ended_has_no_index() -> None:
    path = captured(100, 1, 2)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM meta WHERE key = 'ended'")
    await opened(path)
    assert not list(indexes_folder().iterdir())


@pytest.mark.parametrize("damage", [b"", b"no JSON\n", b"{}\n", b'{"columns": 7}\n'])
async def test_a_damaged_index_is_ignored_and_written_again(damage: bytes) -> None:
    path = captured(100, 1, 2)
    first, _ = await opened(path)
    (index,) = indexes_folder().iterdir()
    whole = index.read_bytes()
    for content in (damage, whole[: len(whole) - 3], whole.replace(b'"format": 1', b'"format": 9')):
        index.write_bytes(content)
        again, progress = await opened(path)
        assert len(progress) > 1
        assert calls(again) == calls(first)
        assert index.read_bytes() == whole


async def test_only_the_newest_indexes_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture_index, "MAX_INDEXES", 2)
    for started in (100, 200, 300):
        await opened(captured(started, 1, 2))
    assert len(list(indexes_folder().iterdir())) == 2


async def test_a_file_that_is_no_capture_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.capture").write_bytes(b"no capture")
    with pytest.raises(ConfigurationError, match="is not a capture"):
        await opened(tmp_path / "bad.capture")
