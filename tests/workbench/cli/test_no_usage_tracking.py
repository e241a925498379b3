"""Nothing about how the workbench is used is told to anybody: no command reaches for another machine or starts a helper."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import START
from tests.server_core.toolkit import INITIALIZED, call, initialize
from tests.small_project import small_project

ROWS = ("S35",)

# What a process does to the world outside is seen by the interpreter itself.
WATCHED = """
import os, sys
seen = []
def watch(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "subprocess.Popen", "os.system", "os.posix_spawn", "os.fork"):
        seen.append([event, repr(arguments)])
    elif event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
        seen.append([event, repr(arguments[1])])
sys.addaudithook(watch)
def report():
    import json
    with open(os.environ["SEEN"], "w") as file:
        json.dump(seen, file)
import atexit
atexit.register(report)
from workbench.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
SESSION = b"\n".join(
    (
        initialize(),
        INITIALIZED,
        call(1, "tools/call", name="add", arguments={"a": 1, "b": 2}),
        call(2, "tools/list"),
        b"",
    )
)


@pytest.mark.parametrize(
    ("words", "stdin", "answer"),
    [
        (["list"], b"", b"add"),
        (["call", "add", "a=1", "b=2"], b"", b"3"),
        (["call", "add", "a=1"], b"", b""),
        (["settings"], b"", b"page_size"),
        (["lint"], b"", b""),
        (["serve", "--stdio"], SESSION, b'"structuredContent":{"result":3}'),
        (["no-such-command"], b"", b""),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else "",
)
def test_a_command_tells_nobody_that_it_was_used(tmp_path: Path, words: list[str], stdin: bytes, answer: bytes) -> None:
    home = tmp_path / "home"
    home.mkdir()
    # Whatever Arcade's switches say.
    wanted = {"ARCADE_USAGE_TRACKING": "1", "ARCADE_DISABLE_AUTOUPDATE": "0", "HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *words],
        cwd=small_project(tmp_path / "small"),
        env={**os.environ, **wanted, "SEEN": str(tmp_path / "seen.json"), "PYTHONPATH": str(Path(__file__).parents[3])},
        input=stdin,
        capture_output=True,
        timeout=START,
    )
    assert answer in done.stdout
    assert json.loads((tmp_path / "seen.json").read_text()) == []
    assert not (home / ".arcade").exists()


def test_the_watch_sees_what_it_should(tmp_path: Path) -> None:
    """Else the tests above would pass whatever a command does."""
    (tmp_path / "tools.py").write_text(
        "import socket, subprocess, sys\\nfrom server_core import tool\\n\\n\\n@tool\\ndef tell() -> str:\\n"
        "    '''Tell.'''\\n    socket.getaddrinfo('localhost', 1)\\n    subprocess.run([sys.executable, '-c', ''])\\n"
        "    try:\\n        socket.create_connection(('127.0.0.1', 1), 1)\\n    except OSError:\\n        pass\\n"
        "    return 'told'\\n".replace("\\\\n", "\\n")
    )
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, "call", "tell"],
        cwd=tmp_path,
        env={**os.environ, "SEEN": str(tmp_path / "seen.json"), "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        timeout=START,
        check=True,
    )
    assert b"told" in done.stdout
    seen = {event for event, _ in json.loads((tmp_path / "seen.json").read_text())}
    assert {"socket.getaddrinfo", "subprocess.Popen", "socket.connect"} <= seen
