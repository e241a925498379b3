"""The first answer on stdio comes before anything heavy is imported: only a fresh interpreter can tell."""

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
    "tempfile", "textual", "typer", "uvicorn", "watchfiles", "websockets", "server_core.project", "tools",
}  # fmt: skip

# Serves as the command line does, and when the first answer goes out, says on stderr what has been imported by then.
SPY = """
import os, sys
from server_core.transports import stdio

send = stdio.FdOutlet.send

def spy(self, *arguments, **options):
    os.write(2, " ".join(sys.modules).encode())
    stdio.FdOutlet.send = send
    send(self, *arguments, **options)

stdio.FdOutlet.send = spy
from server_core.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("options", [[], ["--reload"], ["--no-capture"]], ids=["plain", "reload", "no capture"])
def test_nothing_heavy_is_imported_before_the_first_answer(tmp_path: Path, options: list[str]) -> None:
    folder = small_project(tmp_path / "small")
    run = subprocess.run(
        [sys.executable, "-c", SPY, str(folder), "--stdio", *options],
        input=INITIALIZE + b"\n",
        capture_output=True,
        check=True,
        timeout=START,
        env=os.environ | {"PYTHONWARNINGS": "default"},
    )
    answer = json.loads(run.stdout)
    assert answer["result"]["serverInfo"]["name"] == "small"
    imported = set(run.stderr.decode().split())
    assert "server_core.server" in imported
    assert sorted(imported & HEAVY) == []
