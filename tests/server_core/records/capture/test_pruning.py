"""Old captures are deleted, but none that is in use or renamed."""

import fcntl
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from server_core import MCPApp
from server_core.core import Core
from server_core.errors import ConfigurationError
from server_core.records.capture import pruning
from server_core.records.capture.capture_schema import COMMAND_PREFIX
from server_core.records.capture.capture_store import CaptureStore
from server_core.records.capture.labels import change_labels
from server_core.records.capture.pruning import delete, is_in_use, prune
from server_core.records.capture.reader import open_capture
from server_core.records.tap import Kind, Tap
from server_core.runtime.capture_limits import CaptureLimits, limits_with_config
from server_core.runtime.paths import captures_folder, config_file
from server_core.settings import Settings
from tests.server_core.toolkit import Records
from tests.waiting import until

EVERYTHING = 1 << 40
NOW = time.time()


def capture(age: int, size: int = 10, core: str = "c") -> Path:
    """A capture that was written to last so many hours ago."""
    tap = Tap()
    store = CaptureStore(tap, core_id=f"{core}{age}", project="demo", server="1.0", started=NOW - age * 3600)
    tap.emit(Kind.STDOUT, b"x" * size)
    store.start()
    store.close()
    assert store.path is not None
    return set_age(store.path, age)


def set_age(path: Path, hours: int) -> Path:
    os.utime(path, (NOW - hours * 3600,) * 2)
    return path


def remaining_captures() -> set[str]:
    return {path.name for path in captures_folder().iterdir()}


def test_the_oldest_are_deleted_until_there_are_no_more_than_there_may_be() -> None:
    oldest, older, newest = capture(3), capture(2), capture(1)
    assert prune(2, EVERYTHING).paths == [oldest]
    assert remaining_captures() == {older.name, newest.name}
    assert prune(2, EVERYTHING).paths == []


def test_the_oldest_are_deleted_until_they_are_no_larger_than_they_may_be() -> None:
    oldest, older, newest = (capture(age, 100_000) for age in (3, 2, 1))
    sizes = [path.stat().st_size for path in (oldest, older)]
    pruned = prune(100, newest.stat().st_size + 1000)
    assert (pruned.paths, pruned.bytes) == ([oldest, older], sum(sizes))
    assert remaining_captures() == {newest.name}


def test_captures_of_commands_do_not_displace_those_of_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "MAX_OF_COMMANDS", 2)
    of_core = capture(9)
    of_commands = [capture(age, core=COMMAND_PREFIX) for age in (5, 4, 3, 2)]
    change_labels(of_commands[0], pinned=True)
    set_age(of_commands[0], 5)
    assert prune(100, EVERYTHING).paths == [of_commands[1]]
    assert {of_core.name, of_commands[0].name} <= remaining_captures()


def test_concurrent_prunings_run_in_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    # Else, what one of them examines would be in use for the other, which would delete a newer capture instead.
    oldest, newest = capture(2), capture(1)
    refused: list[Path] = []

    def examine(path: Path) -> bool:
        with pytest.raises(BlockingIOError), folder_opened() as folder:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        refused.append(path)
        return is_in_use(path)

    monkeypatch.setattr(pruning, "is_in_use", examine)
    assert prune(1, EVERYTHING).paths == [oldest]
    assert refused == [oldest]
    assert remaining_captures() == {newest.name}


@contextmanager
def folder_opened() -> Iterator[int]:
    descriptor = os.open(captures_folder(), os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def test_files_of_sqlite_beside_a_capture_count_and_are_deleted_with_it() -> None:
    path = capture(2)
    for name in ("-wal", "-shm"):
        beside = Path(f"{path}{name}")
        beside.write_bytes(b"x" * 5000)
        set_age(beside, 2)
    assert prune(1, 5000).bytes > 10_000
    assert remaining_captures() == set()


def test_renamed_captures_and_other_files_are_not_deleted() -> None:
    path = capture(2)
    path.rename(path.with_name("the bug.capture"))
    (captures_folder() / "notes.txt").write_text("")
    os.mkfifo(captures_folder() / "demo-20200101T000000Z-fifo.capture")
    assert prune(1, 1).paths == []
    assert len(remaining_captures()) == 3


def other_name(change: Callable[[str], str]) -> Path:
    """An old capture that a person has renamed."""
    path = capture(2)
    return path.rename(path.with_name(change(path.name)))


@pytest.mark.parametrize(
    "change",
    [
        lambda name: f"login-bug-{name}",
        lambda name: f"keep-{name}",
        lambda name: name.replace(".capture", "0.capture"),
        lambda name: name.replace("-c2.capture", "-c.capture"),
        lambda name: name.replace("-c2.capture", "-C2.capture"),
        lambda name: f"demo-20209999T999999Z{name[-11:]}",
        lambda name: f"demo-20200101T000000Z{name[-11:]}",
        lambda name: name.replace("demo", "Demo"),
    ],
)
def test_a_renamed_capture_stays_though_its_name_resembles_that_of_a_core(change: Callable[[str], str]) -> None:
    renamed = other_name(change)
    assert prune(1, 1).paths == []
    assert remaining_captures() == {renamed.name}


def test_a_renamed_capture_costs_no_other_its_place() -> None:
    other_name(lambda name: f"keep-{name}")
    newest = capture(1)
    assert prune(1, EVERYTHING).paths == []
    assert newest.exists()


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\x00" + b"x" * 500])
def test_a_file_that_is_no_capture_is_never_deleted(content: bytes) -> None:
    path = capture(2)
    path.write_bytes(content)
    set_age(path, 2)
    assert prune(1, 1).paths == []
    assert path.read_bytes() == content


@pytest.mark.parametrize("started", ["", "nan", "inf", "1e300", "soon"])
def test_a_capture_without_a_time_is_not_deleted(started: str) -> None:
    path = capture(2)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'started'", (started,))
    set_age(path, 2)
    assert prune(1, 1).paths == []


@pytest.mark.parametrize("beside", ["-wal", "-shm", "-journal"])
def test_a_pipe_beside_a_capture_blocks_nothing(beside: str) -> None:
    path = capture(2)
    os.mkfifo(f"{path}{beside}")
    assert prune(1, 1).paths == []


def test_a_capture_that_was_written_to_just_now_stays() -> None:
    path = capture(0)
    os.utime(path)
    assert prune(1, 1).paths == []


WRITER = """
import sys
from server_core.records.capture.capture_schema import COMMAND_PREFIX
from server_core.records.capture.capture_store import CaptureStore
from server_core.records.tap import Kind, Tap

tap = Tap()
store = CaptureStore(tap, core_id="lives", project="demo", server="1", started=0.0)
store.start()
tap.emit(Kind.STDOUT, b"x")
store.flush()
print(store.path, flush=True)
sys.stdin.read()
"""


@contextmanager
def living_core() -> Iterator[Path]:
    """The capture of another process that lives."""
    process = subprocess.Popen([sys.executable, "-c", WRITER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Path(process.stdout.readline().strip())
        process.stdin.close()


def test_the_capture_of_a_living_core_is_never_deleted() -> None:
    with living_core() as path:
        for name in ("", "-wal", "-shm"):
            set_age(Path(f"{path}{name}"), 5)
        assert is_in_use(path)
        assert prune(1, 1).paths == []
        with pytest.raises(ConfigurationError, match="is in use; stop the core"):
            delete(path)
    set_age(path, 5)
    assert prune(1, 1).paths == [path]


def test_a_capture_that_is_being_read_is_not_deleted() -> None:
    path = capture(2)
    with open_capture(path) as opened:
        assert opened.count == 1
        assert prune(1, 1).paths == []
    assert prune(1, 1).paths == [path]


def test_the_named_capture_is_deleted_with_any_file_name() -> None:
    path = capture(2)
    renamed = path.rename(path.with_name("the bug.capture"))
    delete(renamed)
    assert remaining_captures() == set()
    for nothing in (renamed, captures_folder()):
        with pytest.raises(ConfigurationError, match="does not exist"):
            delete(nothing)


def test_captures_that_are_too_old_are_deleted_but_no_pinned_one() -> None:
    pinned, old, young = capture(60), capture(50), capture(40)
    change_labels(pinned, pinned=True)
    set_age(pinned, 60)
    assert prune(100, EVERYTHING, days=3).paths == []
    assert prune(100, EVERYTHING, days=2).paths == [old]
    assert pinned.exists()
    assert young.exists()


def test_the_configuration_file_limits_captures_where_a_setting_has_its_default() -> None:
    defaults = CaptureLimits()
    assert limits_with_config(defaults) == defaults
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text("[captures]\nmax_count = 5\nmax_size_mb = 0.5\nmax_age_days = 30\n")
    assert limits_with_config(defaults) == (5, 512 * 1024, 30)
    assert limits_with_config(CaptureLimits(number=7)) == (7, 512 * 1024, 30)
    for wrong in ("captures = 3", "[captures]\nmax_count = 'many'", "[captures]\nmax_count = -1", "no toml"):
        config_file().write_text(wrong)
        assert limits_with_config(defaults) == defaults


def test_the_default_limits_are_those_of_the_settings() -> None:
    assert Settings().capture_limits == CaptureLimits()


async def test_a_core_that_starts_deletes_old_captures_and_records_it() -> None:
    old, renamed = capture(3), capture(2)
    renamed = renamed.rename(renamed.with_name("kept.capture"))
    core = Core(app=MCPApp("shop"), settings=Settings(max_captures=1), link=False)
    records = Records(core.tap)
    await core.start()
    try:
        await until(lambda: [event for event in records.events() if event["event"] == "captures_pruned"])
    finally:
        await core.stop()
    assert not old.exists()
    assert renamed.exists()
    assert core.store is not None
    assert core.store.path is not None
    assert core.store.path.exists()
