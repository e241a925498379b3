"""The states of stateless calls, and the key of this user that signs them: stored in a file that blocks nothing."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server_core.protocol.jsonrpc import Request
from server_core.runtime import signing
from server_core.runtime.signing import InvalidSignature
from server_core.serving.request_state import KEY_BYTES, NAME, CallState, RequestStates, key_of_this_user
from server_core.settings import Settings

REQUEST = Request(1, "tools/call", {"name": "greet", "_meta": {"a": 1}})


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    return tmp_path


def test_a_state_is_read_after_a_restart(home: Path) -> None:
    state = RequestStates(Settings()).seal(REQUEST, "", CallState("x", {"a": {"action": "cancel"}}))
    again = Request("2", "tools/call", {"name": "greet", "requestState": state, "inputResponses": {}})
    assert RequestStates(Settings()).open(again, "") == CallState("x", {"a": {"action": "cancel"}})
    assert [path.name for path in home.iterdir()] == ["state.key"]


def test_the_key_is_for_its_owner_alone(home: Path) -> None:
    RequestStates(Settings()).seal(REQUEST, "", CallState("x", {}))
    assert os.stat(home / "state.key").st_mode & 0o777 == 0o600


@pytest.mark.parametrize("left", [b"", b"abc", b"\xff" * 10], ids=["empty", "short", "no text"])
def test_a_file_without_a_complete_key_is_written_again(home: Path, left: bytes) -> None:
    (home / "state.key").write_bytes(left)
    state = RequestStates(Settings()).seal(REQUEST, "", CallState("x", {}))
    assert len((home / "state.key").read_bytes()) == 64
    again = Request("2", "tools/call", {"name": "greet", "requestState": state})
    assert RequestStates(Settings()).open(again, "") is not None
    with pytest.raises(InvalidSignature):
        signing.verify("", state)


def no_folder(home: Path) -> None:
    home.rmdir()
    home.write_text("")


@pytest.mark.parametrize("spoil", [no_folder, lambda home: (home / "state.key").mkdir()], ids=["folder", "file"])
def test_a_key_that_cannot_be_stored_is_used_from_memory_and_reported_once(
    home: Path, spoil: Callable[[Path], object], caplog: pytest.LogCaptureFixture
) -> None:
    spoil(home)
    states = RequestStates(Settings())
    again = [
        Request("2", "tools/call", {"name": "greet", "requestState": states.seal(REQUEST, "", CallState("x", {}))})
        for _ in range(2)
    ]
    assert all(states.open(item, "") == CallState("x", {}) for item in again)
    (report,) = caplog.records
    assert "not after a restart" in report.getMessage()


def test_processes_that_create_the_key_at_the_same_time_share_it(home: Path) -> None:
    (home / "state.key").touch()
    with ThreadPoolExecutor(8) as threads:
        keys = list(threads.map(lambda _: key_of_this_user(), range(32)))
    assert set(keys) == {(home / "state.key").read_text()}


def test_replicas_that_share_a_key_read_each_others_states(home: Path) -> None:
    settings = Settings(state_key="shared between us, long enough")
    state = RequestStates(settings).seal(REQUEST, "", CallState("x", {}))
    again = Request("2", "tools/call", {"name": "greet", "requestState": state})
    assert RequestStates(settings).open(again, "") is not None
    assert list(home.iterdir()) == []


def test_a_request_without_a_state_has_no_call_state() -> None:
    assert RequestStates(Settings()).open(REQUEST, "") is None


def test_the_key_is_in_no_text_of_the_settings() -> None:
    assert "hunter2" not in repr(Settings(state_key="hunter2"))


def fill(path: Path, kind: str) -> None:
    """Put something in the place of the key."""
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to(os.devnull)
        case "folder":
            path.mkdir()
        case _:
            path.write_bytes(b"k" * 1_000_000)


def test_a_key_is_stored() -> None:
    assert key_of_this_user() == key_of_this_user()


@pytest.mark.parametrize("kind", ["huge", "device", "folder", "pipe"])
def test_an_invalid_key_file_blocks_nothing_and_is_reported(
    kind: str, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fill(home / NAME, kind)
    assert len(key_of_this_user()) == 2 * KEY_BYTES
    assert "The key for calls that wait for input cannot be stored" in caplog.text
