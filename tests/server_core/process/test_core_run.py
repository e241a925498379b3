"""The command `python -m server_core`, run in a separate process."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from server_core.link.descriptor import Descriptor, descriptor_path
from server_core.protocol.jsonrpc import notification, request
from server_core.records.capture.capture_listing import list_captures
from server_core.records.capture.reader import open_capture
from server_core.records.tap import Kind, Record
from tests.commands import START, send_signal
from tests.small_project import small_project
from workbench.link.cores import list_cores
from workbench.link.remote import RemoteLink

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


@pytest.fixture(autouse=True)
def hangups() -> Iterator[None]:
    """Have processes that start see hangups, also where the tests themselves run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_project(tmp_path / "small")


def records() -> list[Record]:
    (info,) = list_captures()
    with open_capture(info.path) as capture:
        return list(capture.records())


def events() -> list[str]:
    return [json.loads(record.data)["event"] for record in records() if record.kind is Kind.LIFECYCLE]


async def test_a_client_on_stdio_is_served_until_it_closes_its_end_and_all_of_it_is_recorded(folder: Path) -> None:
    async with core_process(folder, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        core.send("notifications/initialized", {})
        core.send("tools/call", {"name": "shout", "arguments": {"text": "hey"}}, 2)
        assert (await core.answer())["result"]["serverInfo"]["name"] == "small"
        assert (await core.answer())["result"]["content"] == [{"type": "text", "text": "HEY"}]
        code, err = await core.ended()
    assert code == 0
    # What the tool printed went nowhere near the wire.
    assert "printed by shout" in err
    kept = records()
    assert [record.seq for record in kept] == list(range(1, len(kept) + 1))
    (printed,) = [record for record in kept if record.kind is Kind.STDOUT]
    assert (printed.data, printed.call) == (b"printed by shout", "2")
    assert events()[0] == "core_started"
    assert events()[-1] == "core_stopped"


async def test_a_client_that_sends_all_at_once_and_leaves_is_answered(folder: Path) -> None:
    async with core_process(folder, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        core.send("tools/list", {}, 2)
        assert core.process.stdin is not None
        core.process.stdin.write_eof()
        await core.answer()
        assert len((await core.answer())["result"]["tools"]) == 3
        assert await core.ended() == (0, "")


async def test_a_terminal_attaches_to_the_process_that_a_client_started_and_sees_it_from_the_start(
    folder: Path,
) -> None:
    async with core_process(folder, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        await core.answer()
        link = await RemoteLink.connect(await core.descriptor())
        assert link.info["mode"] == "stdio"
        came = asyncio.Event()
        link.on_records = came.set
        await link.subscribe()
        core.send("tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}}, 2)
        await core.answer()
        seen: list[Record] = []
        async with asyncio.timeout(START):
            while not any(b'"structuredContent"' in record.data for record in seen):
                await came.wait()
                came.clear()
                seen += link.drain(100)
        assert [record.seq for record in seen] == list(range(1, len(seen) + 1))
        assert b"core_started" in seen[0].data
        await link.request("core/stop")
        assert await core.ended() == (0, "")
        await link.close()


async def test_http_writes_its_url_and_ends_cleanly_when_terminated(folder: Path) -> None:
    async with core_process(folder, "--http", "--port", "0") as core:
        assert core.process.stderr is not None
        line = (await asyncio.wait_for(core.process.stderr.readline(), START)).decode()
        assert f"serving {folder} at http://127.0.0.1:" in line
        assert line.rstrip().endswith("/mcp")
        assert (await core.descriptor()).http == line.split()[-1]
        send_signal(core.process, signal.SIGTERM)
        assert await core.ended() == (0, "")
    assert list_cores() == []
    assert events()[-1] == "core_stopped"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130), (signal.SIGHUP, 0)])
async def test_a_signal_ends_the_process_cleanly(folder: Path, number: signal.Signals, code: int) -> None:
    async with core_process(folder) as core:
        await core.descriptor()
        send_signal(core.process, number)
        assert await core.ended() == (code, "")
    assert events()[-1] == "core_stopped"
    assert os.listdir(os.environ["WORKBENCH_RUNTIME"]) == []


async def test_a_tool_that_never_returns_does_not_keep_it_from_ending(tmp_path: Path) -> None:
    tools = tmp_path / "tools.py"
    tools.write_text(
        "import threading\nfrom server_core import tool\n\n@tool\ndef hang() -> str:\n"
        "    print('hanging', flush=True)\n    threading.Event().wait()\n    return ''\n"
    )
    async with core_process(tools) as core:
        link = await RemoteLink.connect(await core.descriptor())
        channel = await link.open_session()
        await channel.send(request(1, "initialize", INITIALIZE))
        await channel.send(request(2, "tools/call", {"name": "hang", "arguments": {}}))
        assert core.process.stderr is not None
        assert await asyncio.wait_for(core.process.stderr.readline(), START) == b"hanging\n"
        send_signal(core.process, signal.SIGTERM)
        assert (await core.ended())[0] == 0
        await channel.close()
        await link.close()


@pytest.mark.parametrize("end", ["eof", "SIGTERM", "SIGINT", "SIGTERM twice", "SIGINT twice"])
@pytest.mark.parametrize(
    "body",
    [
        "time.sleep(3600)",
        "\n    while True:\n        try: await asyncio.sleep(3600)\n        except BaseException: pass",
    ],
    ids=["holds up the event loop", "refuses to be cancelled"],
)
async def test_an_async_tool_that_does_not_end_does_not_keep_it_from_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, end: str
) -> None:
    monkeypatch.setenv("WORKBENCH_SHUTDOWN_GRACE", "60" if "twice" in end else "0.1")
    tools = tmp_path / "tools.py"
    tools.write_text(
        "import asyncio, time\nfrom server_core import tool\n\n@tool\nasync def hang() -> str:\n"
        f"    print('hanging', flush=True)\n    {body}\n"
    )
    async with core_process(tools, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        await core.answer()
        core.send("tools/call", {"name": "hang", "arguments": {}}, 2)
        assert core.process.stderr is not None
        assert await asyncio.wait_for(core.process.stderr.readline(), START) == b"hanging\n"
        if end.startswith("SIG"):
            send_signal(core.process, signal.Signals[end.split()[0]])
        if "twice" in end:
            # Two that come at once may be taken for one.
            while core.process.returncode is None:
                send_signal(core.process, signal.Signals[end.split()[0]])
                await asyncio.sleep(0.01)
        code, err = await core.ended()
    assert code == (130 if "SIGINT" in end else 0)
    assert ("a tool is still running" in err) == ("twice" not in end)
    if "twice" not in end:
        assert events()[-1] == "core_stopped"


async def test_where_no_thread_can_be_started_any_more_a_tool_does_not_keep_it_from_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without memory for its first step, a new thread never reports that it has started.
    monkeypatch.setenv("WORKBENCH_SHUTDOWN_GRACE", "0.1")
    tools = tmp_path / "tools.py"
    tools.write_text(
        "import threading, time\nfrom server_core import tool\n\n@tool\nasync def hang() -> str:\n"
        "    threading.Thread.start = lambda self: threading.Event().wait()\n"
        "    print('hanging', flush=True)\n    time.sleep(3600)\n"
    )
    async with core_process(tools, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        await core.answer()
        core.send("tools/call", {"name": "hang", "arguments": {}}, 2)
        assert core.process.stderr is not None
        assert await asyncio.wait_for(core.process.stderr.readline(), START) == b"hanging\n"
        send_signal(core.process, signal.SIGTERM)
        assert (await core.ended())[0] == 0


async def test_a_hangup_that_was_ignored_from_the_start_ends_nothing(folder: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        async with core_process(folder, "--stdio") as core:
            core.send("initialize", INITIALIZE, 1)
            await core.answer()
            # Signals are handled from before the second answer on, and some answers may precede the end.
            core.send("ping", {}, 2)
            await core.answer()
            send_signal(core.process, signal.SIGHUP)
            for id in range(3, 20):
                core.send("ping", {}, id)
                assert (await core.answer())["id"] == id
            assert await core.ended() == (0, "")
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_call_on_stdio_that_runs_when_a_signal_comes_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setenv("WORKBENCH_SHUTDOWN_GRACE", "3600")
    tools = tmp_path / "tools.py"
    tools.write_text(
        "import asyncio, signal\nfrom server_core import tool\n\n@tool\nasync def last() -> str:\n"
        f"    ours, came = signal.getsignal({number:d}), asyncio.Event()\n"
        "    def take(*given):\n        ours(*given)\n        loop.call_soon_threadsafe(came.set)\n"
        f"    loop = asyncio.get_running_loop()\n    signal.signal({number:d}, take)\n"
        "    print('running', flush=True)\n    await came.wait()\n"
        "    for _ in range(100): await asyncio.sleep(0)\n    return 'answered'\n"
    )
    async with core_process(tools, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        await core.answer()
        core.send("tools/call", {"name": "last", "arguments": {}}, 2)
        assert core.process.stderr is not None
        assert await asyncio.wait_for(core.process.stderr.readline(), START) == b"running\n"
        send_signal(core.process, number)
        assert (await core.answer())["result"]["content"][0]["text"] == "answered"
        code, _ = await core.ended()
    assert code == (130 if number is signal.SIGINT else 0)


async def test_a_tool_that_refuses_to_be_cancelled_costs_no_second_grace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_SHUTDOWN_GRACE", "3600")
    tools = tmp_path / "tools.py"
    tools.write_text(
        "import asyncio\nfrom server_core import tool\n\n@tool\nasync def hang() -> str:\n"
        "    print('hanging', flush=True)\n    while True:\n"
        "        try: await asyncio.sleep(3600)\n        except BaseException: pass\n"
    )
    async with core_process(tools) as core:
        link = await RemoteLink.connect(await core.descriptor())
        channel = await link.open_session()
        await channel.send(request(1, "initialize", INITIALIZE))
        await channel.send(request(2, "tools/call", {"name": "hang", "arguments": {}}))
        assert core.process.stderr is not None
        assert await asyncio.wait_for(core.process.stderr.readline(), START) == b"hanging\n"
        # A terminal's calls get no grace, so what is left is the tool alone.
        send_signal(core.process, signal.SIGTERM)
        code, err = await core.ended()
        await channel.close()
        await link.close()
    assert code == 0
    assert "a tool is still running" in err


async def test_tools_that_never_finish_loading_do_not_keep_it_from_ending(tmp_path: Path) -> None:
    tools = tmp_path / "tools.py"
    tools.write_text("from server_core import tool\nprint('loading', flush=True)\nwhile True:\n    pass\n")
    async with core_process(tools) as core:
        assert core.process.stderr is not None
        assert await asyncio.wait_for(core.process.stderr.readline(), START) == b"loading\n"
        send_signal(core.process, signal.SIGTERM)
        assert (await core.ended())[0] == 0


async def test_the_files_of_a_killed_core_are_deleted_by_the_next_listing(folder: Path) -> None:
    async with core_process(folder) as core:
        link = await RemoteLink.connect(await core.descriptor())
        send_signal(core.process, signal.SIGKILL)
        assert (await core.ended())[0] == -signal.SIGKILL
        await asyncio.wait_for(link.closed.wait(), START)
        await link.close()
    assert len(os.listdir(os.environ["WORKBENCH_RUNTIME"])) == 2
    assert list_cores() == []
    assert os.listdir(os.environ["WORKBENCH_RUNTIME"]) == []


async def test_the_id_of_a_killed_core_can_be_used_again(folder: Path) -> None:
    async with core_process(folder) as core:
        await core.descriptor()
        send_signal(core.process, signal.SIGKILL)
        await core.ended()
    first = Descriptor.read(descriptor_path("c1"))
    async with core_process(folder) as core:
        async with asyncio.timeout(START):
            while Descriptor.read(descriptor_path("c1")).pid == first.pid:
                await asyncio.sleep(0.01)
        assert [item.pid for item in list_cores()] == [core.process.pid]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["/nowhere/at/all"], "workbench: The file or folder /nowhere/at/all does not exist"),
        (["--loud"], "workbench: Unknown option --loud"),
    ],
    ids=["missing folder", "unknown option"],
)
async def test_a_project_that_cannot_be_served_is_explained_in_a_sentence(arguments: list[str], complaint: str) -> None:
    async with core_process(*arguments) as core:
        code, err = await core.ended()
    assert code == 2
    assert err.startswith(complaint)
    assert "Traceback" not in err
    assert list_captures() == []


async def test_a_port_in_use_is_explained_in_a_sentence(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        async with core_process(folder, "--http", "--port", str(port)) as core:
            code, err = await core.ended()
    assert code == 2
    assert f"workbench: Port {port} on 127.0.0.1 is in use" in err
    assert "Traceback" not in err


async def test_a_setting_that_is_no_number_is_explained_in_a_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_THREAD_COUNT", "many")
    async with core_process(folder) as core:
        code, err = await core.ended()
    assert code == 2
    assert "WORKBENCH_THREAD_COUNT is 'many'" in err


async def test_a_client_is_served_without_the_link_and_the_reason_is_written_once(folder: Path) -> None:
    Path(os.environ["WORKBENCH_RUNTIME"]).chmod(0o777)
    async with core_process(folder, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        assert (await core.answer())["id"] == 1
        assert core.process.stderr is not None
        note = (await asyncio.wait_for(core.process.stderr.readline(), START)).decode()
        assert note.startswith("workbench: no terminal can attach to this server: Others can write to")
        assert "WORKBENCH_RUNTIME" in note
        core.send("notifications/initialized", {})
        core.send("tools/call", {"name": "shout", "arguments": {"text": "hey"}}, 2)
        assert (await core.answer())["id"] == 2
        code, more = await core.ended()
        assert code == 0
        assert "terminal" not in more
    assert "link_failed" in events()


async def test_http_is_served_without_the_link_and_its_owner_is_warned(folder: Path) -> None:
    Path(os.environ["WORKBENCH_RUNTIME"]).chmod(0o777)
    async with core_process(folder, "--http", "--port", "0") as core:
        assert core.process.stderr is not None
        lines = [(await asyncio.wait_for(core.process.stderr.readline(), START)).decode() for _ in range(2)]
        assert lines[0].startswith("workbench: no terminal can attach to this server: Others can write to")
        assert "at http://127.0.0.1:" in lines[1]
        send_signal(core.process, signal.SIGTERM)
        assert (await core.ended())[0] == 0


async def test_another_server_is_relayed_on_stdio(folder: Path) -> None:
    other = (sys.executable, "-m", "server_core", str(folder), "--stdio")
    async with core_process("--stdio", "--", *other) as core:
        core.send("initialize", INITIALIZE, 1)
        assert (await core.answer())["result"]["serverInfo"]["name"] == "small"
        core.send("notifications/initialized", {})
        core.send("tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}}, 2)
        assert (await core.answer())["result"]["structuredContent"] == {"result": 3}
        assert (await core.ended())[0] == 0


async def test_help_describes_the_usage() -> None:
    async with core_process("--help") as core:
        code, err = await core.ended()
    assert code == 0
    assert err.startswith("usage: python -m server_core")


async def test_a_core_for_terminals_ends_by_itself_when_it_is_idle(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_IDLE_SECONDS", "0.2")
    async with core_process(folder) as core:
        assert await asyncio.wait_for(core.process.wait(), START) == 0
    assert "idle_stopped" in events()
    assert events()[-1] == "core_stopped"
    assert list_cores() == []


async def test_a_core_with_a_client_on_stdio_ends_with_its_client_however_idle(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_IDLE_SECONDS", "0.01")
    async with core_process(folder, "--stdio") as core:
        core.send("initialize", INITIALIZE, 1)
        await core.answer()
        core.send("notifications/initialized", {})
        core.send("tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}}, 2)
        assert (await core.answer())["id"] == 2
        assert await core.ended() == (0, "")
    assert "idle_stopped" not in events()


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
