"""The time from the start of a server on stdio to its response to `initialize`, against the official Python SDK's."""

import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import scaffolds
from benchmarks.figures import Figure, interleaved, ratio
from benchmarks.wire import ServerProcess

ROUNDS = 7

PEER = """
from mcp.server import MCPServer

server = MCPServer("peer")

@server.tool()
def greet(name: str) -> str:
    return f"Hello, {name}!"

server.run("stdio")
"""


def run() -> list[Figure]:
    """Measure both, alternately."""
    with TemporaryDirectory() as folder:
        peer = Path(folder) / "peer.py"
        peer.write_text(PEER, encoding="utf-8")

        def ours() -> float:
            return answered([sys.executable, "-m", "workbench", "serve", str(scaffolds.demo_folder()), "--stdio"])

        def theirs() -> float:
            return answered([sys.executable, str(peer)])

        our_times, their_times = interleaved(ROUNDS, ours, theirs)
    return [
        Figure("`serve --stdio`: spawn to `initialize` answer", median(our_times), None, "ms"),
        Figure("the official SDK's server", median(their_times), None, "ms"),
        Figure("ratio of the two", ratio(our_times, their_times), 1 / 8, "x"),
    ]


def answered(command: list[str]) -> float:
    """Return the milliseconds from the start of a server to its first response."""
    with ServerProcess(command) as server:
        return server.initialize()
