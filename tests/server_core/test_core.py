"""A core answers before it has loaded, records what it does, and ends without leaving anything behind."""

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from server_core import MCPApp
from server_core.core import Core
from server_core.errors import ConfigurationError
from server_core.protocol.jsonrpc import request
from server_core.records.capture.capture_listing import list_captures
from server_core.records.capture.reader import open_capture
from server_core.records.tap import Direction, Kind, Record
from server_core.runtime.background import spawn
from server_core.transports.memory import MemoryChannel
from server_core.transports.source import SessionSource
from tests.small_project import small_project
from tests.waiting import until, within
from workbench.link.cores import list_cores

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
# Tools that are loaded when the test lets them.
PATIENT = """
import time
from pathlib import Path
while not Path({gate!r}).exists():
    time.sleep(0.005)
from server_core import tool

@tool
def late() -> str:
    return "here"
"""
SILENT_SERVER = "import sys; sys.stdin.read()"


@asynccontextmanager
async def running_core(**options: Any) -> AsyncIterator[Core]:
    core = Core(**options)
    try:
        await core.start()
        yield core
    finally:
        await within(core.stop())


class Client:
    """A client in the same process that asks one thing at a time."""

    def __init__(self, core: SessionSource) -> None:
        self._channel = MemoryChannel(core)
        self._id = 0

    async def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self._id += 1
        await self._channel.send(request(self._id, method, params or {}))
        while True:
            message = json.loads(await asyncio.wait_for(self._channel.receive(), 20) or b"{}")
            if message.get("id") == self._id:
                assert isinstance(message, dict)
                return message


def events(core_records: list[Record]) -> list[str]:
    return [json.loads(record.data)["event"] for record in core_records if record.kind is Kind.LIFECYCLE]


@pytest.mark.parametrize(
    "sources", [{}, {"project": Path(), "upstream": "http://x/mcp"}], ids=["nothing", "two things"]
)
def test_a_core_serves_exactly_one_source(sources: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="exactly one of"):
        Core(**sources)


def test_a_missing_folder_is_reported_when_the_core_is_created(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not exist"):
        Core(project=tmp_path / "nowhere")


async def test_initialize_is_answered_before_the_tools_are_loaded_and_a_list_waits_for_them(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    tools = tmp_path / "tools.py"
    tools.write_text(PATIENT.format(gate=str(gate)))
    async with running_core(project=tools) as core:
        client = Client(core)
        assert (await client.ask("initialize", INITIALIZE))["result"]["serverInfo"]["name"] == "tools"
        assert not core.is_loaded
        assert core.generation is None
        gate.touch()
        listed = await client.ask("tools/list")
        assert [tool["name"] for tool in listed["result"]["tools"]] == ["late"]
        assert core.is_loaded


async def test_a_folder_that_is_deleted_before_it_is_read_leaves_no_request_waiting(tmp_path: Path) -> None:
    folder = small_project(tmp_path / "small")
    core = Core(project=folder, link=False, capture=False)
    shutil.rmtree(folder)
    await core.start()
    try:
        await within(core.wait_loaded())
        assert core.generation is not None
        assert [str(folder) in problem.message for problem in core.generation.problems] == [True]
    finally:
        await core.stop()


async def test_a_core_ends_even_while_the_tools_still_load(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    (tmp_path / "tools.py").write_text(PATIENT.format(gate=str(gate)))
    async with running_core(project=tmp_path / "tools.py") as core:
        assert not core.is_loaded
    assert core.stopped.is_set()
    gate.touch()


async def test_its_life_cycle_is_recorded_from_start_to_end(tmp_path: Path) -> None:
    async with running_core(project=small_project(tmp_path / "small")) as core:
        await asyncio.wait_for(core.wait_loaded(), 20)
        client = Client(core)
        await client.ask("initialize", INITIALIZE)
    (info,) = list_captures()
    assert info.project == "small"
    assert info.ended is not None
    with open_capture(info.path) as capture:
        records = list(capture.records())
        assert capture.meta["core"] == core.id
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    names = events(records)
    assert names[0] == "core_started"
    assert names[-1] == "core_stopped"
    assert {"loaded", "session_opened", "session_closed"} <= set(names)
    assert [record.direction for record in records if record.kind is Kind.REQUEST] == [Direction.IN]


async def test_a_core_that_stops_before_it_has_started_stores_its_records_too(tmp_path: Path) -> None:
    core = Core(project=small_project(tmp_path / "small"))
    await core.start(head_start=30.0)
    await within(core.stop())
    (info,) = list_captures()
    with open_capture(info.path) as capture:
        assert events(list(capture.records())) == ["core_started", "core_stopped"]


async def test_nothing_is_stored_on_disk_without_a_capture(tmp_path: Path) -> None:
    async with running_core(project=small_project(tmp_path / "small"), capture=False) as core:
        await asyncio.wait_for(core.wait_loaded(), 20)
        assert [record.seq for record in await core.backlog.get([1])] == [1]
    assert list_captures() == []


async def test_a_head_start_ends_with_the_first_answer(tmp_path: Path) -> None:
    core = Core(project=small_project(tmp_path / "small"))
    await core.start(head_start=600.0)
    client = Client(core)
    await client.ask("initialize", INITIALIZE)
    listed = await client.ask("tools/list")
    assert len(listed["result"]["tools"]) == 3
    await within(core.stop())


async def test_a_head_start_ends_by_itself_without_a_client(tmp_path: Path) -> None:
    core = Core(project=small_project(tmp_path / "small"), link=False)
    await core.start(head_start=0.001)
    await asyncio.wait_for(core.wait_loaded(), 20)
    await within(core.stop())


async def test_a_terminal_can_attach_though_the_tools_never_finish_loading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server_core.core.LOADING_TIMEOUT", 0.001)
    gate = tmp_path / "gate"
    (tmp_path / "tools.py").write_text(PATIENT.format(gate=str(gate)))
    core = Core(project=tmp_path / "tools.py")
    await core.start(head_start=0.001)
    await until(list_cores)
    assert not core.is_loaded
    await within(core.stop())
    gate.touch()


async def test_an_app_object_is_served_as_it_is() -> None:
    app = MCPApp("shop", "3.0", toolkit="")

    @app.tool
    def buy(item: str) -> str:
        """Buy something."""
        return item

    async with running_core(app=app, link=False) as core:
        client = Client(core)
        answer = await client.ask("initialize", INITIALIZE)
        assert answer["result"]["serverInfo"] == {"name": "shop", "version": "3.0.0", "title": "shop"}
        listed = await client.ask("tools/list")
        assert [tool["name"] for tool in listed["result"]["tools"]] == ["buy"]


async def test_a_relay_refuses_to_reload_and_has_no_secrets_or_accounts() -> None:
    async with running_core(upstream=[sys.executable, "-c", SILENT_SERVER], link=False) as core:
        assert core.mode == "relay"
        assert core.is_loaded
        refused: list[Callable[[], Awaitable[object]]] = [core.reload_now]
        for refuse in refused:
            with pytest.raises(ConfigurationError, match="relays another server"):
                await refuse()
        with pytest.raises(ConfigurationError, match="set its secrets where it runs"):
            core.set_secret("KEY", "value")


async def test_a_secret_is_masked_from_the_moment_that_it_is_set(tmp_path: Path) -> None:
    async with running_core(project=small_project(tmp_path / "small"), link=False) as core:
        core.set_secret("API_KEY", "not-to-be-seen")
        assert core.tap.emit(Kind.STDOUT, b"not-to-be-seen").data == b"<secret API_KEY>"
        core.unset_secret("API_KEY")
        assert core.tap.emit(Kind.STDOUT, b"not-to-be-seen").data == b"<secret API_KEY>"


async def test_a_terminal_is_shown_no_secret_that_a_tool_returns_but_a_client_has_its_answer(tmp_path: Path) -> None:
    async with running_core(project=small_project(tmp_path / "small"), link=False) as core:
        core.set_secret("API_KEY", "not-to-be-seen")
        for source, text in ((core, "<secret API_KEY>"), (core.server, "not-to-be-seen")):
            client = Client(source)
            await client.ask("initialize", INITIALIZE)
            answer = await client.ask("tools/call", {"name": "show_secret", "arguments": {}})
            assert answer["result"]["content"] == [{"type": "text", "text": text}]


async def test_a_secret_of_the_environment_is_masked_once_the_tools_that_need_it_are_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "from-the-environment")
    async with running_core(project=small_project(tmp_path / "small"), link=False) as core:
        await asyncio.wait_for(core.wait_loaded(), 20)
        assert core.tap.emit(Kind.STDOUT, b"from-the-environment").data == b"<secret API_KEY>"


async def test_tools_are_served_though_secrets_cannot_be_read(tmp_path: Path) -> None:
    folder = small_project(tmp_path / "small")
    (folder / ".env").write_bytes(b"API_KEY=\xff\xfe\n")
    async with running_core(project=folder, link=False) as core:
        await asyncio.wait_for(core.wait_loaded(), 20)
        records = await core.backlog.get(range(1, core.tap.last_seq + 1))
        assert "secrets_unreadable" in events(records)


async def test_a_saved_file_is_reloaded_on_request(tmp_path: Path) -> None:
    folder = small_project(tmp_path / "small")
    async with running_core(project=folder, reload=True, link=False) as core:
        await asyncio.wait_for(core.wait_loaded(), 20)
        tools = folder / "tools.py"
        seq = core.tap.last_seq
        while core.generation is not None and "fresh" not in core.generation.catalog.tools:
            # Written until it is seen: the watching begins at some moment after the first load.
            tools.write_text(tools.read_text() + "\n\n@tool\ndef fresh() -> str:\n    return 'new'\n")
            await within(core.backlog.wait_for_newer(seq))
        records = await core.backlog.get(range(seq, core.tap.last_seq + 1))
        assert "reloaded" in events(records)


async def test_two_terminals_that_want_http_at_once_get_the_same_url(tmp_path: Path) -> None:
    async with running_core(project=small_project(tmp_path / "small"), link=False) as core:
        first, second = await within(asyncio.gather(core.http.open("127.0.0.1", 0), core.http.open("127.0.0.1", 0)))
        assert first == second == core.http.url
    assert core.http.url is None


async def test_a_core_that_was_started_for_http_refuses_to_close_it(tmp_path: Path) -> None:
    async with running_core(project=small_project(tmp_path / "small"), link=False) as core:
        serving = spawn(core.http.serve("127.0.0.1", 0), "serve")
        await until(lambda: core.http.url)
        with pytest.raises(ConfigurationError, match="was started to serve HTTP"):
            await core.http.close()
        assert core.http.url is not None
        serving.cancel()
        await asyncio.wait({serving})


async def test_a_second_core_with_the_same_id_is_refused_and_the_first_continues(tmp_path: Path) -> None:
    folder = small_project(tmp_path / "small")
    async with running_core(project=folder, id="same") as first:
        second = Core(project=folder, id="same")
        with pytest.raises(ConfigurationError, match="is already running"):
            await second.start()
        await within(second.stop())
        assert not first.stopped.is_set()


async def test_an_id_that_cannot_be_the_name_of_a_file_is_refused(tmp_path: Path) -> None:
    core = Core(project=small_project(tmp_path / "small"), id="../up")
    with pytest.raises(ConfigurationError, match="cannot be the id"):
        await core.start()
    await within(core.stop())


async def test_stopping_twice_does_no_harm(tmp_path: Path) -> None:
    async with running_core(project=small_project(tmp_path / "small")) as core:
        await core.stop()
