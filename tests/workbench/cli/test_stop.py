"""`workbench stop`: cores end, those of others only on request."""

import asyncio
import json
import os
import signal
import socket
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from server_core.errors import ConnectionFailed
from server_core.link.descriptor import Descriptor, descriptor_path
from tests.commands import START, run, send_signal
from tests.server_core.process.core_process import Process, core_process
from tests.small_project import small_project
from workbench.cli.workspaces import RunningCore
from workbench.link import core_stop
from workbench.link.cores import list_cores


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_project(tmp_path / "small")


async def ended(core: Process) -> int:
    return await core.process.wait()


async def test_a_core_is_stopped_by_the_beginning_of_its_id(folder: Path) -> None:
    async with core_process(folder) as core:
        await core.descriptor()
        code, out, err = await run("stop", "c")
        assert (code, out) == (0, "")
        assert f"Stopped the core c1: {folder}" in err
        assert await ended(core) == 0
    assert list_cores() == []


async def test_the_server_of_a_client_is_stopped_only_by_name_or_by_force(folder: Path) -> None:
    async with core_process(folder, "--stdio") as core:
        await core.descriptor()
        assert (await run("stop", "--all"))[::2] == (0, "There is no core to stop.\n")
        code, _, err = await run("stop")
        assert code == 2
        assert "workbench stop c1" in err
        code, out, _ = await run("stop", "--all", "--force", "--json")
        assert code == 0
        (stopped,) = json.loads(out)
        assert (stopped["id"], stopped["by"]) == ("c1", "order")
        assert await ended(core) == 0


async def test_stopping_every_core_leaves_those_of_another_data_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with core_process(folder) as core:
        await core.descriptor()
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("WORKBENCH_HOME", str(tmp_path / "another"))
            code, _, err = await run("stop", "--all")
            assert (code, "There is no core to stop." in err, "workbench stop c1" in err) == (0, True, True)
            assert f"(data folder: {tmp_path / 'workbench-home'})" in (await run("ps"))[1]
        assert "data folder" not in (await run("ps"))[1]
        assert "Stopped the core c1" in (await run("stop", "--all"))[2]
        assert await ended(core) == 0


async def test_an_id_that_no_core_has_is_answered_with_those_that_run(folder: Path) -> None:
    async with core_process(folder) as core:
        await core.descriptor()
        code, _, err = await run("stop", "zz")
        assert code == 2
        assert "No core has the id 'zz'" in err
        assert "c1" in err
        send_signal(core.process, signal.SIGTERM)
        await ended(core)


async def test_a_core_that_does_not_answer_is_ended_by_signals(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_stop, "ANSWER_SECONDS", 0.1)
    monkeypatch.setattr(core_stop, "SIGTERM_SECONDS", 0.1)
    async with core_process(folder) as core:
        descriptor = await core.descriptor()
        send_signal(core.process, signal.SIGSTOP)
        assert await core_stop.stop_core(descriptor) == "SIGKILL"
        assert await ended(core) == -signal.SIGKILL


async def test_a_core_that_has_already_ended_counts_as_stopped(folder: Path) -> None:
    async with core_process(folder) as core:
        descriptor = await core.descriptor()
        send_signal(core.process, signal.SIGKILL)
        await ended(core)
        assert await core_stop.stop_core(descriptor) == "order"


@pytest.mark.parametrize("number", [signal.SIGSTOP, None], ids=["that hangs", "that answers"])
async def test_a_terminal_stops_a_core_that_it_has_joined(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals | None
) -> None:
    monkeypatch.setattr(core_stop, "ANSWER_SECONDS", 0.5 if number else 5.0)
    monkeypatch.setattr(core_stop, "SIGTERM_SECONDS", 0.1)
    async with core_process(folder) as core:
        await core.descriptor()
        workspace = await asyncio.wait_for(RunningCore("c1")(), START)
        if number is not None:
            send_signal(core.process, number)
        await asyncio.wait_for(workspace.stop(), START)
        assert await ended(core) == (-signal.SIGKILL if number else 0)


@pytest.mark.parametrize("is_listening", [False, True], ids=["nothing listens", "another program listens"])
async def test_a_process_that_reuses_the_pid_of_a_core_is_not_stopped(tmp_path: Path, is_listening: bool) -> None:
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE)
    path = str(tmp_path / "s.sock")
    core = Descriptor("c9", other.pid, "1", "/somewhere", "link", 0.0, path, "key")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        if is_listening:
            listener.listen()
            with pytest.raises(ConnectionFailed, match="is not the core c9"):
                await core_stop.stop_core(core)
        else:
            await core_stop.stop_core(core)
    assert other.returncode is None
    assert other.stdin is not None
    other.stdin.write(b"\n")
    assert await asyncio.wait_for(other.wait(), START) == 0


async def test_descriptors_that_cannot_be_read_keep_no_core_from_being_stopped(folder: Path) -> None:
    async with core_process(folder) as core:
        values = asdict(await core.descriptor())
        descriptor_path("bad").write_text(json.dumps(values | {"id": "bad", "pid": "1"}))
        os.mkfifo(descriptor_path("pipe"))
        code, _, err = await run("stop", "bad")
        assert code == 2
        assert "'pid' is not valid" in err
        code, _, err = await run("stop", "--all")
        assert code == 0
        assert err.count("cannot be read") == 2
        assert "Traceback" not in err
        assert await ended(core) == 0


@pytest.mark.parametrize("words", [["a", "--all"], ["--force"]], ids=["both", "force alone"])
async def test_invalid_arguments_are_refused(words: list[str]) -> None:
    assert (await run("stop", *words))[0] == 2
