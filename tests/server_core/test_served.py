"""What is added to an app while it is served, or taken away, counts at once; clients are told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from server_core import MCPApp
from server_core.core import Core
from server_core.protocol.jsonrpc import Notification
from server_core.transports.memory import memory_pair
from tests.waiting import within
from workbench.client.session import ClientSession


def first() -> str:
    """Be there from the start."""
    return "first"


def second() -> str:
    """Come later."""
    return "second"


@asynccontextmanager
async def client_of(app: MCPApp) -> AsyncIterator[tuple[ClientSession, asyncio.Queue[str]]]:
    """A session with the app, and the methods of all that it is told."""
    core = Core(app=app, link=False, capture=False)
    told: asyncio.Queue[str] = asyncio.Queue()

    def note(notification: Notification) -> None:
        told.put_nowait(notification.method)

    try:
        await core.start()
        await within(core.loaded())
        session = await within(ClientSession.open(memory_pair(core), on_notification=note))
        yield session, told
        await session.close()
    finally:
        await within(core.stop())


async def names(session: ClientSession) -> list[str]:
    return [tool["name"] for tool in await within(session.list_tools())]


async def test_a_tool_that_is_added_later_is_offered_and_told_of() -> None:
    app = MCPApp("shop")
    app.add_tool(first)
    async with client_of(app) as (session, told):
        assert await names(session) == ["first"]
        app.add_tool(second)
        assert await within(told.get()) == "notifications/tools/list_changed"
        assert await names(session) == ["first", "second"]


async def test_a_tool_that_is_taken_away_is_offered_no_more() -> None:
    app = MCPApp("shop")
    app.add_tool(first)
    app.add_tool(second)
    async with client_of(app) as (session, told):
        app.remove_tool("second")
        assert await within(told.get()) == "notifications/tools/list_changed"
        assert await names(session) == ["first"]


async def test_a_prompt_that_is_declared_on_a_thread_is_told_of() -> None:
    app = MCPApp("shop")
    app.add_tool(first)
    async with client_of(app) as (_, told):
        await asyncio.to_thread(lambda: app.prompt(second))
        assert await within(told.get()) == "notifications/prompts/list_changed"


def test_only_what_is_there_can_be_taken_away() -> None:
    app = MCPApp("shop")
    app.resource("shop://goods")(first)
    app.prompt(second)
    app.remove_resource("shop://goods")
    app.remove_prompt("second")
    assert app.declarations == []
    for remove in (app.remove_tool, app.remove_resource, app.remove_prompt):
        with pytest.raises(ValueError, match="shop has no"):
            remove("second")


async def test_an_app_that_is_no_longer_served_tells_nobody() -> None:
    app = MCPApp("shop")
    async with client_of(app):
        assert app.listeners
    assert app.listeners == []
