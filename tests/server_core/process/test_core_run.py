"""The command `python -m server_core`, run in a separate process."""

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from server_core.link.descriptor import Descriptor, descriptor_path
from server_core.records.capture.capture_listing import list_captures
from server_core.records.tap import Kind, Record
from tests.commands import START, send_signal
from tests.server_core.process.core_process import INITIALIZE, core_process, events, records
from workbench.link.cores import list_cores
from workbench.link.remote import RemoteLink


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


async def test_an_idle_core_with_a_client_on_stdio_ends_only_with_its_client(
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
