"""The real command line, as a child process: what a person or a client would start.

Waits are bounded by :data:`START`, longer than elsewhere: a fresh interpreter takes a while on a busy machine.
"""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.waiting import LIMIT

START = LIMIT * 4
"""Seconds within which a fresh process has written its first line or ended."""

WORKBENCH = [sys.executable, "-m", "workbench"]
"""The command `workbench` of the interpreter that runs the tests."""

DEMO = Path(__file__).parents[1] / "scaffolds" / "demo"
"""The demo project, in place."""


async def run(*arguments: str, cwd: Path | None = None, stdin: bytes = b"") -> tuple[int, str, str]:
    """Run `workbench` with these arguments to its end.

    Returns:
        The exit code, standard output and standard error.
    """
    process = await asyncio.create_subprocess_exec(
        *WORKBENCH,
        *arguments,
        cwd=cwd,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(START):
        out, err = await process.communicate(stdin)
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


def send_signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """Send a signal to a process of the event loop, unless it has ended.

    Its own `send_signal`, `terminate` and `kill` poll the process first, and may so take the exit status away from the
    event loop's child watcher, which then reports 255.
    """
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)


@contextlib.contextmanager
def serving_http(
    command: list[str], folder: Path, *, cwd: Path | None = None, environment: dict[str, str] | None = None
) -> Iterator[str]:
    """Start a command that serves MCP over HTTP and writes its URL to standard error.

    Args:
        command: what to start.
        folder: where to keep its output.
        cwd: where to start it.
        environment: more variables.

    Yields:
        The address of its MCP endpoint.
    """
    log = folder / "stderr.txt"
    variables = {**os.environ, **(environment or {})}
    with log.open("wb") as stderr:
        process = subprocess.Popen(command, cwd=cwd, env=variables, stdin=subprocess.DEVNULL, stderr=stderr)
    try:
        deadline = time.monotonic() + START
        while not (address := re.search(r"http://127\.0\.0\.1:\d+/mcp", log.read_text(encoding="utf-8"))):
            assert process.poll() is None, f"{command} ended before it wrote its URL: {log.read_text()}"
            assert time.monotonic() < deadline, f"{command} does not write its URL: {log.read_text()}"
            time.sleep(0.01)
        yield address.group()
    finally:
        process.terminate()
        process.wait(START)
