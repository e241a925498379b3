"""The event stores: in memory, and in a file that outlives its process."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.transports.streamable import event_store
from server_core.transports.streamable.event_store import GET_STREAM, EventStore, MemoryEvents
from server_core.transports.streamable.sqlite_events import SqliteEvents

pytestmark = pytest.mark.promises("event store")

MOST = 10
Open = Callable[[], EventStore]


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    store: EventStore = (
        MemoryEvents(MOST) if request.param == "memory" else SqliteEvents(tmp_path / "events", MOST, 1000)
    )
    yield store
    store.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "events.sqlite"


async def messages(store: EventStore, session: str, stream: int, position: int = 0) -> list[bytes] | None:
    replay = await store.after(session, stream, position)
    return None if replay is None else [message for _, message in replay.events]


async def test_a_stream_returns_its_events_after_a_position_and_no_others(store: EventStore) -> None:
    first, second = store.begin("s", (1,)), store.begin("s", ("1", 2))
    positions = [store.append("s", first, message) for message in (b"a", b"b")]
    store.append("s", second, b"other")
    store.append("s", GET_STREAM, b"standing")
    assert positions == sorted(positions)
    assert await messages(store, "s", first, positions[0]) == [b"b"]
    assert await messages(store, "s", first, positions[1]) == []
    assert await messages(store, "s", GET_STREAM) == [b"standing"]
    replay = await store.after("s", second, 0)
    assert replay is not None
    assert (list(replay.calls), replay.complete) == (["1", 2], False)


async def test_the_last_message_completes_a_stream(store: EventStore) -> None:
    stream = store.begin("s", (1,))
    store.append("s", stream, b"a")
    store.append("s", stream, b"b", last=True)
    replay = await store.after("s", stream, 0)
    assert replay is not None
    assert replay.complete


async def test_a_session_cannot_read_the_streams_of_another(store: EventStore) -> None:
    stream = store.begin("s", (1,))
    store.append("s", stream, b"a")
    assert await messages(store, "t", stream) is None
    assert await messages(store, "t", GET_STREAM) == []


async def test_a_deleted_session_has_no_events(store: EventStore) -> None:
    stream = store.begin("s", (1,))
    store.append("s", stream, b"a")
    store.append("t", GET_STREAM, b"b")
    store.delete_session("s")
    store.delete_session("unknown")
    assert await messages(store, "s", stream) is None
    assert await messages(store, "t", GET_STREAM) == [b"b"]


async def test_a_limited_number_of_events_of_a_stream_is_stored_with_the_newest(store: EventStore) -> None:
    for number in range(3 * MOST):
        store.append("s", GET_STREAM, b"%d" % number)
    kept = await messages(store, "s", GET_STREAM)
    assert kept is not None
    assert 0 < len(kept) <= MOST
    assert kept[-1] == b"%d" % (3 * MOST - 1)


async def test_a_limited_number_of_bytes_of_a_session_is_stored(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("event_store", "sqlite_events"):
        monkeypatch.setattr(f"server_core.transports.streamable.{module}.MAX_SESSION_BYTES", 100)
    streams = [store.begin("s", (number,)) for number in range(5)]
    for stream in streams:
        store.append("s", stream, b"x" * 60, last=True)
    kept = [await messages(store, "s", stream) for stream in streams]
    assert sum(len(item or []) for item in kept) <= 2
    assert kept[-1]


async def test_memory_stores_a_limited_number_of_streams_and_prefers_running_ones() -> None:
    store = MemoryEvents(MOST)
    running = store.begin("s", (0,))
    store.append("s", running, b"running")
    for number in range(event_store.MAX_STREAMS + 5):
        store.append("s", store.begin("s", (number,)), b"x", last=True)
    assert await messages(store, "s", running) == [b"running"]
    assert await messages(store, "s", running + 1) is None


async def test_memory_stores_a_limited_number_of_bytes_and_prefers_the_busiest_sessions() -> None:
    store = MemoryEvents(MOST, most_bytes=100)
    for session in ("s", "t", "s", "u"):
        store.append(session, GET_STREAM, b"x" * 40)
    assert await messages(store, "s", GET_STREAM) == []
    assert await messages(store, "t", GET_STREAM) == []
    assert await messages(store, "u", GET_STREAM) == [b"x" * 40]


async def test_a_file_outlives_its_process_and_no_number_is_repeated(file: Path) -> None:
    before = SqliteEvents(file, MOST, 1000)
    before.save_session("s", {"principal": "ada"})
    stream = before.begin("s", (1,))
    position = before.append("s", stream, b"a")
    after = SqliteEvents(file, MOST, 1000)
    assert await after.load_session("s") == {"principal": "ada"}
    assert await after.load_session("t") is None
    assert await messages(after, "s", stream) == [b"a"]
    assert after.begin("s", (2,)) > stream
    assert after.append("s", stream, b"b") > position
    after.close()
    before.close()


async def test_abandoned_sessions_are_dropped_when_the_file_is_opened(file: Path) -> None:
    now = 1000.0
    store = SqliteEvents(file, MOST, 100, lambda: now)
    store.save_session("old", {})
    store.append("old", GET_STREAM, b"x")
    now = 1080.0
    store.save_session("new", {})
    store.append("new", GET_STREAM, b"x")
    store.close()
    now = 1150.0
    store = SqliteEvents(file, MOST, 100, lambda: now)
    assert await store.load_session("old") is None
    assert await messages(store, "old", GET_STREAM) == []
    assert await store.load_session("new") == {}
    assert await messages(store, "new", GET_STREAM) == [b"x"]
    store.close()


def test_a_file_is_readable_to_its_owner_alone(file: Path) -> None:
    SqliteEvents(file, MOST, 100).close()
    assert file.stat().st_mode & 0o077 == 0


def test_a_path_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"Events cannot be stored in .*missing.*choose another file"):
        SqliteEvents(tmp_path / "missing" / "events", MOST, 100)


def test_a_file_that_is_no_database_is_reported(file: Path) -> None:
    file.write_text("These are notes, and they must not be lost. " * 20)
    with pytest.raises(ConfigurationError, match="Events cannot be stored"):
        SqliteEvents(file, MOST, 100)
    assert file.read_text().startswith("These are notes")


def test_a_file_of_a_newer_version_is_reported(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(ConfigurationError, match="newer version"):
        SqliteEvents(file, MOST, 100)


async def test_a_disk_failure_is_reported_once_and_costs_no_traffic(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = SqliteEvents(file, MOST, 100)
    stream = store.begin("s", (1,))
    store.close()
    first, second = (store.append("s", stream, b"x") for _ in range(2))
    assert second > first
    assert await messages(store, "s", stream) is None
    await asyncio.sleep(0)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
