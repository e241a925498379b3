"""Secrets in the output of a core: each way to standard error masks them."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from server_core.records.tap import Kind
from tests.commands import START
from tests.server_core.process.core_process import INITIALIZE, Process, core_process, records

COMPLAINS = """
import os, subprocess, sys
from server_core import tool

@tool(requires_secrets=["API_KEY"])
def complain() -> str:
    subprocess.run(["sh", "-c", "echo child hunter2-hunter2 >&2"])
    os.write(2, b"descriptor hunter2-hunter2\\n")
    print("stream hunter2-hunter2", file=sys.__stderr__, flush=True)
    return "done"

@tool
def fill() -> str:
    os.write(2, b"warning " * 1_000_000)
    return "filled"
"""


COMPLAINED = [f"{way} <secret API_KEY>" for way in ("child", "descriptor", "stream")]


@pytest.fixture
def complaining(tmp_path: Path) -> Path:
    (tmp_path / ".env").write_text("API_KEY=hunter2-hunter2\n")
    tools = tmp_path / "tools.py"
    tools.write_text(COMPLAINS)
    return tools


async def test_secrets_are_masked_in_all_that_reaches_standard_error(complaining: Path) -> None:
    async with core_process(complaining, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        await core.answer()
        core.send("tools/call", {"name": "complain", "arguments": {}}, 2)
        assert (await core.answer())["result"]["content"][0]["text"] == "done"
        code, stderr = await core.ended()
    assert (code, stderr.splitlines()) == (0, COMPLAINED)
    assert [record.data.decode() for record in records() if record.kind is Kind.STDERR] == COMPLAINED


async def test_a_tool_continues_when_standard_error_is_not_read(complaining: Path) -> None:
    read, write = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "server_core", "--core-id", "c1", str(complaining), "--stdio"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=write,
    )
    core = Process(process)
    core.send("initialize", INITIALIZE, 1)
    await core.answer()
    core.send("tools/call", {"name": "fill", "arguments": {}}, 2)
    assert (await core.answer())["result"]["content"][0]["text"] == "filled"
    assert process.stdin is not None
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), START) == 0
    for fd in (read, write):
        os.close(fd)
