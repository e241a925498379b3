"""A relay over HTTP: what its clients notice when the relayed server ends."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from server_core.protocol.envelope import CLIENT_CAPABILITIES, PROTOCOL_VERSION
from server_core.protocol.revisions import LATEST_STATELESS
from server_core.records.tap import Tap
from server_core.runtime.background import spawn
from server_core.serving.relay import Relay
from server_core.settings import Settings
from server_core.transports.channel import Channel
from server_core.transports.http_server import serve_http
from server_core.transports.memory import MemoryChannel
from tests.server_core.toolkit import INITIALIZED, Toolkit, call, initialize, new_server
from tests.waiting import until, within

ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


class Relayed:
    """A relay on HTTP, the connections to the server behind it, and a client that sends given messages."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.server = new_server(Toolkit())
        self.dialled: list[MemoryChannel] = []
        self.relay = Relay(Tap(), self._dial)
        self.url = ""
        self.client = client

    async def _dial(self) -> Channel:
        self.dialled.append(MemoryChannel(self.server))
        return self.dialled[-1]

    async def post(self, data: bytes, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await within(self.client.post(self.url, content=data, headers=ACCEPT | named))

    async def begin(self) -> str:
        """Begin a session, and return its id."""
        session = str((await self.post(initialize())).headers["mcp-session-id"])
        assert (await self.post(INITIALIZED, Mcp_Session_Id=session)).status_code == 202
        return session


@pytest.fixture
async def relayed() -> AsyncIterator[Relayed]:
    async with httpx.AsyncClient(trust_env=False, timeout=None) as client:
        site = Relayed(client)
        url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        settings = Settings(shutdown_grace=0.5)
        serving = spawn(serve_http(site.relay, "127.0.0.1", 0, settings, url.set_result), "serve http")
        site.url = await within(url)
        yield site
    serving.cancel()
    await asyncio.wait([serving])


async def test_a_session_ends_with_the_server_behind_it_and_the_next_reaches_another(relayed: Relayed) -> None:
    session = await relayed.begin()
    headers = {"Accept": "text/event-stream", "Mcp-Session-Id": session}
    async with relayed.client.stream("GET", relayed.url, headers=headers) as listening:
        assert listening.status_code == 200
        await relayed.dialled[0].close()
        await within(listening.aread())
    assert (await relayed.post(call(1, "ping"), Mcp_Session_Id=session)).status_code == 404
    assert (await relayed.post(initialize(), Mcp_Session_Id=session)).status_code == 404
    await until(lambda: all(value.closed for value in relayed.relay.sessions.values()))
    again = await relayed.begin()
    assert again != session
    assert (await relayed.post(call(1, "ping"), Mcp_Session_Id=again)).json()["result"] == {}


async def test_a_call_that_runs_when_the_server_ends_is_answered_with_how_it_ended(relayed: Relayed) -> None:
    session = await relayed.begin()
    calling = spawn(relayed.post(call(1, "tools/call", name="wait", arguments={}), Mcp_Session_Id=session), "call")
    await until(lambda: any(value.busy for value in relayed.relay.sessions.values()))
    await relayed.dialled[0].close()
    assert "relayed server has disconnected" in (await within(calling)).text
    assert (await relayed.post(call(2, "ping"), Mcp_Session_Id=session)).status_code == 404


async def test_a_client_without_a_session_is_served_by_the_next_server(relayed: Relayed) -> None:
    meta: dict[str, Any] = {PROTOCOL_VERSION: LATEST_STATELESS.date, CLIENT_CAPABILITIES: {}}
    headers = {"MCP-Protocol-Version": LATEST_STATELESS.date, "Mcp-Method": "tools/list"}
    for number in (1, 2):
        answer = await relayed.post(call(number, "tools/list", _meta=meta), **headers)
        assert "result" in answer.json()
        assert len(relayed.dialled) == number
        await relayed.dialled[-1].close()
        await until(lambda: all(value.closed for value in relayed.relay.sessions.values()))


async def test_the_server_is_closed_in_due_form_before_its_session_is_forgotten(
    relayed: Relayed, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await relayed.begin()
    closed = asyncio.Event()
    first = relayed.dialled[0]
    close = first.close

    async def slowly() -> None:
        await asyncio.sleep(0)
        await close()
        closed.set()

    monkeypatch.setattr(first, "close", slowly)
    first._outlet.end()
    await within(closed.wait())
    assert (await relayed.post(call(1, "ping"), Mcp_Session_Id=session)).status_code == 404
