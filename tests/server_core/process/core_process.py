"""A core that runs in a separate process."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from server_core.link.descriptor import Descriptor, descriptor_path
from server_core.protocol.jsonrpc import notification, request
from server_core.records.capture.capture_listing import list_captures
from server_core.records.capture.reader import open_capture
from server_core.records.tap import Kind, Record
from tests.commands import START, send_signal

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Process:
    """One running command."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    def send(self, method: str, params: dict[str, Any], id: int | None = None) -> None:
        assert self.process.stdin is not None
        message = notification(method, params) if id is None else request(id, method, params)
        self.process.stdin.write(message + b"\n")

    async def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = await asyncio.wait_for(self.process.stdout.readline(), START)
        message = json.loads(line)
        assert isinstance(message, dict)
        return message

    async def descriptor(self) -> Descriptor:
        async with asyncio.timeout(START):
            while not descriptor_path("c1").exists():
                assert self.process.returncode is None
                await asyncio.sleep(0.01)
        return Descriptor.read(descriptor_path("c1"))

    async def ended(self) -> tuple[int, str]:
        """Close its input, wait for its end, and return the exit code and its stderr."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        out, err = await asyncio.wait_for(self.process.communicate(), START)
        assert out == b""
        assert self.process.returncode is not None
        return self.process.returncode, err.decode()


@asynccontextmanager
async def core_process(*arguments: str | Path) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "server_core", "--core-id", "c1", *map(str, arguments)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=1 << 24,
    )
    try:
        yield Process(process)
    finally:
        send_signal(process, signal.SIGKILL)
        await asyncio.wait_for(process.communicate(), START)


def records() -> list[Record]:
    (info,) = list_captures()
    with open_capture(info.path) as capture:
        return list(capture.records())


def events() -> list[str]:
    return [json.loads(record.data)["event"] for record in records() if record.kind is Kind.LIFECYCLE]
