"""The real command line, as a child process: what a person or a client would start.

Waits are bounded by :data:`START`, longer than elsewhere: a fresh interpreter takes a while on a busy machine.
"""

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.waiting import LIMIT

START = LIMIT * 4
"""Seconds within which a fresh process has said its first word or ended."""

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


@asynccontextmanager
async def serving_http(command: list[str], cwd: Path | None = None) -> AsyncIterator[str]:
    """Start a command that serves MCP over HTTP and tells its address on standard error.

    Yields:
        The address of its MCP endpoint.
    """
    process = await asyncio.create_subprocess_exec(
        *command, cwd=cwd, stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    said = ""
    try:
        async with asyncio.timeout(START):
            while not (address := re.search(r"http://127\.0\.0\.1:\d+/mcp", said)):
                line = await process.stderr.readline()
                assert line, f"{command} ended before it told its address: {said}"
                said += line.decode()
        yield address.group()
    finally:
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(START):
            await process.communicate()
