"""Holding messages over HTTP: the response of a POST waits, in sessions and without them."""

import asyncio
import json

import pytest

from server_core.errors import ConfigurationError
from server_core.protocol.envelope import CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION
from server_core.runtime.background import spawn
from tests.server_core.holding.operators import Operator
from tests.server_core.toolkit import call, initialize
from tests.server_core.transports.conftest import session, site
from tests.server_core.transports.http_site import Site
from tests.waiting import until, within

__all__ = ["session", "site"]

META = {
    PROTOCOL_VERSION: "2026-07-28",
    CLIENT_CAPABILITIES: {},
    CLIENT_INFO: {"name": "tester", "version": "0"},
    "progressToken": 7,
}
STATELESS = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/call", "Mcp_Name": "add"}
ADD = {"name": "add", "arguments": {"a": 1, "b": 2}}


async def test_request_and_response_of_a_session_wait(session: Site) -> None:
    operator = Operator(session.server.tap)
    operator.hold("tool:add")
    posted = spawn(session.post(call(1, "tools/call", **ADD)), "post")
    for kind in ("request", "response"):
        await until(lambda: operator.held)
        assert operator.holds.describe()["held"][0]["kind"] == kind
        operator.holds.release(operator.held[0])
    response = await within(posted)
    assert response.json()["result"]["structuredContent"] == {"result": 3}


async def test_a_response_over_http_is_not_sent_twice(session: Site) -> None:
    operator = Operator(session.server.tap)
    operator.hold("tool:add dir:out")
    posted = spawn(session.post(call(1, "tools/call", **ADD)), "post")
    await until(lambda: operator.held)
    with pytest.raises(ConfigurationError, match="a client can receive only once"):
        operator.holds.duplicate(operator.held[0])
    operator.holds.edit(operator.held[0], '{"jsonrpc": "2.0", "id": 1, "error": {"code": 5, "message": "no"}}')
    assert (await within(posted)).json()["error"] == {"code": 5, "message": "no"}


async def test_the_handshake_of_a_session_waits(site: Site) -> None:
    operator = Operator(site.server.tap)
    operator.hold("method:initialize")
    posted = spawn(site.post(initialize()), "post")
    await until(lambda: operator.held)
    operator.holds.release(operator.held[0])
    await until(lambda: operator.held)
    operator.holds.release(operator.held[0])
    response = await within(posted)
    assert response.headers["mcp-session-id"]
    assert "toolkit" in response.text


async def test_messages_without_a_session_wait_while_progress_is_sent(site: Site) -> None:
    operator = Operator(site.server.tap)
    operator.hold("tool:add")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        posted = group.create_task(site.post(call(1, "tools/call", _meta=META, **ADD), **STATELESS))
        for _ in range(2):
            await until(lambda: operator.held)
            operator.fire()
            operator.holds.release(operator.held[0])
    lines = [line.removeprefix("data: ") for line in posted.result().text.splitlines() if line.startswith("data: {")]
    *progress, response = map(json.loads, lines)
    assert [message["params"]["progressToken"] for message in progress] == [7, 7]
    assert response["result"]["structuredContent"] == {"result": 3}


@pytest.mark.parametrize("text", ["tool:add dir:in", "tool:add dir:out"])
async def test_messages_of_a_client_that_closes_its_connection_expire(site: Site, text: str) -> None:
    operator = Operator(site.server.tap)
    operator.hold(text)
    posted = spawn(site.post(call(1, "tools/call", _meta=META, **ADD), **STATELESS), "post")
    await until(lambda: operator.held)
    posted.cancel()
    await until(lambda: not operator.held)
    assert site.records.events()[-1]["reason"] == "the client has disconnected"


async def test_an_edit_that_is_no_request_is_refused_as_over_http(site: Site) -> None:
    operator = Operator(site.server.tap)
    operator.hold("tool:add dir:in")
    posted = spawn(site.post(call(1, "tools/call", _meta=META, **ADD), **STATELESS), "post")
    await until(lambda: operator.held)
    operator.holds.edit(operator.held[0], "oops", on_purpose=True)
    response = await within(posted)
    assert response.json()["error"]["code"] == -32700


@pytest.mark.parametrize("is_session", [True, False], ids=["session", "stateless"])
async def test_a_response_that_is_no_json_reaches_the_client_on_purpose(site: Site, is_session: bool) -> None:
    if is_session:
        await site.open()
    operator = Operator(site.server.tap)
    operator.hold("tool:add dir:out")
    meta, headers = ({}, {}) if is_session else ({"_meta": META}, STATELESS)
    posted = spawn(site.post(call(1, "tools/call", **meta, **ADD), **headers), "post")
    await until(lambda: operator.held)
    operator.holds.edit(operator.held[0], "oops", on_purpose=True)
    response = await within(posted)
    assert (response.status_code, response.text) == (200, "oops")
