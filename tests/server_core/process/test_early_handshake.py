"""The handshake before there is a session is answered exactly once."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server_core.process.early_handshake import EarlyHandshake, answer_early
from server_core.protocol import jsonrpc
from server_core.protocol.envelope import client_meta, with_envelope
from server_core.protocol.revisions import LATEST_STATELESS

PARAMS: dict[str, Any] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
INITIALIZE = jsonrpc.request("one", "initialize", PARAMS) + b"\n"
DISCOVER = (
    jsonrpc.request(1, "server/discover", with_envelope({}, client_meta(LATEST_STATELESS, {}, PARAMS["clientInfo"])))
    + b"\n"
)


@pytest.fixture
def wire() -> Iterator[tuple[int, int]]:
    """A pipe: where the client writes, and where the server reads."""
    read, write = os.pipe()
    yield write, read
    for fd in (read, write):
        os.close(fd)


def sent(folder: Path, wire: tuple[int, int], data: bytes) -> tuple[EarlyHandshake, bytes]:
    """Return what came of these bytes, and what was written for the client."""
    os.write(wire[0], data)
    read, write = os.pipe()
    try:
        early = answer_early(folder, wire[1], write)
        os.close(write)
        return early, os.read(read, 64 * 1024)
    finally:
        os.close(read)


def test_initialize_is_answered_and_the_session_gets_request_and_response(folder: Path, wire: tuple[int, int]) -> None:
    behind = jsonrpc.request(2, "tools/list")[:10]
    early, written = sent(folder, wire, INITIALIZE + behind)
    assert written == early.response + b"\n"
    answer = json.loads(early.response)
    assert answer["id"] == "one"
    assert answer["result"]["protocolVersion"] == "2025-06-18"
    assert early.received == INITIALIZE + behind


@pytest.mark.parametrize(
    "data",
    [
        INITIALIZE.rstrip(b"\n"),
        jsonrpc.request(1, "ping") + b"\n",
        jsonrpc.request(1, "initialize", {}) + b"\n",
        jsonrpc.request(1, "initialize", PARAMS | {"clientInfo": 7}) + b"\n",
        b"{not json\n",
        b"\xff\n",
        b"\n" + INITIALIZE,
    ],
    ids=["half a line", "ping", "no params", "wrong params", "no JSON", "no UTF-8", "empty line"],
)
def test_other_messages_are_left_to_the_session(folder: Path, wire: tuple[int, int], data: bytes) -> None:
    assert sent(folder, wire, data) == (EarlyHandshake(data), b"")


def test_a_silent_client_is_not_waited_for(folder: Path, wire: tuple[int, int]) -> None:
    assert answer_early(folder, wire[1], 1) == EarlyHandshake()


def test_a_missing_folder_is_not_answered_early(tmp_path: Path, wire: tuple[int, int]) -> None:
    assert sent(tmp_path / "nowhere", wire, INITIALIZE) == (EarlyHandshake(INITIALIZE), b"")


def test_a_disconnected_client_is_left_to_the_session(folder: Path, wire: tuple[int, int]) -> None:
    os.write(wire[0], INITIALIZE)
    read, write = os.pipe()
    os.close(read)
    assert answer_early(folder, wire[1], write) == EarlyHandshake(INITIALIZE)
    os.close(write)


@pytest.mark.parametrize("message", [INITIALIZE, DISCOVER])
def test_a_project_with_middleware_is_left_to_the_session(
    tmp_path: Path, wire: tuple[int, int], message: bytes
) -> None:
    (tmp_path / "server.py").write_text('from server_core import MCPApp\napp = MCPApp("a", middleware=[Guard()])\n')
    os.write(wire[0], message)
    assert answer_early(tmp_path, wire[1], wire[0]) == EarlyHandshake(message)


@pytest.mark.parametrize("setting", ["WORKBENCH_TOOL_PACKAGE", "WORKBENCH_DISCOVER_INSTALLED"])
def test_a_server_of_packages_is_left_to_the_session(
    folder: Path, wire: tuple[int, int], monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.setenv(setting, "true")
    assert sent(folder, wire, INITIALIZE)[1] == b""


def test_the_settings_give_the_lifetime_of_an_early_answer(
    folder: Path, wire: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_LIST_TTL_SECONDS", "30")
    assert json.loads(sent(folder, wire, DISCOVER)[1])["result"]["ttlMs"] == 30_000
