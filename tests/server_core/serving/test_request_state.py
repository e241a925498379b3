"""The key that signs what a stateless call carries outlives the process."""

import os
from pathlib import Path

import pytest

from server_core.protocol.jsonrpc import Request
from server_core.serving.request_state import RequestStates, WaitingCall
from server_core.settings import Settings

REQUEST = Request(1, "tools/call", {"name": "greet", "_meta": {"a": 1}})


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    return tmp_path


def test_a_state_is_read_after_a_restart(home: Path) -> None:
    state = RequestStates(Settings()).seal(REQUEST, "", WaitingCall("x", {"a": {"action": "cancel"}}))
    again = Request("2", "tools/call", {"name": "greet", "requestState": state, "inputResponses": {}})
    assert RequestStates(Settings()).open(again, "") == WaitingCall("x", {"a": {"action": "cancel"}})
    assert [path.name for path in home.iterdir()] == ["state.key"]


def test_the_key_is_for_its_owner_alone(home: Path) -> None:
    RequestStates(Settings()).seal(REQUEST, "", WaitingCall("x", {}))
    assert os.stat(home / "state.key").st_mode & 0o777 == 0o600


def test_replicas_that_share_a_key_read_each_others_states(home: Path) -> None:
    settings = Settings(state_key="shared between us, long enough")
    state = RequestStates(settings).seal(REQUEST, "", WaitingCall("x", {}))
    again = Request("2", "tools/call", {"name": "greet", "requestState": state})
    assert RequestStates(settings).open(again, "") is not None
    assert list(home.iterdir()) == []


def test_a_request_without_a_state_brings_nothing() -> None:
    assert RequestStates(Settings()).open(REQUEST, "") is None


def test_the_key_is_in_no_text_of_the_settings() -> None:
    assert "hunter2" not in repr(Settings(state_key="hunter2"))
