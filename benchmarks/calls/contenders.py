"""The servers that are compared: each as a command for stdio and a command for HTTP."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.peers import python as peers

Command = list[str]

_SERVERS = Path(__file__).parent / "servers"


@dataclass(frozen=True)
class Contender:
    """A server in a configuration.

    Attributes:
        name: its name in the tables.
        stdio: the command for stdio; None if it is only compared over HTTP.
        http: the port -> the command for HTTP; None if it is only compared on stdio.
    """

    name: str
    stdio: Command | None = None
    http: Callable[[int], Command] | None = None


OURS, OURS_BARE, OFFICIAL, OFFICIAL_JSON = "ours", "ours, no capture", "official SDK", "official SDK, JSON mode"
FASTMCP, FASTMCP_JSON, BARE = "fastmcp", "fastmcp, JSON mode", "bare transport"


def contenders() -> list[Contender]:
    """Return all servers, ours first and the bare transport last."""
    return [
        _ours(OURS),
        _ours(OURS_BARE, "--no-capture"),
        _peer(OFFICIAL, "official.py"),
        Contender(OFFICIAL_JSON, http=lambda port: [*_program(peers.python(), "official.py"), str(port), "--json"]),
        _peer(FASTMCP, "with_fastmcp.py"),
        Contender(FASTMCP_JSON, http=lambda port: [*_program(peers.python(), "with_fastmcp.py"), str(port), "--json"]),
        Contender(
            BARE,
            _program(sys.executable, "bare.py"),
            lambda port: [*_program(sys.executable, "bare.py"), str(port)],
        ),
    ]


def _ours(name: str, *options: str) -> Contender:
    core = [sys.executable, "-m", "server_core", str(_SERVERS / "ours.py"), *options]
    return Contender(name, [*core, "--stdio"], lambda port: [*core, "--http", "--port", str(port)])


def _peer(name: str, program: str) -> Contender:
    command = _program(peers.python(), program)
    return Contender(name, command, lambda port: [*command, str(port)])


def _program(python: str, name: str) -> Command:
    return [python, str(_SERVERS / name)]
