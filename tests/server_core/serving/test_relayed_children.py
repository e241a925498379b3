"""A core that relays a program which it has started: neither outlives the other unnoticed."""

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.commands import START, send_signal
from tests.server_core.process.core_process import INITIALIZE, Process, core_process
from workbench.link.remote import RemoteLink

STUBBORN = """
import pathlib, signal, subprocess, sys, threading
signal.signal(signal.SIGTERM, signal.SIG_IGN)
code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"
child = subprocess.Popen([sys.executable, "-c", code])
pathlib.Path(sys.argv[1]).write_text(f"{child.pid}")
threading.Event().wait()
"""
"""Answers nothing, ignores the end of its input and SIGTERM, and has a child that does."""


async def written(file: Path) -> int:
    """Return the process number in a file, once it is there."""
    async with asyncio.timeout(START):
        while not (file.exists() and file.read_text()):
            await asyncio.sleep(0.01)
    return int(file.read_text())


def is_gone(pid: int) -> bool:
    """Return whether a process has ended, even if its parent has not waited for it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


async def close_input(core: Process) -> None:
    assert core.process.stdin is not None
    core.process.stdin.close()


async def terminate(core: Process) -> None:
    send_signal(core.process, signal.SIGTERM)


async def terminate_twice(core: Process) -> None:
    send_signal(core.process, signal.SIGINT)
    send_signal(core.process, signal.SIGTERM)


async def stop_over_the_link(core: Process) -> None:
    link = await RemoteLink.connect(await core.descriptor())
    await link.request("core/stop")
    await link.close()


@pytest.mark.parametrize(
    "end",
    [close_input, terminate, terminate_twice, stop_over_the_link],
    ids=["EOF", "SIGTERM", "twice", "core/stop"],
)
async def test_a_stubborn_upstream_server_and_its_children_end_with_the_core(
    tmp_path: Path, end: Callable[[Process], Awaitable[None]]
) -> None:
    file = tmp_path / "child"
    async with core_process("--stdio", "--", sys.executable, "-c", STUBBORN, file) as core:
        child = await written(file)
        await end(core)
        await asyncio.wait_for(core.process.wait(), START)
    await wait_for_exit(child)


@pytest.mark.parametrize("is_stopped", [False, True], ids=["idle", "core/stop"])
async def test_a_stubborn_upstream_server_of_a_terminal_ends_with_the_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_stopped: bool
) -> None:
    monkeypatch.setenv("WORKBENCH_IDLE_SECONDS", "0" if is_stopped else "2")
    file = tmp_path / "child"
    async with core_process("--", sys.executable, "-c", STUBBORN, file) as core:
        link = await RemoteLink.connect(await core.descriptor())
        session = await link.open_session()
        child = await written(file)
        if is_stopped:
            await link.request("core/stop")
        await session.close()
        await link.close()
        await asyncio.wait_for(core.process.wait(), START)
    await wait_for_exit(child)


async def wait_for_exit(child: int) -> None:
    """Wait until a process has ended."""
    async with asyncio.timeout(START):
        while not is_gone(child):
            await asyncio.sleep(0.01)


async def stderr_of(core: Process) -> str:
    assert core.process.stderr is not None
    return (await asyncio.wait_for(core.process.stderr.read(), START)).decode()


async def test_a_core_on_stdio_ends_with_its_upstream_server_and_reports_how_that_ended(tmp_path: Path) -> None:
    end = "print('out of beans', file=sys.stderr, flush=True); os.kill(os.getpid(), 9)"
    script = f"import os, sys; sys.stdin.readline(); {end}"
    async with core_process("--stdio", "--", sys.executable, "-c", script) as core:
        core.send("initialize", INITIALIZE, 1)
        assert "was killed by SIGKILL" in (await core.answer())["error"]["message"]
        err = await stderr_of(core)
        assert await asyncio.wait_for(core.process.wait(), START) == 3
    assert "workbench: The server was killed by SIGKILL." in err
    assert "out of beans" in err


async def test_a_core_on_stdio_whose_upstream_server_cannot_be_started_reports_this() -> None:
    async with core_process("--stdio", "--", "no-such-command") as core:
        assert "Cannot start 'no-such-command'" in await stderr_of(core)
        assert await asyncio.wait_for(core.process.wait(), START) == 3
