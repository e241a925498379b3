"""Workspaces are opened on a core, wherever it runs."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from server_core.errors import ConfigurationError, ConnectionFailed
from server_core.records.capture.capture_listing import list_captures
from tests.commands import DEMO, START
from workbench.cli.workspaces import HostedCore, RunningCore, StartedCore
from workbench.client.target import Target
from workbench.link.cores import list_cores
from workbench.workspace.open_request import StartChoice
from workbench.workspace.workspace import Workspace

T = TypeVar("T")


async def soon(awaitable: Awaitable[T]) -> T:
    return await asyncio.wait_for(awaitable, START)


@asynccontextmanager
async def stopped(workspace: Workspace) -> AsyncIterator[Workspace]:
    try:
        yield workspace
    finally:
        await soon(workspace.stop())


Begin = Callable[[Target], StartedCore]


@pytest.fixture
async def begin() -> AsyncIterator[Begin]:
    """Takes a target, and returns what opens workspaces on it; a core that a failed test has left is stopped."""
    begun: list[StartedCore] = []

    def begin(target: Target) -> StartedCore:
        begun.append(StartedCore(target))
        return begun[-1]

    yield begin
    for core in begun:
        if core.process is not None:
            await core.process.stop()


async def ended(core: StartedCore) -> None:
    """Wait until the process has ended, which also lets the system forget it."""
    async with asyncio.timeout(START):
        while core.process is not None and core.process.running:
            await asyncio.sleep(0.01)


async def test_a_core_is_started_and_started_again_after_it_was_killed(begin: Begin) -> None:
    core = begin(Target(project=DEMO))
    workspace = await soon(core())
    assert workspace.core.info["project"] == str(DEMO)
    first = int(workspace.core.info["pid"])
    os.kill(first, signal.SIGKILL)
    await soon(workspace.link.closed.wait())
    await soon(workspace.close())
    await ended(core)
    async with stopped(await soon(core())) as again:
        assert again.core.info["pid"] != first
    core.leave()
    await ended(core)
    assert list_cores() == []


async def test_another_server_takes_the_place_of_the_first(tmp_path: Path, begin: Begin) -> None:
    core = begin(Target(project=tmp_path))
    workspace = await soon(core())
    first = int(workspace.core.info["pid"])
    await soon(workspace.close())
    server = str(Path(__file__).with_name("foreign_server.py"))
    async with stopped(await soon(core(StartChoice(command=(sys.executable, server))))) as other:
        assert first not in [item.pid for item in list_cores()]
        assert other.session is not None
        assert other.session.server_info["name"] == "foreign"
    await ended(core)


async def test_a_core_whose_workspace_never_opened_ends_when_it_is_left(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(workspace: Workspace) -> None:
        raise ConnectionFailed("The first session cannot begin.")

    monkeypatch.setattr(Workspace, "open", fail)
    core = begin(Target(project=DEMO))
    with pytest.raises(ConnectionFailed, match="cannot begin"):
        await soon(core())
    assert len(list_cores()) == 1
    core.leave()
    await ended(core)
    assert list_cores() == []


async def test_a_core_in_this_process_ends_with_its_workspace() -> None:
    workspace = await soon(HostedCore(Target(project=DEMO))())
    assert workspace.core.info["pid"] == os.getpid()
    assert list_cores() == []
    await soon(workspace.stop())
    (capture,) = list_captures()
    assert capture.ended is not None


async def test_the_roots_are_the_folder_of_the_project_and_not_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    core = HostedCore(Target(project=DEMO))
    workspace = await soon(core())
    assert [root["uri"] for root in workspace.roots] == [DEMO.resolve().as_uri()]
    await soon(core.leave())


async def test_a_terminal_that_is_opened_again_gets_the_same_workspace_of_a_core_in_this_process() -> None:
    core = HostedCore(Target(project=DEMO))
    workspace = await soon(core())
    assert await soon(core()) is workspace
    await soon(core.leave())
    (capture,) = list_captures()
    assert capture.ended is not None
    again = await soon(core())
    assert again is not workspace
    await soon(core.leave())


async def test_a_core_that_runs_already_continues_when_its_workspace_is_left(begin: Begin) -> None:
    started = begin(Target(project=DEMO))
    async with stopped(await soon(started())) as owner:
        core = RunningCore(owner.core.info["id"])
        workspace = await soon(core())
        assert workspace.core.info["id"] == owner.core.info["id"]
        await soon(workspace.close())
        core.leave()
        assert [item.id for item in list_cores()] == [owner.core.info["id"]]
    await ended(started)
    with pytest.raises(ConfigurationError, match="No core is running"):
        await soon(RunningCore(owner.core.info["id"])())


async def test_a_terminal_joins_the_next_core_of_the_folder_when_the_core_it_was_attached_to_has_ended(
    begin: Begin,
) -> None:
    started = begin(Target(project=DEMO))
    async with stopped(await soon(started())) as owner:
        core = RunningCore(owner.core.info["id"])
        await soon((await soon(core())).close())
    await ended(started)
    other = begin(Target(project=DEMO))
    async with stopped(await soon(other())) as owner:
        workspace = await soon(core())
        assert workspace.core.info["id"] == owner.core.info["id"]
        await soon(workspace.close())
    await ended(other)


async def test_a_terminal_starts_a_core_on_the_folder_when_the_core_it_was_attached_to_has_ended(begin: Begin) -> None:
    started = begin(Target(project=DEMO))
    async with stopped(await soon(started())) as owner:
        core = RunningCore(owner.core.info["id"])
        await soon((await soon(core())).close())
    await ended(started)
    async with stopped(await soon(core())) as workspace:
        assert workspace.core.info["id"] != owner.core.info["id"]
        assert workspace.core.info["project"] == str(DEMO)
    core.leave()


async def test_the_server_of_an_ended_relay_is_named_when_it_cannot_be_started_again(begin: Begin) -> None:
    started = begin(Target(command=("no-such-command-anywhere",)))
    async with stopped(await soon(started())) as owner:
        core = RunningCore(owner.core.info["id"])
        await soon((await soon(core())).close())
    await ended(started)
    with pytest.raises(
        ConfigurationError, match=r"has ended, .* cannot be started from here: no-such-command-anywhere"
    ):
        await soon(core())


async def test_an_invalid_target_is_refused() -> None:
    with pytest.raises(ConfigurationError):
        await soon(HostedCore(Target(project=DEMO))(StartChoice(url="localhost:8000")))


async def test_the_target_of_the_command_line_is_opened_again_after_another_that_was_refused(begin: Begin) -> None:
    core = begin(Target(project=DEMO))
    workspace = await soon(core())
    first = workspace.core.info["id"]
    await soon(workspace.close())
    with pytest.raises(ConfigurationError):
        await soon(core(StartChoice(url="localhost:8000")))
    async with stopped(await soon(core())) as again:
        assert again.core.info["id"] == first
    await ended(core)


async def test_a_server_that_cannot_be_started_is_lost_and_its_core_lives(begin: Begin) -> None:
    core = begin(Target(command=("no-such-command-anywhere",)))
    async with stopped(await soon(core())) as workspace:
        assert "no-such-command-anywhere" in workspace.server_lost
        assert workspace.connected
        assert len(list_cores()) == 1
    await ended(core)
