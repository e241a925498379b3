"""The time from saving a file of tools until a notified client has listed the new tools."""

import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import scaffolds
from benchmarks.figures import Figure
from benchmarks.wire import ServerProcess

ROUNDS = 11
LIMIT_MS = 150

FILE = '''"""A file that changes."""

from server_core import tool


@tool
def {name}() -> str:
    """Do it."""
    return ""
'''


def run() -> list[Figure]:
    """Repeatedly save a new tool into a served project."""
    with TemporaryDirectory() as folder:
        project = scaffolds.create("demo", "bench", Path(folder) / "demo")
        command = [sys.executable, "-m", "workbench", "serve", str(project), "--stdio", "--reload"]
        with ServerProcess(command) as server:
            server.initialize()
            server.initialized()
            server.request("tools/list")
            # The watcher is running once a first save has been noticed, however long that took.
            save(project, "first")
            server.await_message(method="notifications/tools/list_changed")
            times = [changed(server, project, f"tool_{number}") for number in range(ROUNDS)]
    return [Figure("save to `tools/list` with the new tool", median(times), LIMIT_MS, "ms")]


def changed(server: ServerProcess, project: Path, name: str) -> float:
    """Return the milliseconds from a save to the list that has the new tool."""
    started = time.perf_counter()
    save(project, name)
    server.await_message(method="notifications/tools/list_changed")
    names = [tool["name"] for tool in server.request("tools/list")["tools"]]
    elapsed = (time.perf_counter() - started) * 1000
    if name not in names:
        raise RuntimeError(f"{name} is not among the tools: {names}")
    return elapsed


def save(project: Path, name: str) -> None:
    """Write a file with a tool of this name."""
    (project / "tools" / "changing.py").write_text(FILE.format(name=name), encoding="utf-8")
