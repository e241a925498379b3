"""`call` and `list` use a core that runs already, whose terminals show the messages."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server_core.core import Core
from server_core.records.capture.capture_listing import list_captures
from tests.commands import run
from tests.small_project import small_project


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    core = Core(project=small_project(tmp_path / "small"))
    await core.start()
    await core.wait_loaded()
    yield core
    await core.stop()


async def test_a_call_in_a_running_core_is_recorded_there_and_makes_no_capture_of_its_own(core: Core) -> None:
    before = core.tap.last_seq
    code, out, err = await run("call", "shout", "text=Ada", "--core", core.id[:6])
    assert (code, out.strip()) == (0, "ADA"), err
    assert core.tap.last_seq > before
    assert len(list_captures()) == 1
    assert "shout" in (await run("list", "--core", core.id))[1]


async def test_a_core_is_not_combined_with_another_server() -> None:
    code, _, err = await run("call", "shout", "--core", "abc", "--url", "http://127.0.0.1:1/mcp")
    assert (code, "choose one server" in err) == (2, True)
