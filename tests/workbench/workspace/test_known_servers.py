"""The servers used before, and those in the files of clients."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from workbench.model.servers.known_server import RECENT, KnownServer
from workbench.workspace.known_servers import known_servers, remember_server


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder and a data folder without any file."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "data"))
    return folder


@pytest.fixture
def project(home: Path) -> Path:
    folder = home / "project"
    folder.mkdir()
    return folder


def write(path: Path, name: str, **entry: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"mcpServers": {name: entry or {"command": name}}}))


def names(project: Path) -> list[tuple[str, str]]:
    return [(server.name, server.source) for server in known_servers(project, "linux")]


def test_the_files_of_the_project_and_of_the_user_are_read(home: Path, project: Path) -> None:
    write(project / ".mcp.json", "tea")
    write(home / ".config/Claude/claude_desktop_config.json", "coffee")
    write(home / ".cursor/mcp.json", "milk")
    assert names(project) == [("tea", "Claude Code"), ("coffee", "Claude Desktop"), ("milk", "Cursor")]
    assert known_servers(project, "linux")[2].file == "~/.cursor/mcp.json"


def test_each_platform_has_its_places(home: Path, project: Path) -> None:
    write(home / "Library/Application Support/Claude/claude_desktop_config.json", "tea")
    assert names(project) == []
    assert [server.name for server in known_servers(project, "darwin")] == ["tea"]


def test_a_server_that_was_used_is_listed_first(home: Path, project: Path) -> None:
    remember_server(KnownServer("first", RECENT, url="http://127.0.0.1:1/mcp"))
    remember_server(KnownServer("second", RECENT, command=("tea", "hot")))
    remember_server(KnownServer("first", RECENT, url="http://127.0.0.1:1/mcp"))
    assert names(project) == [("first", RECENT), ("second", RECENT)]
    assert known_servers(project, "linux")[1].command == ("tea", "hot")


def test_terminals_that_store_servers_at_the_same_time_lose_none(home: Path, project: Path) -> None:
    servers = [KnownServer(f"tea{number}", RECENT, command=(str(number),)) for number in range(20)]
    with ThreadPoolExecutor(len(servers)) as terminals:
        list(terminals.map(remember_server, servers))
    assert sorted(name for name, _ in names(project)) == sorted(server.name for server in servers)


def test_an_entry_that_was_used_is_read_from_its_file_again_and_its_values_are_not_stored(
    home: Path, project: Path, tmp_path: Path
) -> None:
    write(project / ".cursor/mcp.json", "tea", command="tea", env={"KEY": "k-123456"})
    write(project / ".mcp.json", "coffee")
    remember_server(known_servers(project, "linux")[1])
    assert names(project) == [("tea", "Cursor"), ("coffee", "Claude Code")]
    assert known_servers(project, "linux")[0].env == {"KEY": "k-123456"}
    assert "k-123456" not in (tmp_path / "data/servers.json").read_text()
    (project / ".cursor/mcp.json").unlink()
    assert names(project) == [("coffee", "Claude Code")]


@pytest.mark.parametrize("content", [b"\xff", b"[]", b'{"servers": 3}', b'{"servers": [3, {"used": "x"}]}'])
def test_a_broken_list_of_recent_servers_is_no_error(home: Path, project: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/servers.json").write_bytes(content)
    known_servers(project, "linux")
    remember_server(KnownServer("tea", RECENT, command=("tea",)))
    assert ("tea", RECENT) in names(project)


def test_a_file_that_cannot_be_read_is_a_problem_and_no_failure(home: Path, project: Path) -> None:
    write(project / ".mcp.json", "tea")
    (project / "mcp.json").write_bytes(b"\xff\xfe")
    servers = known_servers(project, "linux")
    assert [server.problem for server in servers] == ["", "It cannot be read: it is not UTF-8."]


def test_files_in_a_folder_that_cannot_be_read_are_left_out(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project / ".mcp.json", "tea")
    monkeypatch.setenv("HOME", f"/{'long' * 100}")
    assert names(project) == [("tea", "Claude Code")]


def test_a_pipe_in_the_place_of_a_file_is_not_read(home: Path, project: Path) -> None:
    os.mkfifo(project / ".mcp.json")
    assert known_servers(project, "linux") == []
