"""`workbench serve --http --reload`: a session survives valid and broken saves, and calls keep their old code."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from server_core.transports.http_client.http_client import HttpChannel
from tests.commands import START, WORKBENCH, serving_http
from workbench.client.session import ClientSession
from workbench.link.cores import list_cores
from workbench.link.remote import RemoteLink

TOOLS = '''\
import asyncio
from pathlib import Path
from server_core import Context, tool


@tool
async def brew(context: Context, gate: str) -> str:
    """Wait until there is a file at the gate."""
    await context.progress.report(1, 2)
    while not Path(gate).exists():
        await asyncio.sleep(0.01)
    return flavour()


def flavour() -> str:
    return "FLAVOUR"
'''
ANOTHER = '\n\n@tool\ndef NAME() -> str:\n    """Another."""\n    return "NAME"\n'
BROKEN = "def half(\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "cafe"
    folder.mkdir()
    (folder / "tools.py").write_text(TOOLS.replace("FLAVOUR", "mocha"))
    return folder / "tools.py"


@pytest.fixture
def url(source: Path, tmp_path: Path) -> Iterator[str]:
    command = [*WORKBENCH, "serve", str(source.parent), "--http", "--port", "0", "--reload"]
    with serving_http(command, tmp_path) as url:
        yield url


class Listener:
    """A session, and its notifications that the tools have changed."""

    def __init__(self, session: ClientSession) -> None:
        self.session = session
        self._changes: asyncio.Queue[str] = asyncio.Queue()
        session.on_notification = lambda notification: self._changes.put_nowait(notification.method)

    async def change(self) -> None:
        """Wait until it is notified of a change."""
        async with asyncio.timeout(START):
            while await self._changes.get() != "notifications/tools/list_changed":
                pass

    async def tools(self) -> set[str]:
        """Return the names of the tools."""
        return {tool["name"] for tool in await self.session.list_tools()}

    async def text(self, name: str, **arguments: Any) -> str:
        """Call a tool and return its text."""
        return str((await self.session.call_tool(name, arguments).result())["content"][0]["text"])


@pytest.fixture
async def listener(url: str) -> AsyncIterator[Listener]:
    async with asyncio.timeout(START):
        session = await ClientSession.open(HttpChannel(url))
    yield Listener(session)
    await session.close()


async def until_a_problem_is_reported() -> None:
    """Wait until the core has reported a file that does not load."""
    (core,) = list_cores()
    link = await RemoteLink.connect(core)
    try:
        async with asyncio.timeout(START):
            while not (await link.request("catalog/get"))["problems"]:
                await asyncio.sleep(0.01)
    finally:
        await link.close()


async def test_a_session_survives_valid_and_broken_saves(listener: Listener, source: Path) -> None:
    async with asyncio.timeout(START):
        assert await listener.tools() == {"brew"}

        source.write_text(source.read_text() + ANOTHER.replace("NAME", "first"))
        await listener.change()
        assert await listener.tools() == {"brew", "first"}

        good = source.read_text()
        source.write_text(good + BROKEN)
        await until_a_problem_is_reported()
        assert await listener.tools() == {"brew", "first"}
        assert await listener.text("first") == "first"

        source.write_text(good + ANOTHER.replace("NAME", "second"))
        await listener.change()
        assert await listener.tools() == {"brew", "first", "second"}
        assert await listener.text("second") == "second"


async def test_a_call_that_runs_during_a_reload_ends_as_it_began(
    listener: Listener, source: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    begun = asyncio.Event()
    async with asyncio.timeout(START):
        running = listener.session.call_tool("brew", {"gate": str(gate)}, on_progress=lambda _: begun.set())
        await begun.wait()
        source.write_text(TOOLS.replace("FLAVOUR", "matcha") + ANOTHER.replace("NAME", "first"))
        await listener.change()
        gate.touch()
        assert (await running.result())["content"][0]["text"] == "mocha"
        assert await listener.text("brew", gate=str(gate)) == "matcha"
