"""Runs the command of a rule: the request as JSON on its stdin, the answer on its stdout.

Rule 1: it has a timeout; at its end, or when the question ends, the whole process group is killed.
Rule 2: what it writes is limited, and an error shows the last line of its stderr.
"""

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from workbench.model.rules.answer_rule import CommandAnswer
from workbench.model.rules.answering import CannotAnswer
from workbench.model.rules.tool_request import ToolRequest
from workbench.model.short_text import escaped, shortened

MAX_OUTPUT = 1_000_000
_MAX_ERRORS = 64_000
_CHUNK = 65_536
_REAPING_S = 2.0


async def run_command(answer: CommandAnswer, request: ToolRequest, folder: Path) -> str:
    """Return the text that a command writes for a request; CannotAnswer if it fails, hangs or writes too much."""
    name = answer.words[0]
    try:
        process = await asyncio.create_subprocess_exec(
            *answer.words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=folder,
            start_new_session=sys.platform != "win32",
        )
    except OSError as error:
        raise CannotAnswer(f"the command {name} cannot be started: {error.strerror or error}") from None
    try:
        async with asyncio.timeout(answer.timeout):
            return await _conversation(process, name, _input(request))
    except TimeoutError:
        raise CannotAnswer(f"the command {name} did not end within {answer.timeout:g} seconds") from None
    finally:
        _kill(process)
        await _reap(process)


def _input(request: ToolRequest) -> bytes:
    members = {"method": request.method, "tool": request.name, "params": request.params}
    return json.dumps(members, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


async def _conversation(process: asyncio.subprocess.Process, name: str, data: bytes) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    output, errors, _ = await asyncio.gather(
        _read_output(process, process.stdout), _read_end(process.stderr), _write(process.stdin, data)
    )
    if len(output) > MAX_OUTPUT:
        raise CannotAnswer(f"the command {name} wrote more than {MAX_OUTPUT:,} bytes")
    if code := await process.wait():
        lines = errors.decode("utf-8", "replace").strip().splitlines()
        reason = f": {shortened(escaped(lines[-1]), 200)}" if lines else ""
        raise CannotAnswer(f"the command {name} ended with code {code}{reason}")
    return output.decode("utf-8", "replace")


async def _read_output(process: asyncio.subprocess.Process, stream: asyncio.StreamReader) -> bytes:
    """Return what is written to stdout; beyond the limit the process is killed, and the rest is read for its end."""
    data = b""
    while chunk := await stream.read(_CHUNK):
        if len(data) <= MAX_OUTPUT and len(data := data + chunk) > MAX_OUTPUT:
            _kill(process)
    return data


async def _read_end(stream: asyncio.StreamReader) -> bytes:
    """Return the end of what is written to a stream, so that its writer never has to wait."""
    data = b""
    while chunk := await stream.read(_CHUNK):
        data = (data + chunk)[-_MAX_ERRORS:]
    return data


async def _write(stream: asyncio.StreamWriter, data: bytes) -> None:
    # A command need not read its input.
    with suppress(ConnectionError):
        stream.write(data)
        await stream.drain()
        stream.close()
        await stream.wait_closed()


async def _reap(process: asyncio.subprocess.Process) -> None:
    """Wait for the end of a process that was killed.

    asyncio sees its end only after that of its output; and of that, another process may still hold the other side.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(_REAPING_S):
            for stream in (process.stdout, process.stderr):
                while stream is not None and await stream.read(_CHUNK):
                    pass
            await process.wait()


def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
