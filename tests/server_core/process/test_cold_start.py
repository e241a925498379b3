"""The first response on stdio is sent before heavy modules are imported, which only a new interpreter shows."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from server_core.protocol.jsonrpc import request
from tests.commands import START
from tests.small_project import small_project

INITIALIZE = request(
    1,
    "initialize",
    {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
)
HEAVY = {
    "argparse", "dotenv", "fastapi", "httpx", "importlib.metadata", "jwt", "logging.config", "pydantic", "sqlite3",
    "tempfile", "textual", "typer", "uvicorn", "watchfiles", "websockets", "server_core.loading.project", "tools",
}  # fmt: skip
MAX_MODULES_EARLY, MAX_MODULES_IN_SESSION = 133, 252
"""So many may be imported when the first answer goes out, those that Python itself starts with among them."""

# Serves as the command line does, and when the first answer goes out, writes what has been imported by then to stderr.
SPY = """
import os, sys
import {module} as module

holder = {holder}
send = holder.{name}

def spy(*arguments, **options):
    os.write(2, " ".join(sys.modules).encode())
    holder.{name} = send
    return send(*arguments, **options)

holder.{name} = spy
from server_core.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
EARLY = SPY.format(module="server_core.process.early_handshake", holder="module", name="_write")
IN_SESSION = SPY.format(module="server_core.transports.stdio", holder="module.FdOutlet", name="send")


def first_answer(spy: str, folder: Path, *options: str, messages: bytes) -> tuple[list[bytes], set[str]]:
    """Return the lines that the server wrote, and what had been imported when the first one was."""
    run = subprocess.run(
        [sys.executable, "-c", spy, str(folder), "--stdio", *options],
        input=messages,
        capture_output=True,
        check=True,
        timeout=START,
        env=os.environ | {"PYTHONWARNINGS": "default"},
    )
    return run.stdout.splitlines(), set(run.stderr.decode().split())


@pytest.mark.parametrize("options", [[], ["--reload"], ["--no-capture"]], ids=["plain", "reload", "no capture"])
def test_a_client_that_sends_at_once_is_answered_before_the_event_loop_is_imported(
    tmp_path: Path, options: list[str]
) -> None:
    lines, imported = first_answer(EARLY, small_project(tmp_path / "small"), *options, messages=INITIALIZE + b"\n")
    assert [json.loads(line)["result"]["serverInfo"]["name"] for line in lines] == ["small"]
    assert "server_core.process.early_handshake" in imported
    assert len(imported) <= MAX_MODULES_EARLY
    assert sorted(imported & (HEAVY | {"asyncio", "server_core.serving.server"})) == []


@pytest.mark.parametrize("options", [[], ["--reload"], ["--no-capture"]], ids=["plain", "reload", "no capture"])
def test_nothing_heavy_is_imported_before_the_first_answer_of_a_session(tmp_path: Path, options: list[str]) -> None:
    # A ping first, so that there is nothing to be answered early.
    messages = request(0, "ping") + b"\n" + INITIALIZE + b"\n"
    lines, imported = first_answer(IN_SESSION, small_project(tmp_path / "small"), *options, messages=messages)
    assert [json.loads(line)["id"] for line in lines] == [0, 1]
    assert "server_core.serving.server" in imported
    assert len(imported) <= MAX_MODULES_IN_SESSION
    assert sorted(imported & HEAVY) == []
