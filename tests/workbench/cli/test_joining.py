"""A folder is opened a second time: terminals share its core, unless there is a reason against it."""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from server_core.errors import ConnectionFailed
from server_core.link.descriptor import Descriptor
from tests.commands import START
from tests.server_core.process.core_process import core_process
from tests.small_project import small_project
from tests.workbench.cli.test_workspaces import ended, soon
from workbench.cli.workspaces import StartedCore
from workbench.client.target import Target
from workbench.link.cores import list_cores
from workbench.workspace.workspace import Workspace


@pytest.fixture
def target(tmp_path: Path) -> Target:
    """A project that a terminal opens."""
    return Target(project=small_project(tmp_path / "small"))


async def stopped(*opened: tuple[StartedCore, Workspace]) -> None:
    """Stop the cores, the joined ones as well."""
    for core, workspace in opened:
        await soon(workspace.stop())
        await ended(core)
    async with asyncio.timeout(START):
        while list_cores():
            await asyncio.sleep(0.01)


async def test_a_second_terminal_on_a_folder_joins_the_core_of_the_first(target: Target) -> None:
    first, second = StartedCore(target), StartedCore(target)
    owner = await soon(first())
    joined = await soon(second())
    assert joined.core.info["id"] == owner.core.info["id"]
    assert f"Joined the core {owner.core.info['id']}" in joined.notice
    assert "--fresh" in joined.notice
    assert owner.notice == ""
    await soon(joined.close())
    second.leave()
    assert [core.id for core in list_cores()] == [owner.core.info["id"]]
    await stopped((first, owner))


async def test_terminals_that_open_a_folder_at_once_share_a_core(target: Target) -> None:
    cores = [StartedCore(target) for _ in range(4)]
    workspaces = await soon(asyncio.gather(*(core() for core in cores)))
    assert len({workspace.core.info["id"] for workspace in workspaces}) == 1
    assert sum(core.process is not None for core in cores) == 1
    for workspace in workspaces:
        await soon(workspace.close())
    await stopped(
        *[(core, workspace) for core, workspace in zip(cores, workspaces, strict=True) if core.process is not None]
    )


async def test_a_terminal_gets_a_separate_core_on_request(target: Target) -> None:
    first, second = StartedCore(target), StartedCore(target, fresh=True)
    owner, other = await soon(first()), await soon(second())
    assert other.core.info["id"] != owner.core.info["id"]
    await stopped((first, owner), (second, other))


async def test_a_core_with_other_settings_is_not_joined_and_that_is_reported(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = StartedCore(target), StartedCore(target)
    owner = await soon(first())
    monkeypatch.setenv("WORKBENCH_THREAD_COUNT", "3")
    other = await soon(second())
    assert other.core.info["id"] != owner.core.info["id"]
    assert f"The core {owner.core.info['id']} serves this folder with other settings" in other.notice
    await stopped((first, owner), (second, other))


async def test_the_server_of_a_client_is_not_joined_but_named(target: Target) -> None:
    assert target.project is not None
    async with core_process(target.project, "--stdio") as client:
        await client.descriptor()
        core = StartedCore(target)
        workspace = await soon(core())
        assert workspace.core.info["id"] != "c1"
        assert "workbench attach c1" in workspace.notice
        await soon(workspace.stop())
        await ended(core)


async def test_a_core_that_does_not_answer_is_not_joined(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.cli.workspaces._JOIN_SECONDS", 0.2)
    first, second = StartedCore(target), StartedCore(target)
    owner = await soon(first())
    os.kill(int(owner.core.info["pid"]), signal.SIGSTOP)
    other = await soon(second())
    assert f"workbench stop {owner.core.info['id']}" in other.notice
    os.kill(int(owner.core.info["pid"]), signal.SIGCONT)
    await stopped((first, owner), (second, other))


async def test_a_joined_core_that_is_lost_is_replaced_by_a_core_of_the_terminal(target: Target) -> None:
    first, second = StartedCore(target), StartedCore(target)
    owner, joined = await soon(first()), await soon(second())
    os.kill(int(owner.core.info["pid"]), signal.SIGKILL)
    await soon(joined.link.closed.wait())
    await soon(joined.close())
    await soon(owner.close())
    again = await soon(second())
    assert again.core.info["id"] != owner.core.info["id"]
    await stopped((second, again))
    await ended(first)


async def test_terminals_whose_shared_core_was_killed_share_the_next_core(target: Target) -> None:
    cores = [StartedCore(target), StartedCore(target)]
    workspaces = [await soon(core()) for core in cores]
    os.kill(int(workspaces[0].core.info["pid"]), signal.SIGKILL)
    for workspace in workspaces:
        await soon(workspace.link.closed.wait())
        await soon(workspace.close())
    await ended(cores[0])
    again = await soon(asyncio.gather(*(core() for core in cores)))
    try:
        assert len({workspace.core.info["id"] for workspace in again}) == 1
    finally:
        for workspace in again:
            with suppress(ConnectionFailed):  # The first has stopped the core of both.
                await soon(workspace.stop())
    for core in cores:
        await ended(core)


async def test_a_core_shows_its_users_and_since_when_it_is_idle(target: Target) -> None:
    core = StartedCore(target)
    workspace = await soon(core())

    async def descriptor_with(**facts: object) -> Descriptor:
        async with asyncio.timeout(START):
            while not all(getattr(list_cores()[0], name) == value for name, value in facts.items()):
                await asyncio.sleep(0.01)
        return list_cores()[0]

    assert (await descriptor_with(terminals=1, clients=0)).idle_since is None
    await soon(workspace.close())
    assert (await descriptor_with(terminals=0)).idle_since is not None
    again = await soon(core())
    assert (await descriptor_with(terminals=1)).idle_since is None
    await stopped((core, again))
