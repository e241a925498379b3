"""The history of a project is read from its captures."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from server_core.records.capture.capture_store import CaptureStore
from server_core.records.tap import Direction, Kind, Tap
from workbench.model.history import CallRun, History
from workbench.workspace import earlier_sessions
from workbench.workspace.earlier_sessions import load_earlier_runs, read_runs

REQUEST = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"greet","arguments":{"n":%d}}}'


def captured(started: float, *numbers: int, project: str = "/demo") -> Path:
    """Return a new capture of calls with these arguments, a second apart."""
    times = iter(range(1000))
    tap = Tap(clock=lambda: started + next(times))
    store = CaptureStore(tap, core_id=f"c{started:.0f}", project="demo", server="1.0", started=started)
    store.start()
    tap.emit_event("core_started", project=project)
    tap.emit_event("session_opened", "s1", transport="link", peer="workbench")
    for number in numbers:
        tap.emit(Kind.REQUEST, REQUEST % (number, number), session="s1", direction=Direction.IN)
        answer = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}' % number
        tap.emit(Kind.RESPONSE, answer, session="s1", direction=Direction.OUT)
    store.close()
    assert store.path is not None
    return store.path


def numbers(runs: list[CallRun]) -> list[int]:
    return [run.arguments["n"] for run in runs]


def test_the_newest_runs_of_all_captures_are_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [captured(5000, 4, 5), captured(100, 1, 2, 3)]
    assert numbers(read_runs(paths, "/demo", 9000, threading.Event())) == [1, 2, 3, 4, 5]
    monkeypatch.setattr(earlier_sessions, "MAX_RUNS", 3)
    assert numbers(read_runs(paths, "/demo", 9000, threading.Event())) == [3, 4, 5]


def test_of_a_long_capture_only_the_end_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    path = captured(100, *range(20))
    monkeypatch.setattr(earlier_sessions, "_MAX_RECORDS", 6)
    assert numbers(read_runs([path], "/demo", 9000, threading.Event())) == [17, 18, 19]


def test_a_capture_that_cannot_be_read_has_no_runs(tmp_path: Path) -> None:
    (tmp_path / "bad.capture").write_bytes(b"no capture")
    paths = [tmp_path / "gone.capture", tmp_path / "bad.capture", captured(100, 1)]
    assert numbers(read_runs(paths, "/demo", 9000, threading.Event())) == [1]


def test_reading_ends_early_with_its_terminal() -> None:
    stopped = threading.Event()
    stopped.set()
    assert not read_runs([captured(100, 1)], "/demo", 9000, stopped)


async def test_a_history_is_completed_once_and_with_captures_of_its_project() -> None:
    captures = [captured(100, 1), captured(200, 2, project="/other")]
    history = History()
    added: list[CallRun] = []
    core = SimpleNamespace(info={"project": "/demo"}, captures=[{"path": str(path)} for path in captures])
    workspace = cast("Any", SimpleNamespace(history=history, core=core, opened=9000.0, add_earlier_runs=added.extend))
    await load_earlier_runs(workspace)
    await load_earlier_runs(workspace)
    assert numbers(added) == [1]
