"""`workbench stop`: cores end, those of others only on request."""

import json
import signal
from pathlib import Path

import pytest

from tests.commands import run
from tests.server_core.test_running import Process, core_process
from tests.small_project import small_project
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


async def test_an_id_that_no_core_has_is_answered_with_those_that_run(folder: Path) -> None:
    async with core_process(folder) as core:
        await core.descriptor()
        code, _, err = await run("stop", "zz")
        assert code == 2
        assert "No core has the id 'zz'" in err
        assert "c1" in err
        core.process.terminate()
        await ended(core)


async def test_a_core_that_does_not_answer_is_ended_by_signals(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.link import stopping

    monkeypatch.setattr(stopping, "ANSWER", 0.1)
    monkeypatch.setattr(stopping, "SIGNAL", 0.1)
    async with core_process(folder) as core:
        descriptor = await core.descriptor()
        core.process.send_signal(signal.SIGSTOP)
        assert await stopping.stop_core(descriptor) == "SIGKILL"
        assert await ended(core) == -signal.SIGKILL


async def test_a_core_that_has_ended_meanwhile_counts_as_stopped(folder: Path) -> None:
    from workbench.link import stopping

    async with core_process(folder) as core:
        descriptor = await core.descriptor()
        core.process.kill()
        await ended(core)
        assert await stopping.stop_core(descriptor) == "order"


@pytest.mark.parametrize("words", [["a", "--all"], ["--force"]], ids=["both", "force alone"])
async def test_what_makes_no_sense_is_refused(words: list[str]) -> None:
    assert (await run("stop", *words))[0] == 2
