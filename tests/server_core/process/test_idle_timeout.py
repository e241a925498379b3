"""An idle core ends; what counts as use."""

import asyncio
import json
from pathlib import Path

from server_core.core import Core
from server_core.process.core_run import wait_until_idle
from server_core.runtime.background import spawn
from server_core.transports.memory import MemoryChannel
from tests.small_project import small_project
from tests.waiting import until, within
from workbench.link.cores import find_core
from workbench.link.remote import RemoteLink


class Used(Core):
    """A core that is needed at the first looks."""

    looks = 0

    @property
    def is_in_use(self) -> bool:
        self.looks += 1
        return self.looks <= 8


async def test_a_core_is_idle_when_it_was_not_needed_for_long_enough(tmp_path: Path) -> None:
    core = Used(project=small_project(tmp_path), capture=False, link=False)
    records = core.tap.subscribe(None, lambda: None)
    await within(wait_until_idle(core, 0.04))
    # Four checks fit into that time: it restarted while the core was needed.
    assert core.looks > 8
    assert [json.loads(item.data)["event"] for item in records.drain()] == ["idle_stopped"]
    await core.stop()


async def test_zero_seconds_mean_never(tmp_path: Path) -> None:
    core = Used(project=small_project(tmp_path), capture=False, link=False)
    waiting = spawn(wait_until_idle(core, 0), "idle")
    await asyncio.sleep(0)
    assert not waiting.done()
    assert core.looks == 0
    waiting.cancel()
    await core.stop()


async def test_a_terminal_a_session_and_http_need_the_core(tmp_path: Path) -> None:
    core = Core(project=small_project(tmp_path), capture=False)
    await core.start()
    try:
        assert not core.is_in_use
        link = await RemoteLink.connect(find_core(core.id), role="viewer")
        assert core.is_in_use
        await link.close()
        await until(lambda: not core.is_in_use)
        channel = MemoryChannel(core)
        assert core.is_in_use
        await channel.close()
        await until(lambda: not core.is_in_use)
        await core.http.open("127.0.0.1", 0)
        assert core.is_in_use
    finally:
        await within(core.stop())
