"""Stateless requests over HTTP: the order of checks, statuses, streams, and the end of a connection."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

import httpx
import pytest

from server_core import Context, MCPApp
from server_core.authoring.parameter_annotations import Header
from server_core.protocol.envelope import CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION
from server_core.protocol.sse import COMMENT
from server_core.records.tap import Kind
from server_core.runtime.background import spawn
from tests.server_core.toolkit import call, notification
from tests.server_core.transports.http_site import Site, serving
from tests.waiting import until, within
from workbench.model.traffic.entry import ERROR, PENDING
from workbench.model.traffic.timeline import Timeline

REVISION = "2026-07-28"
META = {PROTOCOL_VERSION: REVISION, CLIENT_CAPABILITIES: {}, CLIENT_INFO: {"name": "tester", "version": "0"}}
STANDARD = {"MCP_Protocol_Version": REVISION}


def headers(method: str, name: str = "", **more: str) -> dict[str, str]:
    """The headers that repeat a body; an empty one is left out."""
    return {**STANDARD, "Mcp_Method": method, "Mcp_Name": name, **more}


async def ask(site: Site, method: str, meta: dict[str, Any] | None = None, **params: Any) -> httpx.Response:
    """Send a request with the headers that it should have."""
    name = params.get("name") or params.get("uri") or ""
    return await site.post(call(1, method, _meta=meta or META, **params), **headers(method, name))


def error(response: httpx.Response) -> tuple[int, int]:
    """The status of a refusal, and its code; it names the request."""
    body = response.json()
    assert body["id"] == 1
    return response.status_code, body["error"]["code"]


async def test_a_request_is_served_without_a_session_and_opens_none(site: Site) -> None:
    response = await ask(site, "tools/call", name="add", arguments={"a": 1, "b": 2})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert "mcp-session-id" not in response.headers
    assert response.json()["result"]["structuredContent"] == {"result": 3}
    assert response.json()["result"]["resultType"] == "complete"


async def test_headers_of_a_session_are_ignored_without_a_session(site: Site) -> None:
    request = call(1, "tools/list", _meta=META)
    sent = headers("tools/list", Mcp_Session_Id="unknown", Last_Event_ID="1-1")
    assert (await site.post(request, **sent)).status_code == 200


# The ladder, from its first rung to its last: each of these breaks a rung, and the tool does not exist either.


def broken(
    *,
    meta: Any = META,
    version: str = REVISION,
    method: str = "tools/call",
    name: str = "nothing",
    sent: dict[str, str] | None = None,
) -> tuple[bytes, dict[str, str]]:
    request = call(1, method, _meta=meta, name=name)
    return request, {"MCP_Protocol_Version": version, "Mcp_Method": method, "Mcp_Name": name, **(sent or {})}


UNKNOWN = {**META, PROTOCOL_VERSION: "v999.0.0"}


@pytest.mark.parametrize(
    ("request_", "status", "code"),
    [
        pytest.param(broken(meta=None, sent={"Mcp_Method": "other"}), 400, -32602, id="no _meta"),
        pytest.param(broken(meta={PROTOCOL_VERSION: "v999.0.0"}, sent={"Mcp_Method": "x"}), 400, -32602, id="no caps"),
        pytest.param(broken(meta={CLIENT_CAPABILITIES: {}}), 400, -32602, id="no version"),
        pytest.param(broken(meta={**META, CLIENT_CAPABILITIES: []}), 400, -32602, id="capabilities of the wrong type"),
        pytest.param(broken(meta={**META, PROTOCOL_VERSION: 7}), 400, -32602, id="version of the wrong type"),
        pytest.param(broken(version=""), 400, -32020, id="no version header"),
        pytest.param(broken(version="2025-11-25"), 400, -32020, id="version header of a session"),
        pytest.param(broken(meta=UNKNOWN), 400, -32020, id="version of the body is another"),
        pytest.param(broken(sent={"Mcp_Method": ""}), 400, -32020, id="no method header"),
        pytest.param(broken(sent={"Mcp_Method": "TOOLS/CALL"}), 400, -32020, id="method header in capitals"),
        pytest.param(broken(sent={"Mcp_Name": ""}), 400, -32020, id="no name header"),
        pytest.param(broken(sent={"Mcp_Name": "other"}), 400, -32020, id="another name"),
        pytest.param(broken(sent={"Mcp_Name": "=?base64?!?="}), 400, -32020, id="a name that is no base64"),
        pytest.param(broken(meta=UNKNOWN, version="v999.0.0"), 400, -32022, id="unknown version"),
        pytest.param(broken(method="unknown/method"), 404, -32601, id="unknown method"),
        pytest.param(broken(), 400, -32602, id="unknown tool"),
    ],
)
async def test_the_first_failed_check_decides(
    site: Site, request_: tuple[bytes, dict[str, str]], status: int, code: int
) -> None:
    data, sent = request_
    response = await site.post(data, **sent)
    assert error(response) == (status, code)
    assert response.headers["content-type"] == "application/json"


@pytest.mark.parametrize("header", ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"])
async def test_a_header_that_repeats_the_body_occurs_only_once(site: Site, header: str) -> None:
    sent = {"MCP-Protocol-Version": REVISION, "Mcp-Method": "tools/call", "Mcp-Name": "add"}
    pairs = [*sent.items(), (header, sent[header]), ("Accept", "*/*"), ("Content-Type", "application/json")]
    request = call(1, "tools/call", name="add", arguments={"a": 1, "b": 2}, _meta=META)
    response = await within(site.client.post(site.url, content=request, headers=pairs))
    assert error(response) == (400, -32020)


async def test_an_unknown_version_is_answered_with_the_known_ones(site: Site) -> None:
    data, sent = broken(meta=UNKNOWN, version="v999.0.0")
    data_ = (await site.post(data, **sent)).json()["error"]["data"]
    assert data_ == {"supported": [REVISION], "requested": "v999.0.0"}


@pytest.mark.parametrize(
    "method", ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]
)
async def test_methods_of_sessions_do_not_exist_without_a_session(site: Site, method: str) -> None:
    assert error(await ask(site, method, uri="toolkit://motto", level="info")) == (404, -32601)


async def test_a_refused_request_is_recorded_with_its_answer(site: Site) -> None:
    data, sent = broken(sent={"Mcp_Method": "other"})
    await site.post(data, **sent)
    assert [item.data for item in site.records.of(Kind.REQUEST)] == [data]
    [answer] = site.records.of(Kind.ERROR)
    assert json.loads(answer.data)["error"]["code"] == -32020
    assert answer.session == "s1"


async def test_the_refusal_of_a_request_is_not_shown_as_the_answer_to_another_with_its_id(site: Site) -> None:
    running = spawn(ask(site, "tools/call", name="wait"), "running")
    await within(site.toolkit.entered.wait())
    await site.post(call(1, "tools/list", _meta=META), **headers("tools/call"))
    timeline = Timeline()
    timeline.extend(site.records.all)
    waiting, refused = (item for item in timeline if item.kind is Kind.REQUEST)
    answer = timeline.pair_of(refused)
    assert (waiting.status, refused.status) == (PENDING, ERROR)
    assert answer is not None
    assert answer.kind is Kind.ERROR
    site.toolkit.gate.set()
    await within(running)


async def test_an_unknown_version_is_answered_without_a_session(site: Site) -> None:
    await site.open()
    response = await site.post(call(1, "ping"), MCP_Protocol_Version="v999.0.0")
    assert error(response) == (400, -32022)
    assert "'v999.0.0'" in response.json()["error"]["message"]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_without_a_session_there_is_only_post(site: Site, method: str) -> None:
    for more in ({}, {"Mcp-Session-Id": "unknown"}):
        sent = {"Accept": "text/event-stream", "MCP-Protocol-Version": REVISION, **more}
        response = await within(site.client.request(method, site.url, headers=sent))
        assert (response.status_code, response.headers["allow"]) == (405, "POST")


async def test_notifications_are_accepted_and_answers_are_not(site: Site) -> None:
    assert (await site.post(notification("notifications/cancelled", requestId=1), **STANDARD)).status_code == 202
    assert (await site.post(notification("notifications/x", _meta=META))).status_code == 202
    for data in (b'{"jsonrpc":"2.0","id":1,"result":{}}', b"[]", b"{"):
        response = await site.post(data, **STANDARD)
        assert response.status_code == 400
        assert response.json()["error"]["code"] in (-32600, -32700)


async def test_both_eras_are_served_side_by_side(site: Site) -> None:
    await site.open()
    assert (await ask(site, "tools/list")).json()["result"]["resultType"] == "complete"
    assert "resultType" not in (await site.post(call(1, "tools/list"))).json()["result"]


# Parameters in headers.


@pytest.fixture
async def regional() -> AsyncIterator[Site]:
    app = MCPApp("regional", "1.0", toolkit="")

    @app.tool
    def sell(
        region: Annotated[str, Header("Region")] = "everywhere", count: Annotated[int, Header("Count")] = 1
    ) -> str:
        """Sell something somewhere."""
        return f"{count} in {region}"

    async with serving(app=app) as opened:
        yield opened


async def test_parameters_in_headers_match_the_arguments(regional: Site) -> None:
    for arguments, sent, code in (
        ({}, {}, 0),
        ({"region": "north"}, {"Mcp_Param_Region": "north"}, 0),
        ({"region": "Hello"}, {"Mcp_Param_Region": "=?base64?SGVsbG8=?="}, 0),
        ({"region": "SGVsbG8="}, {"Mcp_Param_Region": "SGVsbG8="}, 0),
        ({"count": 42}, {"Mcp_Param_Count": "42.0"}, 0),
        ({"region": "north"}, {}, -32020),
        ({}, {"Mcp_Param_Region": "north"}, -32020),
        ({"region": "north"}, {"Mcp_Param_Region": "south"}, -32020),
        ({"region": "Hello"}, {"Mcp_Param_Region": "=?base64?SGVsbG8?="}, -32020),
        ({"region": "Hello"}, {"Mcp_Param_Region": "=?base64?SGVs!!!bG8=?="}, -32020),
        ({"count": 42}, {"Mcp_Param_Count": "43"}, -32020),
    ):
        request = call(1, "tools/call", name="sell", arguments=arguments, _meta=META)
        response = await regional.post(request, **headers("tools/call", "sell", **sent))
        assert response.json().get("error", {}).get("code", 0) == code
        assert response.status_code == (400 if code else 200)


# Streams.


async def test_the_first_notification_makes_a_stream_that_cannot_be_resumed(site: Site) -> None:
    meta = {**META, "progressToken": 1, LOG_LEVEL: "debug"}
    request = call(7, "tools/call", name="climb", _meta=meta)
    response = await site.post(request, **headers("tools/call", "climb"))
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/event-stream"
    assert response.headers["x-accel-buffering"] == "no"
    lines = response.text.splitlines()
    assert not [line for line in lines if line.startswith(("id:", "retry:"))]
    messages = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    assert messages[-1]["id"] == 7
    assert {message.get("method") for message in messages[:-1]} == {"notifications/progress", "notifications/message"}


async def test_a_missing_capability_keeps_its_status(site: Site) -> None:
    response = await ask(site, "tools/call", name="ask_name")
    assert error(response) == (400, -32021)
    assert response.json()["error"]["data"] == {"requiredCapabilities": {"elicitation": {}}}


async def test_a_call_that_needs_input_is_answered_over_two_requests(site: Site) -> None:
    meta = {**META, CLIENT_CAPABILITIES: {"elicitation": {}}}
    first = (await ask(site, "tools/call", meta, name="ask_name")).json()["result"]
    assert first["resultType"] == "input_required"
    [key] = first["inputRequests"]
    given = {"inputResponses": {key: {"action": "decline"}}, "requestState": first["requestState"]}
    second = (await ask(site, "tools/call", meta, name="ask_name", **given)).json()["result"]
    assert second["content"][0]["text"] == "decline: None"


async def test_a_lost_connection_cancels_its_call_and_no_other(site: Site) -> None:
    other = spawn(ask(site, "tools/call", name="wait"), "other")
    await within(site.toolkit.entered.wait())
    site.toolkit.entered.clear()
    lost = spawn(ask(site, "tools/call", name="wait"), "lost")
    await within(site.toolkit.entered.wait())
    lost.cancel()
    await within(site.toolkit.cancelled.wait())
    site.toolkit.gate.set()
    assert (await within(other)).json()["result"]["content"][0]["text"] == "through"


async def test_a_lost_stream_cancels_its_call(site: Site) -> None:
    app = MCPApp("slow", "1.0", toolkit="")
    cancelled = asyncio.Event()

    @app.tool
    async def crawl(context: Context) -> str:
        """Report a little, then wait."""
        await context.progress.report(1)
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return "never"

    async with serving(app=app) as slow:
        request = call(1, "tools/call", name="crawl", _meta={**META, "progressToken": 1})
        async with slow.stream("POST", request, **headers("tools/call", "crawl")) as events:
            assert (await events.message())["method"] == "notifications/progress"
        await within(cancelled.wait())


async def test_requests_of_one_client_are_shown_as_one_session(site: Site) -> None:
    other = {**META, CLIENT_INFO: {"name": "other", "version": "0"}}
    for meta in (META, META, other, {key: value for key, value in META.items() if key != CLIENT_INFO}):
        await ask(site, "tools/list", meta)
    sessions = [item.describe() for item in site.server.sessions.values()]
    assert [(item["client"] or {}).get("name") for item in sessions] == ["tester", "other", None]


async def test_calls_that_run_are_answered_before_the_server_ends(site: Site) -> None:
    waiting = spawn(ask(site, "tools/call", name="wait"), "wait")
    await within(site.toolkit.entered.wait())
    site.serving.cancel()
    site.toolkit.gate.set()
    assert (await within(waiting)).json()["result"]["content"][0]["text"] == "through"
    await within(asyncio.wait([site.serving]))


async def test_calls_that_do_not_end_in_time_are_answered_with_the_shutdown(site: Site) -> None:
    waiting = spawn(ask(site, "tools/call", name="wait"), "wait")
    await within(site.toolkit.entered.wait())
    site.serving.cancel()
    assert (await within(waiting)).status_code == 503
    await until(site.serving.done)


async def test_a_long_call_becomes_a_stream_with_keep_alive_comments(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server_core.transports.streamable.response_streams.KEEP_ALIVE", 0.01)
    request = call(1, "tools/call", name="wait", _meta=META)
    async with site.stream("POST", request, **headers("tools/call", "wait")) as events:
        assert events.response.headers["content-type"] == "text/event-stream"
        assert await events.piece() == COMMENT
        site.toolkit.gate.set()
        assert [event["id"] for event in await events.rest()] == [1]
