"""The protocol's official conformance suite: installed into `.cache/conformance`, and run once.

Only npm is asked for, and only for what is not there yet: the suite needs a newer Node.js than most machines have.
"""

import shlex
import subprocess
import sys
from pathlib import Path

from tests.conformance.gates import Gate
from tests.peers import node

CACHE = node.CACHE / "conformance"
SUITE = "@modelcontextprotocol/conformance"
CLIENT = Path(__file__).with_name("client.py")

RUN_LIMIT = 900.0
"""Seconds for a run: a client's scenarios are all started at once, on however many cores there are."""
CLIENT_LIMIT_MS = 90_000


def install(versions: set[str]) -> None:
    """Install the suite in these versions, and its Node.js, unless they are there.

    Raises:
        SystemExit: when something is missing and npm cannot bring it.
    """
    node.node()
    for version in sorted(versions):
        node.install(_folder(version), f"{SUITE}@{version}")


def run(gate: Gate, url: str, results: Path) -> str:
    """Run a gate once, and return the output of the suite.

    Args:
        gate: which scenarios, with which suite.
        url: our server, for a gate of the server side.
        results: the folder in which the suite leaves a folder for each scenario.
    """
    under_test = ["--url", url] if gate.side == "server" else ["--command", client_command()]
    patience = ["--timeout", str(CLIENT_LIMIT_MS)] if gate.side == "client" else []
    ran = subprocess.run(
        [node.node(), str(_script(gate.suite)), gate.side, *under_test, *gate.selection, *patience, "-o", results],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,  # its exit code is that of all scenarios together; the outcomes are read one by one
        timeout=RUN_LIMIT,
    )
    return ran.stdout.decode("utf-8", "replace")


def client_command() -> str:
    """Return the command of our client, to which the suite appends the URL."""
    return shlex.join([sys.executable, str(CLIENT)])


def _folder(version: str) -> Path:
    return CACHE / f"suite-{version}"


def _script(version: str) -> Path:
    return _folder(version) / "node_modules" / SUITE / "dist" / "index.js"
