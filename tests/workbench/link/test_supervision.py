"""A core as a child process: started at once, found, seen to end, started again."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError, ConnectionFailed
from server_core.link.descriptor import Descriptor
from server_core.protocol.jsonrpc import request
from tests.commands import START
from tests.small_project import small_project
from workbench.client.session import ClientSession
from workbench.link.cores import list_cores
from workbench.link.remote import RemoteLink
from workbench.link.supervision import CoreProcess, start_core

CRASH = """
import os, sys, threading
from server_core import tool

@tool
def crash() -> str:
    for number in range(10):
        print("print", number)
    sys.stderr.write("last words\\n")
    os.abort()
"""


@pytest.fixture
async def started() -> AsyncIterator[Callable[[CoreProcess], CoreProcess]]:
    """Takes each core that a test starts, and ends it afterwards."""
    cores: list[CoreProcess] = []

    def note(core: CoreProcess) -> CoreProcess:
        cores.append(core)
        return core

    yield note
    for core in cores:
        await core.stop()


Started = Callable[[CoreProcess], CoreProcess]


async def descriptor(core: CoreProcess) -> Descriptor:
    return await asyncio.wait_for(core.descriptor(), START)


async def test_a_core_is_started_listed_and_stopped(tmp_path: Path, started: Started) -> None:
    core = started(start_core(small_project(tmp_path / "small")))
    core_descriptor = await descriptor(core)
    assert (core_descriptor.id, core_descriptor.pid) == (core.id, core.pid)
    assert [item.id for item in list_cores()] == [core.id]
    link = await RemoteLink.connect(core_descriptor)
    assert link.info["project"] == str(tmp_path / "small")
    assert core.post_mortem() == ""
    await core.stop()
    assert core.exit_code == 0
    assert list_cores() == []
    await link.close()


@pytest.mark.parametrize("file", ["email.py", "server_core/__init__.py"])
async def test_a_core_imports_nothing_of_its_own_from_the_current_folder(
    file: str, tmp_path: Path, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = small_project(tmp_path / "small")
    shadow = tmp_path / "current" / file
    shadow.parent.mkdir(parents=True)
    shadow.write_text("raise SystemExit('imported from the current folder')")
    monkeypatch.chdir(tmp_path / "current")
    core = started(start_core(project))
    await descriptor(core)
    assert core.running


async def test_a_core_is_ended_without_a_link_too(tmp_path: Path, started: Started) -> None:
    core = started(start_core(small_project(tmp_path / "small")))
    await descriptor(core)
    await core.stop()
    assert core.exit_code == 0
    await core.stop()


async def test_a_core_that_was_killed_is_described(tmp_path: Path, started: Started) -> None:
    core = started(start_core(small_project(tmp_path / "small")))
    link = await RemoteLink.connect(await descriptor(core))
    os.kill(core.pid, signal.SIGKILL)
    await asyncio.wait_for(link.closed.wait(), START)
    how = f"The core {core.id} (process {core.pid}) was killed by SIGKILL."
    assert core.post_mortem() == f"{how}\nIt wrote nothing to its stderr."
    await link.close()


async def test_the_last_output_of_a_crash_is_stored(tmp_path: Path, started: Started) -> None:
    (tmp_path / "tools.py").write_text(CRASH)
    core = started(start_core(tmp_path / "tools.py"))
    link = await RemoteLink.connect(await descriptor(core))
    channel = await link.open_session()
    initialize = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    await channel.send(request(1, "initialize", initialize))
    await channel.send(request(2, "tools/call", {"name": "crash", "arguments": {}}))
    await asyncio.wait_for(link.closed.wait(), START)
    report = core.post_mortem()
    assert "was killed by SIGABRT" in report
    assert "last words" in report
    _, heading, *lines = report.splitlines()
    assert heading == "Last lines on its stderr:"
    assert "print 0" not in lines
    assert len(lines) == 5
    await channel.close()
    await link.close()


CRASHES = """
import os, signal, subprocess, sys
from server_core import tool

@tool(requires_secrets=["API_KEY"])
def crash(how: str) -> str:
    subprocess.run(["sh", "-c", "echo child $API_KEY >&2"], env=os.environ | {"API_KEY": "hunter2-hunter2"})
    os.write(2, b"descriptor hunter2-hunter2\\n")
    print("stream hunter2-hunter2", file=sys.__stderr__, flush=True)
    print("known", file=sys.stderr)
    os.write(2, b"unfinished hunter2-hun")
    if how == "exit":
        os._exit(3)
    os.kill(os.getpid(), signal.SIGABRT if how == "abort" else signal.SIGKILL)
"""


@pytest.mark.parametrize("how", ["exit", "abort", "kill"])
async def test_no_secret_is_in_the_last_output_of_a_core(tmp_path: Path, started: Started, how: str) -> None:
    (tmp_path / "tools.py").write_text(CRASHES)
    (tmp_path / ".env").write_text("API_KEY=hunter2-hunter2\n")
    core = started(start_core(tmp_path / "tools.py"))
    link = await RemoteLink.connect(await descriptor(core))
    session = await ClientSession.open(await link.open_session())
    session.call_tool("crash", {"how": how})
    await asyncio.wait_for(link.closed.wait(), START)
    words = core.post_mortem()
    assert "hunter2" not in words
    for way in ("child", "descriptor", "stream"):
        assert f"{way} <secret API_KEY>" in words
    assert "known" in words
    await session.close()
    await link.close()


async def test_a_core_that_refuses_to_start_reports_the_reason(tmp_path: Path, started: Started) -> None:
    core = started(start_core(tmp_path / "nowhere"))
    with pytest.raises(ConfigurationError, match=r"^The file or folder .* does not exist"):
        await descriptor(core)
    assert "ended with exit code 2" in core.post_mortem()


async def test_a_core_that_ends_before_a_terminal_attaches_is_described(
    tmp_path: Path, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    core = started(start_core(tmp_path))
    with pytest.raises(ConnectionFailed, match="ended with exit code 1"):
        await descriptor(core)


async def test_a_core_that_does_not_start_in_time_is_abandoned(
    tmp_path: Path, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.link.supervision.START_SECONDS", 0.0)
    core = started(start_core(small_project(tmp_path / "small")))
    with pytest.raises(ConnectionFailed, match="did not open its link"):
        await core.descriptor()


async def test_a_core_that_does_not_listen_is_killed(
    tmp_path: Path, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.link.supervision.GRACE_SECONDS", 0.2)
    core = started(start_core(small_project(tmp_path / "small")))
    await descriptor(core)
    os.kill(core.pid, signal.SIGSTOP)
    await core.stop()
    assert core.exit_code == -signal.SIGKILL


async def test_another_server_is_relayed(tmp_path: Path, started: Started) -> None:
    core = started(start_core(upstream=["cat", "--", "-"]))
    core_descriptor = await descriptor(core)
    assert (core_descriptor.mode, core_descriptor.project) == ("relay", "cat -- -")


async def test_a_core_outlives_the_process_that_started_it(tmp_path: Path) -> None:
    folder = small_project(tmp_path / "small")
    code = "import pathlib, sys, workbench.link.supervision as s; s.start_core(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True, timeout=START)
    async with asyncio.timeout(START):
        while not list_cores():
            await asyncio.sleep(0.01)
    (core,) = list_cores()
    link = await RemoteLink.connect(core)
    # Nothing reads its stderr any more, and that must not end it.
    assert (await link.request("core/reload"))["ok"] is True
    await link.request("core/stop")
    await asyncio.wait_for(link.closed.wait(), START)
    await link.close()


NOISY = """
import os, subprocess
from server_core import tool

begun = []
NOISE = "read line; echo warning >&2; echo result"

@tool
def begin() -> str:
    begun.append(subprocess.Popen(["sh", "-c", NOISE], stdin=subprocess.PIPE, stdout=subprocess.PIPE))
    return "begun"

@tool
def end() -> str:
    return begun.pop().communicate(b"go\\n")[0].decode()

@tool
def run() -> str:
    return subprocess.run(["sh", "-c", NOISE], input=b"go\\n", stdout=subprocess.PIPE).stdout.decode()

@tool
def fill() -> str:
    os.write(2, b"warning " * 100_000)
    return "filled"
"""
"""Tools that start programs, which write to standard error."""


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has started a core for the tools above; whatever is left of the two is killed in the end."""
    (tmp_path / "tools.py").write_text(NOISY)
    code = "import pathlib, sys, time, workbench.link.supervision as s; s.start_core(pathlib.Path(sys.argv[1]))"
    command = [sys.executable, "-c", f"{code}; time.sleep(3600)", str(tmp_path / "tools.py")]
    with subprocess.Popen(command) as process:
        yield process
        process.kill()
    for core in list_cores():
        os.kill(core.pid, signal.SIGKILL)


async def test_programs_of_tools_can_write_to_standard_error_when_the_terminal_was_killed(
    terminal: subprocess.Popen[bytes],
) -> None:
    async with asyncio.timeout(START):
        while not list_cores():
            await asyncio.sleep(0.01)
        link = await RemoteLink.connect(list_cores()[0])
        session = await ClientSession.open(await link.open_session())

        async def result_of(tool: str) -> str:
            return str((await session.call_tool(tool, {}).result())["content"][0]["text"])

        assert await result_of("begin") == "begun"
        terminal.kill()
        terminal.wait()
        # It takes the core a moment to notice.
        while await result_of("run") != "result\n":
            pass
        if Path("/proc/self/fd").exists():
            assert await result_of("end") == "result\n"
        assert await result_of("fill") == "filled"
        await session.close()
        await link.close()


def test_starting_a_core_imports_the_standard_library_alone() -> None:
    code = "import workbench.link.supervision, workbench.link.cores, sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], check=True, timeout=START, capture_output=True, text=True)
    heavy = {"websockets", "jwt", "sqlite3", "pydantic", "platformdirs", "server_core.core"}
    assert set(run.stdout.split()) & heavy == set()
