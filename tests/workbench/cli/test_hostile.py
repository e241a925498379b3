"""Whatever others have named, written or answered, no command prints what a terminal would obey."""

import json
import os
import subprocess
import sys
import tty
from pathlib import Path

import pytest

from server_core.protocol.jsonrpc import request
from tests.commands import START, WORKBENCH
from tests.server_core.process.core_process import INITIALIZE
from tests.workbench.cli.hostile import (
    EVIL,
    OBEYED,
    hostile_capture,
    hostile_config,
    hostile_core,
    hostile_project,
    printed,
    read_all,
)
from workbench.cli import raw_arguments

SERVER = ["--", sys.executable, "server.py"]
COMMANDS = {
    "list": ["list"],
    "list --json": ["list", "--json"],
    "list of a server": ["list", *SERVER],
    "list --json of a server": ["list", "--json", *SERVER],
    "list of a file": ["list", "--project", f"raises{EVIL}.py"],
    "files": ["files"],
    "files --json": ["files", "--json"],
    "servers": ["servers"],
    "servers --json": ["servers", "--json"],
    "lint": ["lint"],
    "lint --json": ["lint", "--json"],
    "lint of a server": ["lint", *SERVER],
    "call of a tool that fails": ["call", "fail"],
    "call of a tool in an account": ["call", "account"],
    "call of a tool of a server that fails": ["call", "fail", *SERVER],
    "call that a server refuses": ["call", "break", *SERVER],
    "call of no tool": ["call", f"no{EVIL}"],
    "settings": ["settings"],
    "settings --json": ["settings", "--json"],
    "config": ["config"],
    "config --json": ["config", "--json"],
    "config get": ["config", "get", "editor"],
    "config get of no setting": ["config", "get", f"no{EVIL}"],
    "config set": ["config", "set", "editor", f"no{EVIL}"],
    "config set of a key": ["config", "set", f"keys.no{EVIL}", f"k{EVIL}"],
    "config set to the default": ["config", "set", f"keys.no{EVIL}", ""],
    "config keys": ["config", "keys"],
    "secret list": ["secret", "list"],
    "secret list --json": ["secret", "list", "--json"],
    "secret set": ["secret", "set", f"KEY{EVIL}", "value"],
    "secret unset": ["secret", "unset", f"KEY{EVIL}"],
    "secret set from a file": ["secret", "set", "--from-env", ".env"],
    "secret grant": ["secret", "grant", f"KEY{EVIL}", f"raises{EVIL}.py"],
    "auth list": ["auth", "list"],
    "auth list --json": ["auth", "list", "--json"],
    "auth login": ["auth", "login", f"evil{EVIL}"],
    "auth logout": ["auth", "logout", f"evil{EVIL}"],
    "captures": ["captures"],
    "captures --json": ["captures", "--json"],
    "replay": ["replay", "evil.capture", "--project", "."],
    "replay --json": ["replay", "evil.capture", "--project", ".", "--json"],
    "replay against the project of the capture": ["replay", "evil.capture"],
    "replay against a server": ["replay", "evil.capture", *SERVER],
    "watch": ["watch", f"no{EVIL}"],
    "ps": ["ps"],
    "ps --json": ["ps", "--json"],
    "attach": ["attach", f"no{EVIL}"],
    "stop": ["stop", f"no{EVIL}"],
    "hold": ["hold", f"({EVIL}", "--core", f"no{EVIL}"],
    "hold list": ["hold", "list"],
    "new": ["new", f"cafe{EVIL}/mine"],
    "new with a bad name": ["new", f"cafe{EVIL}"],
    "open": ["open", f"no{EVIL}"],
    "serve without a choice": ["serve"],
    "no command": [f"no{EVIL}"],
    "no option": ["list", f"--no{EVIL}"],
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = hostile_project(tmp_path)
    hostile_capture()
    hostile_config()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("EVIL_KEY", "a value that is a secret")
    return folder


def obeyed(text: str) -> list[str]:
    """Return what a terminal would obey in a text, each with what stands around it."""
    return [repr(text[max(0, at - 40) : at + 20]) for at, char in enumerate(text) if char in OBEYED]


ON_PIPES = [
    "list", "list --json", "files", "lint", "call of a tool that fails", "call that a server refuses", "settings",
    "secret list", "replay", "ps", "no option",
]  # fmt: skip
"""A command for each way to print: tables, JSON, results, reports, narration and errors of options."""
RUNS = [(name, True) for name in COMMANDS] + [(name, False) for name in ON_PIPES]


@pytest.mark.parametrize(
    ("arguments", "on_terminal"),
    [(COMMANDS[name], on_terminal) for name, on_terminal in RUNS],
    ids=[f"{name}-{'terminal' if on_terminal else 'pipe'}" for name, on_terminal in RUNS],
)
def test_no_command_prints_control_characters(
    project: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], on_terminal: bool
) -> None:
    with hostile_core():
        text = printed(arguments, monkeypatch, on_terminal=on_terminal)
    assert text
    assert obeyed(text) == []
    assert "\nserved  faked" not in text
    assert "\nfaked" not in text


@pytest.mark.parametrize("on_terminal", [True, False], ids=["terminal", "pipe"])
@pytest.mark.parametrize("upstream", [[], SERVER], ids=["project", "server"])
def test_serve_prints_nothing_that_a_terminal_interprets(project: Path, upstream: list[str], on_terminal: bool) -> None:
    source, sink = os.openpty() if on_terminal else os.pipe()
    if on_terminal:
        tty.setraw(sink)
    messages = (
        request(1, "initialize", INITIALIZE),
        request(2, "tools/list", {}),
        request(3, "tools/call", {"name": "fail", "arguments": {}}),
    )
    command = [*WORKBENCH, "serve", "--stdio", *upstream]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=sink) as process:
        os.close(sink)
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(b"".join(message + b"\n" for message in messages))
            process.stdin.flush()
            answered: set[int] = set()
            while not answered >= {1, 2, 3}:
                answered.add(json.loads(process.stdout.readline()).get("id"))
            process.stdin.close()
            assert process.wait(START) == 0
        finally:
            process.kill()
    pieces: list[bytes] = []
    read_all(source, pieces)
    os.close(source)
    text = b"".join(pieces).decode()
    assert bool(text) is not bool(upstream)  # What an upstream server writes there is a record, and no more.
    assert obeyed(text) == []


def test_every_command_is_tried() -> None:
    # `demo` is `open` on a project of ours.
    assert raw_arguments.COMMANDS - {"demo"} <= {arguments[0] for arguments in COMMANDS.values()}
