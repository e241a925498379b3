"""Additions to an app and removals while it is served have effect at once; clients are notified."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from server_core import Context, MCPApp
from server_core.core import Core
from server_core.errors import RemoteError
from server_core.protocol.jsonrpc import Notification
from server_core.secrets import SecretStore
from server_core.serving.server import Server
from server_core.transports.memory import MemoryChannel
from tests.server_core.keyrings import WaitingKeyring
from tests.waiting import until, within
from workbench.client.session import ClientSession

pytestmark = pytest.mark.promises("app", "secrets")


def first() -> str:
    """Be there from the start."""
    return "first"


def second() -> str:
    """Come later."""
    return "second"


@asynccontextmanager
async def client_of(served: MCPApp | Core) -> AsyncIterator[tuple[ClientSession, asyncio.Queue[str]]]:
    """A session with the app or core, and the methods of its notifications."""
    core = Core(app=served, link=False, capture=False) if isinstance(served, MCPApp) else served
    notifications: asyncio.Queue[str] = asyncio.Queue()

    def note(notification: Notification) -> None:
        notifications.put_nowait(notification.method)

    try:
        await core.start()
        await within(core.wait_loaded())
        session = await within(ClientSession.open(MemoryChannel(core), on_notification=note))
        yield session, notifications
        await session.close()
    finally:
        await within(core.stop())


async def names(session: ClientSession) -> list[str]:
    return [tool["name"] for tool in await within(session.list_tools())]


async def test_a_tool_that_is_added_later_is_listed_and_clients_are_notified() -> None:
    app = MCPApp("shop", toolkit="")
    app.add_tool(first)
    async with client_of(app) as (session, notifications):
        assert await names(session) == ["first"]
        app.add_tool(second)
        assert await within(notifications.get()) == "notifications/tools/list_changed"
        assert await names(session) == ["first", "second"]


async def test_a_removed_tool_is_no_longer_listed() -> None:
    app = MCPApp("shop", toolkit="")
    app.add_tool(first)
    app.add_tool(second)
    async with client_of(app) as (session, notifications):
        app.tools.remove("second")
        assert await within(notifications.get()) == "notifications/tools/list_changed"
        assert await names(session) == ["first"]


async def test_the_next_request_sees_the_changes_of_a_tool() -> None:
    app = MCPApp("shop", toolkit="")

    @app.tool
    async def swap(context: Context) -> str:
        """Add one, call it, and take this one away."""
        app.tools.add(second)
        result = await context.tools.call_raw("second", {})
        app.tools.remove("swap")
        return str(result.content[0].text)

    @app.tool
    def swap_back() -> None:
        """Change it on a thread."""
        app.tools.remove("second")

    async with client_of(app) as (session, _):
        assert (await within(session.call_tool("swap", {}).result()))["content"][0]["text"] == "second"
        with pytest.raises(RemoteError, match="Unknown tool: 'swap'"):
            await within(session.call_tool("swap", {}).result())
        assert not (await within(session.call_tool("swap_back", {}).result())).get("isError")
        with pytest.raises(RemoteError, match="Unknown tool: 'second'"):
            await within(session.call_tool("second", {}).result())


async def test_clients_are_notified_of_a_prompt_that_is_declared_on_a_thread() -> None:
    app = MCPApp("shop", toolkit="")
    app.add_tool(first)
    async with client_of(app) as (_, notifications):
        await asyncio.to_thread(lambda: app.prompt(second))
        assert await within(notifications.get()) == "notifications/prompts/list_changed"


@pytest.mark.parametrize(
    ("kind", "options", "key"),
    [("tools", {}, "second"), ("prompts", {}, "second"), ("resources", {"uri": "shop://goods"}, "shop://goods")],
)
async def test_clients_are_notified_of_each_change_of_each_kind(kind: str, options: dict[str, str], key: str) -> None:
    app = MCPApp("shop")
    app.add_text_resource("shop://sign", text="Open")
    async with client_of(app) as (_, notifications):
        assert isinstance(app.server, Server)
        offers = getattr(app, kind)
        await offers.add(second, **options)
        assert await within(notifications.get()) == f"notifications/{kind}/list_changed"
        await offers.update(second, title="Again", **options)
        assert await within(notifications.get()) == f"notifications/{kind}/list_changed"
        assert "Again" in [item.title for item in await offers.list()]
        await offers.remove(key)
        assert await within(notifications.get()) == f"notifications/{kind}/list_changed"


SHOP = """
from server_core import Context, MCPApp

app = MCPApp("shop", toolkit="")

@app.tool
def open_till(context: Context) -> list[str]:
    "Add a tool and take this one away."
    app.tool(name="till", desc="D.")(lambda: "open")
    app.tools.remove("open_till")
    return sorted(context.catalog.tools)
"""


async def test_changes_of_an_app_in_a_file_of_a_project_are_noticed_as_well(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    async with client_of(Core(project=tmp_path, link=False, capture=False)) as (session, notifications):
        result = await within(session.call_tool("open_till", {}).result())
        # What a call began with stays as it was while it runs.
        assert result["structuredContent"] == {"result": ["open_till"]}
        assert await within(notifications.get()) == "notifications/tools/list_changed"
        assert await names(session) == ["till"]


async def test_loading_files_that_declare_on_import_is_a_single_generation(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    core = Core(project=tmp_path, link=False, capture=False)
    async with client_of(core):
        await within(core.reload_now())
        await within(core.reload_now())
        assert core.generation is not None
        assert core.generation.number == 3


async def test_an_app_that_is_no_longer_served_sends_no_notifications() -> None:
    app = MCPApp("shop", toolkit="")
    async with client_of(app):
        assert app.listeners
    assert app.listeners == []


async def test_an_app_reports_new_contents_from_any_thread() -> None:
    app = MCPApp("shop", toolkit="")

    @app.resource("shop://goods")
    def goods() -> str:
        """What there is."""
        return "tea"

    @app.tool
    async def sell(context: Context) -> None:
        """Notify of it from within a call."""
        await context.resources.updated("shop://goods")

    @app.tool
    def sell_on_a_thread(context: Context) -> None:
        """Notify of it from a thread."""
        context.blocking.resources.updated("shop://goods")

    async with client_of(app) as (session, notifications):
        await within(session.subscribe("shop://goods"))
        await asyncio.to_thread(app.resources.updated, "shop://goods")
        assert await within(notifications.get()) == "notifications/resources/updated"
        for tool in ("sell", "sell_on_a_thread"):
            await within(session.call_tool(tool, {}).result())
            assert await within(notifications.get()) == "notifications/resources/updated"


SAFE = '''
from server_core import Context, tool

@tool(requires_secrets=["KEY"])
def open_safe(context: Context) -> str:
    """Open the safe."""
    return "open" if context.get_secret("KEY") == "value" else "closed"

@tool
def look() -> str:
    """Look around."""
    return "a shop"
'''


async def test_the_server_continues_while_a_keyring_waits_for_a_person(
    tmp_path: Path, waiting_keyring: WaitingKeyring
) -> None:
    (tmp_path / "tools.py").write_text(SAFE)
    waiting_keyring.unlocked.set()
    core = Core(project=tmp_path, link=False, capture=False)
    async with client_of(core) as (session, _):
        SecretStore(tmp_path).set("KEY", "value", "keyring")
        waiting_keyring.unlocked.clear()
        opening = session.call_tool("open_safe", {})
        await until(waiting_keyring.asked.is_set)
        assert (await within(session.call_tool("look", {}).result()))["content"][0]["text"] == "a shop"
        waiting_keyring.unlocked.set()
        assert (await within(opening.result()))["content"][0]["text"] == "open"


async def test_a_reload_waits_for_no_keyring(tmp_path: Path, waiting_keyring: WaitingKeyring) -> None:
    (tmp_path / "tools.py").write_text(SAFE)
    waiting_keyring.unlocked.set()
    core = Core(project=tmp_path, link=False, capture=False)
    async with client_of(core) as (session, _):
        SecretStore(tmp_path).set("KEY", "value", "keyring")
        waiting_keyring.unlocked.clear()
        assert (await within(core.reload_now())).ok
        assert sorted(await names(session)) == ["look", "open_safe"]
