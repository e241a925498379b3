"""`workbench servers`."""

import json
from pathlib import Path

import pytest

from tests.workbench.cli.conftest import Run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a file of servers, of a user without any other."""
    monkeypatch.setenv("HOME", str(tmp_path))
    servers = {"tea": {"command": "tea", "args": ["--key", "a-1"], "env": {"KEY": "a-2"}}, "bad": {}}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": servers}, indent=1))
    return tmp_path


def test_the_servers_are_listed_without_values_and_mistakes_go_to_stderr(folder: Path, run: Run) -> None:
    code, stdout, stderr = run("servers", str(folder))
    assert code == 0
    assert stdout.splitlines()[1].split()[:6] == ["tea", "Claude", "Code", "tea", "--key", "…"]
    assert "~/.mcp.json:13: Claude Code 'bad': It has neither a command nor a URL." in stderr
    assert "a-1" not in stdout
    assert "a-2" not in stdout


def test_the_servers_are_listed_as_json(folder: Path, run: Run) -> None:
    _, stdout, _ = run("servers", str(folder), "--json")
    servers = json.loads(stdout)
    assert [(server["name"], server["env"], server["line"]) for server in servers] == [
        ("tea", ["KEY"], 3),
        ("bad", [], 13),
    ]
    assert servers[1]["problem"] == "It has neither a command nor a URL."
    assert "a-1" not in json.dumps(servers)


def test_without_any_server_the_way_to_open_one_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    code, stdout, stderr = run("servers", str(tmp_path))
    assert (code, stdout) == (0, "")
    assert "No server is known yet" in stderr
