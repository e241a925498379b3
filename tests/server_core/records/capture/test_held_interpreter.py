"""What came in before a tool held the interpreter is on disk, though no thread of ours has run since."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.protocol import jsonrpc
from server_core.protocol.envelope import CLIENT_CAPABILITIES, PROTOCOL_VERSION
from server_core.records.capture import capture_store as store_module
from server_core.records.capture.capture_store import RECEIVED_BYTES, RECEIVED_PAUSE, CaptureStore
from server_core.records.capture.reader import open_capture
from server_core.records.tap import Direction, Kind, Tap
from server_core.runtime.paths import captures_folder
from tests.waiting import until

TOOL = '''
import os
import re
from pathlib import Path
from server_core import tool

@tool
{kind} hold() -> str:
    """Search for a text that does not occur, in C code that holds the interpreter lock."""
    Path(__file__).with_name("holding").touch()
    return str(re.match("(a+)+$", "a" * 60 + "b"))
'''
META = {PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: {}}


def records_on_disk() -> list[bytes]:
    try:
        with open_capture(next(captures_folder().glob("*.capture"))) as capture:
            return [record.data for record in capture.records()]
    except (StopIteration, ConfigurationError):
        return []


async def kill_while_it_holds(tmp_path: Path, kind: str) -> list[bytes]:
    """The records that are left of a server that was killed while its tool held the interpreter."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "holding.py").write_text(TOOL.format(kind=kind))
    command = [sys.executable, "-m", "server_core", str(tmp_path / "tools"), "--stdio"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ.copy()
    )
    with process:
        assert process.stdin is not None
        try:
            await until(lambda: any(b'"loaded"' in data for data in records_on_disk()))
            process.stdin.write(jsonrpc.request(1, "tools/call", {"name": "hold", "_meta": META}) + b"\n")
            process.stdin.flush()
            await until((tmp_path / "tools" / "holding").exists)
        finally:
            process.send_signal(signal.SIGKILL)
    return records_on_disk()


async def test_a_call_whose_async_tool_holds_the_interpreter_is_on_disk(tmp_path: Path) -> None:
    assert any(b'"name":"hold"' in data for data in await kill_while_it_holds(tmp_path, "async def"))


async def test_a_call_whose_tool_holds_the_interpreter_on_a_thread_is_on_disk(tmp_path: Path) -> None:
    assert any(b'"name":"hold"' in data for data in await kill_while_it_holds(tmp_path, "def"))


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let the thread of a store write only what it is asked to."""
    monkeypatch.setattr(store_module, "INTERVAL", 60.0)
    return monkeypatch


def open_store(tap: Tap) -> CaptureStore:
    """A store that writes already."""
    store = CaptureStore(tap, core_id="c1", project="demo", server="1.0", started=0.0)
    store.start()
    tap.emit(Kind.STDOUT, b"first")
    store.flush()
    return store


def receive(tap: Tap, data: bytes) -> None:
    tap.emit(Kind.REQUEST, data, session="s1", direction=Direction.IN)


@pytest.mark.usefixtures("patient")
def test_a_message_that_came_in_is_on_disk_with_all_before_it_when_its_record_is_made() -> None:
    tap = Tap()
    store = open_store(tap)
    tap.emit(Kind.STDOUT, b"before")
    receive(tap, b"question")
    assert records_on_disk() == [b"first", b"before", b"question"]
    store.close()


def test_such_writes_leave_most_of_the_time_to_the_traffic(patient: pytest.MonkeyPatch) -> None:
    tap = Tap()
    store = open_store(tap)
    now = 1000.0
    moments = iter([now, now + 1, now + 1 + RECEIVED_PAUSE - 1, now + 1 + RECEIVED_PAUSE, now + 200])
    with patient.context() as patch:
        patch.setattr(store_module, "monotonic", lambda: next(moments))
        receive(tap, b"took a second")
        receive(tap, b"a little too soon")
        assert b"a little too soon" not in records_on_disk()
        receive(tap, b"late enough")
    assert records_on_disk()[1:] == [b"took a second", b"a little too soon", b"late enough"]
    store.close()


@pytest.mark.usefixtures("patient")
def test_a_message_does_not_wait_for_a_lock_of_the_file() -> None:
    tap = Tap()
    store = open_store(tap)
    assert store.path is not None
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    receive(tap, b"locked out")
    other.execute("ROLLBACK")
    other.close()
    assert b"locked out" not in records_on_disk()
    store.flush()
    assert records_on_disk() == [b"first", b"locked out"]
    store.close()


@pytest.mark.usefixtures("patient")
def test_a_message_does_not_wait_until_much_is_written() -> None:
    tap = Tap()
    store = open_store(tap)
    tap.emit(Kind.STDOUT, b"x" * RECEIVED_BYTES)
    receive(tap, b"small")
    assert records_on_disk() == [b"first"]
    store.close()
    assert b"small" in records_on_disk()
