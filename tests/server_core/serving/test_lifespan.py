"""What an app opens is there for its tools: before the first call, through reloads, and until the last one is over."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from server_core import Context, MCPApp
from server_core.core import Core
from server_core.settings import Settings
from server_core.transports.memory import MemoryChannel
from tests.server_core.toolkit import Records
from tests.waiting import until, within
from workbench.client.session import ClientSession

pytestmark = pytest.mark.promises("app", "context")

SETTINGS = Settings(shutdown_grace=0.2)
Run = Callable[..., Awaitable[Core]]


@pytest.fixture
async def run() -> AsyncIterator[Run]:
    """Starts cores that are stopped at the end."""
    cores: list[Core] = []

    async def start(**source: Any) -> Core:
        core = Core(settings=SETTINGS, capture=False, link=False, **source)
        cores.append(core)
        await core.start()
        return core

    yield start
    for core in cores:
        await within(core.stop())


async def called(core: Core, tool: str) -> str:
    client = await within(ClientSession.open(MemoryChannel(core.server)))
    try:
        return str((await within(client.call_tool(tool, {}).result()))["content"][0]["text"])
    finally:
        await within(client.close())


def app_of(lifespan: Any) -> MCPApp:
    app = MCPApp("keeper", toolkit="", lifespan=lifespan)

    @app.tool
    async def peek(context: Context) -> str:
        """Return what was opened."""
        assert context.lifespan == context.lifespan_context
        return ", ".join(f"{key}={value}" for key, value in context.lifespan.items())

    return app


async def test_tools_get_the_lifespan_value_and_the_opening_task_closes_it(run: Run) -> None:
    steps: list[Any] = []

    @contextlib.asynccontextmanager
    async def open_database(app: MCPApp) -> AsyncIterator[dict[str, Any]]:
        steps.append((app.identity.name, asyncio.current_task()))
        yield {"db": "open"}
        steps.append(("closed", asyncio.current_task()))

    core = await run(app=app_of(open_database))
    assert await called(core, "peek") == "db=open"
    assert [name for name, _ in steps] == ["keeper"]
    await within(core.stop())
    assert [name for name, _ in steps] == ["keeper", "closed"]
    assert steps[0][1] is steps[1][1]


@pytest.mark.parametrize("gives", [None, {"a": 1}])
async def test_a_plain_generator_will_do_and_need_give_nothing(run: Run, gives: Any) -> None:
    async def open_something(app: MCPApp) -> AsyncIterator[Any]:
        yield gives

    assert await called(await run(app=app_of(open_something)), "peek") == ("a=1" if gives else "")


async def fails_to_open(app: MCPApp) -> AsyncIterator[Any]:
    raise SystemExit("no database")
    yield


async def cancels_itself(app: MCPApp) -> AsyncIterator[Any]:
    raise asyncio.CancelledError
    yield


async def gives_no_dict(app: MCPApp) -> AsyncIterator[Any]:
    yield 3


def is_no_context(app: MCPApp) -> int:
    return 3


@pytest.mark.parametrize("lifespan", [fails_to_open, cancels_itself, gives_no_dict, is_no_context])
async def test_a_lifespan_that_fails_is_a_problem_at_its_line_and_the_tools_are_served(run: Run, lifespan: Any) -> None:
    core = await run(app=app_of(lifespan))
    assert await called(core, "peek") == ""
    assert core.generation is not None
    (problem,) = core.generation.problems
    assert problem.message.startswith("The lifespan of 'keeper' raised ")
    assert (Path(problem.file).name, problem.line) == ("test_lifespan.py", lifespan.__code__.co_firstlineno)


async def test_a_lifespan_that_fails_or_hangs_at_its_exit_blocks_nothing(run: Run) -> None:
    never = asyncio.Event()

    async def fails_to_close(app: MCPApp) -> AsyncIterator[Any]:
        yield {}
        raise RuntimeError("boom")

    async def hangs(app: MCPApp) -> AsyncIterator[Any]:
        yield {}
        await never.wait()

    for lifespan, reason in ((fails_to_close, "RuntimeError: boom"), (hangs, "it did not end within 0.2 s.")):
        core = await run(app=app_of(lifespan))
        await within(core.wait_loaded())
        records = Records(core.tap)
        await within(core.stop())
        assert [record["message"] for record in records.events() if record["event"] == "lifespan_failed"] == [reason]


async def test_a_core_stops_while_something_is_still_being_opened(run: Run) -> None:
    entered, left = asyncio.Event(), asyncio.Event()

    async def slow(app: MCPApp) -> AsyncIterator[Any]:
        entered.set()
        try:
            await asyncio.Event().wait()
            yield {}
        finally:
            left.set()

    core = await run(app=app_of(slow))
    await within(entered.wait())
    await within(core.stop())
    await within(left.wait())


PROJECT = '''
import contextlib
from server_core import Context, MCPApp
import opening_log as log

@contextlib.asynccontextmanager
async def opened(app):
    log.steps.append("open {number}")
    yield {{"number": {number}}}
    log.steps.append("close {number}")

app = MCPApp("keeper", toolkit="", lifespan=opened)

@app.tool
async def peek(context: Context) -> int:
    """Return what was opened."""
    return context.lifespan["number"]

@app.tool
async def hold(context: Context) -> str:
    """Wait, and return whether what was opened is still open."""
    log.entered.set()
    await log.gate.wait()
    return str(log.steps)
'''
LOG = "import asyncio\nsteps = []\nentered, gate = asyncio.Event(), asyncio.Event()\n"


async def test_a_new_generation_opens_its_own_and_the_old_is_closed_after_its_last_call(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "opening_log.py").write_text(LOG)
    (tmp_path / "server.py").write_text(PROJECT.format(number=1))
    core = await run(project=tmp_path, reload=True)
    assert await called(core, "peek") == "1"
    client = await within(ClientSession.open(MemoryChannel(core.server)))
    holding = client.call_tool("hold", {})
    log = sys.modules["opening_log"]
    await within(log.entered.wait())
    (tmp_path / "server.py").write_text(PROJECT.format(number=2))
    await until(lambda: log.steps == ["open 1", "open 2"])
    await until(lambda: core.generation is not None and core.generation.reloaded == ("server",))
    assert await called(core, "peek") == "2"
    assert log.steps == ["open 1", "open 2"]
    log.gate.set()
    assert (await within(holding.result()))["content"][0]["text"] == "['open 1', 'open 2']"
    await until(lambda: "close 1" in log.steps)
    await within(client.close())
    await within(core.stop())
    assert log.steps == ["open 1", "open 2", "close 1", "close 2"]
