"""Streamable HTTP, the serving side: its sessions, and the start and end of the server."""

import asyncio
import socket

import httpx
import pytest

from server_core.errors import ConfigurationError
from server_core.runtime.background import spawn
from server_core.settings import Settings
from server_core.transports.http_server import serve_http
from tests.server_core.toolkit import Toolkit, call, initialize, new_server, notification
from tests.server_core.transports.http_site import ACCEPT, Site, serving
from tests.waiting import until, within

pytestmark = pytest.mark.promises("sessions")


async def test_initialize_opens_a_session_with_an_id_of_visible_ascii(site: Site) -> None:
    response = await site.post(initialize())
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    id = response.headers["mcp-session-id"]
    assert len(id) >= 32
    assert all(0x21 <= ord(character) <= 0x7E for character in id)
    assert response.json()["result"]["protocolVersion"] == "2025-11-25"


async def test_a_handshake_that_fails_opens_no_session(site: Site) -> None:
    response = await site.post(call(1, "initialize"))
    assert response.json()["error"]["code"] == -32602
    assert "mcp-session-id" not in response.headers
    assert all(value.describe()["closed"] for value in site.server.sessions.values())


async def test_a_request_that_needs_a_session_and_names_none_is_refused(site: Site) -> None:
    response = await site.post(call(1, "tools/list"))
    assert response.status_code == 400
    assert "initialize" in response.json()["error"]["message"]
    assert "id" not in response.json()


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_an_unknown_session_is_not_found(site: Site, method: str) -> None:
    headers = {**ACCEPT, "Mcp-Session-Id": "unknown"}
    response = await within(site.client.request(method, site.url, content=call(1, "ping"), headers=headers))
    assert response.status_code == 404


async def test_delete_ends_the_session(session: Site) -> None:
    response = await within(session.client.delete(session.url, headers={"Mcp-Session-Id": session.session}))
    assert response.status_code == 204
    assert (await session.post(call(1, "ping"))).status_code == 404
    assert session.server.sessions["s1"].describe()["closed"]


async def test_the_number_of_sessions_is_limited_and_idle_ones_make_room() -> None:
    async with serving(Settings(max_sessions=2)) as site:
        await site.open()
        first = site.session
        site.session = ""
        await site.open()
        site.session = ""
        await site.open()
        site.session = first
        assert (await site.post(call(1, "ping"))).status_code == 404


async def test_a_session_that_works_does_not_make_room() -> None:
    async with serving(Settings(max_sessions=1)) as site:
        await site.open()
        waiting = spawn(site.post(call(1, "tools/call", name="wait")), "wait")
        await within(site.toolkit.entered.wait())
        refused = await site.post(initialize(), Mcp_Session_Id="")
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "5"
        site.toolkit.gate.set()
        assert (await within(waiting)).status_code == 200


@pytest.mark.parametrize("cleanup_interval", [0, 0.01])
async def test_idle_sessions_expire_without_another_request(cleanup_interval: float) -> None:
    async with serving(Settings(session_idle_timeout=0.5, cleanup_interval=cleanup_interval)) as site:
        await site.open()
        await until(lambda: site.server.sessions["s1"].describe()["closed"])
        assert (await site.post(call(1, "ping"))).status_code == 404


async def test_a_session_with_a_listener_is_not_idle() -> None:
    async with serving(Settings(session_idle_timeout=0.5)) as site:
        await site.open()
        async with site.stream("GET") as events:
            listening, site.session = site.session, ""
            await site.open()
            await until(lambda: site.server.sessions["s2"].describe()["closed"])
            site.session = listening
            assert (await site.post(call(1, "ping"))).status_code == 200
            assert events.response.status_code == 200


async def test_a_session_accepts_a_limited_number_of_requests_and_every_cancellation() -> None:
    async with serving(Settings(max_calls=1)) as site:
        await site.open()
        first = spawn(site.post(call(1, "tools/call", name="wait")), "first")
        await within(site.toolkit.entered.wait())
        second = spawn(site.post(call(2, "tools/call", name="add", arguments={"a": 1, "b": 2})), "second")
        await until(lambda: site.server.sessions["s1"].full)
        refused = await site.post(call(3, "tools/call", name="add", arguments={"a": 1, "b": 2}))
        assert refused.status_code == 429
        assert refused.json()["error"]["code"] == 429
        assert (await site.post(notification("notifications/cancelled", requestId=1))).status_code == 202
        assert (await within(second)).json()["result"]["structuredContent"] == {"result": 3}
        await within(first)


async def test_a_port_in_use_is_explained() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match=rf"Port {port} on 127\.0\.0\.1 is in use; .*--port"):
            await serve_http(new_server(Toolkit()), "127.0.0.1", port, Settings(), print)


@pytest.mark.parametrize("host", ["203.0.113.7", "no such host"])
async def test_a_url_of_another_machine_is_refused(host: str) -> None:
    with pytest.raises(ConfigurationError, match="not an address of this machine"):
        await serve_http(new_server(Toolkit()), host, 0, Settings(), print)


async def test_running_calls_are_answered_before_the_server_ends(session: Site) -> None:
    waiting = spawn(session.post(call(1, "tools/call", name="wait")), "wait")
    await within(session.toolkit.entered.wait())
    session.serving.cancel()
    session.toolkit.gate.set()
    assert (await within(waiting)).json()["result"]["content"][0]["text"] == "through"
    await within(asyncio.wait([session.serving]))


async def test_open_streams_end_with_the_server(session: Site) -> None:
    async with session.stream("GET") as events:
        session.serving.cancel()
        await within(asyncio.wait([session.serving]))
        assert await events.rest() == []
    with pytest.raises(httpx.ConnectError):
        await session.post(call(1, "ping"))
