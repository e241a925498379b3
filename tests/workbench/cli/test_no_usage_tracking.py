"""The use of the workbench is reported to no one: no command reaches for other machines or starts a helper."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import START
from tests.server_core.toolkit import INITIALIZED, call, initialize
from tests.small_project import small_project

pytestmark = pytest.mark.promises("usage tracking")
ROOT = Path(__file__).parents[3]

# What a process does to the world outside is seen by the interpreter itself.
WATCHED = """
import atexit, json, os, sys
seen = []
DOING = ("socket.getaddrinfo", "socket.gethostbyname", "subprocess.Popen", "os.system", "os.posix_spawn", "os.fork")
def watch(event, arguments):
    if event in DOING or (event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple)):
        seen.append([event, repr(arguments)])
def report():
    with open(os.environ["SEEN"], "w") as file:
        json.dump(seen, file)
sys.addaudithook(watch)
atexit.register(report)
from workbench.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
PROJECT = '''
import socket, subprocess, sys
from server_core import tool


@tool
def connect() -> str:
    """Open a connection."""
    socket.getaddrinfo("localhost", 1)
    subprocess.run([sys.executable, "-c", ""])
    try:
        socket.create_connection(("127.0.0.1", 1), 1).close()
    except OSError:
        pass
    return "connected"
'''
ADD = call(1, "tools/call", name="add", arguments={"a": 1, "b": 2})
SESSION = b"\n".join((initialize(), INITIALIZED, ADD, b""))


def seen_of(folder: Path, words: list[str], stdin: bytes = b"", **environment: str) -> tuple[bytes, list[list[str]]]:
    """What a command prints, and what it does to the world outside."""
    seen = folder.parent / "seen.json"
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *words],
        cwd=folder,
        env={**os.environ, **environment, "SEEN": str(seen), "PYTHONPATH": str(ROOT)},
        input=stdin,
        capture_output=True,
        timeout=START,
    )
    return done.stdout + done.stderr, json.loads(seen.read_text())


@pytest.mark.parametrize(
    ("words", "stdin", "answer"),
    [
        (["call", "add", "a=1", "b=2"], b"", b"3"),
        (["settings"], b"", b"page_size"),
        (["serve", "--stdio"], SESSION, b'"structuredContent":{"result":3}'),
        (["no-such-command"], b"", b"no-such-command"),
    ],
    ids=["call", "settings", "serve", "a mistake"],
)
def test_a_command_makes_no_connection(tmp_path: Path, words: list[str], stdin: bytes, answer: bytes) -> None:
    home = tmp_path / "home"
    home.mkdir()
    # Regardless of Arcade's switches.
    wanted = {"ARCADE_USAGE_TRACKING": "1", "ARCADE_DISABLE_AUTOUPDATE": "0", "HOME": str(home)}
    printed, seen = seen_of(small_project(tmp_path / "small"), words, stdin, **wanted)
    assert answer in printed
    assert seen == []
    assert not (home / ".arcade").exists()


def test_a_connection_is_detected(tmp_path: Path) -> None:
    folder = tmp_path / "connecting"
    folder.mkdir()
    (folder / "tools.py").write_text(PROJECT)
    printed, seen = seen_of(folder, ["call", "connect"])
    assert b"connected" in printed
    assert {"socket.getaddrinfo", "subprocess.Popen", "socket.connect"} <= {event for event, _ in seen}
