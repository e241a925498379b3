"""Streamable HTTP, the serving side: statuses, sessions, streams, as raw requests see them."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from server_core.errors import ConfigurationError
from server_core.records.tap import Direction, Kind
from server_core.runtime.background import spawn
from server_core.settings import Settings
from server_core.transports.http_server import serve_http
from server_core.transports.streamable.endpoint import StreamableHttp
from tests.server_core.toolkit import Toolkit, call, initialize, new_server, notification
from tests.server_core.transports.http_site import ACCEPT, Site, serving
from tests.waiting import until, within

pytestmark = pytest.mark.promises("sessions")


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving() as opened:
        yield opened


@pytest.fixture
async def session(site: Site) -> Site:
    return await site.open()


# Sessions.


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


async def test_what_needs_a_session_and_names_none_is_refused(site: Site) -> None:
    response = await site.post(call(1, "tools/list"))
    assert response.status_code == 400
    assert "initialize" in response.json()["error"]["message"]
    assert "id" not in response.json()


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_an_unknown_session_is_not_found(site: Site, method: str) -> None:
    headers = {**ACCEPT, "Mcp-Session-Id": "nobody"}
    response = await within(site.client.request(method, site.url, content=call(1, "ping"), headers=headers))
    assert response.status_code == 404


async def test_delete_ends_the_session(session: Site) -> None:
    response = await within(session.client.delete(session.url, headers={"Mcp-Session-Id": session.session}))
    assert response.status_code == 204
    assert (await session.post(call(1, "ping"))).status_code == 404
    assert session.server.sessions["s1"].describe()["closed"]


async def test_there_are_only_so_many_sessions_and_idle_ones_make_room() -> None:
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


async def test_a_session_takes_only_so_many_requests_and_cancellations_still_come_through() -> None:
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


# What a request must bring.


async def test_headers_are_checked(session: Site) -> None:
    for headers, status in (
        ({"Accept": "application/json"}, 406),
        ({"Accept": "text/event-stream"}, 406),
        ({"Accept": "text/html"}, 406),
        ({"Accept": "*/*"}, 200),
        ({"Accept": "application/*, text/*"}, 200),
        ({"Accept": "Application/JSON;q=0.9, text/event-stream; q=0.1"}, 200),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/json; charset=utf-8"}, 200),
        ({"MCP_Protocol_Version": "1999-01-01"}, 400),
        ({"MCP_Protocol_Version": "2025-03-26"}, 200),
        ({"MCP_Protocol_Version": "2025-06-18"}, 200),
        ({"MCP_Protocol_Version": "2025-11-25"}, 200),
        ({"Origin": "http://evil.example.com"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Origin": "http://[::1]:3000"}, 200),
        ({"Host": "evil.example.com"}, 403),
        ({"Host": "localhost:1"}, 200),
        ({"Host": "127.0.0.1.evil.example.com"}, 403),
        ({"Host": "[::1]:8000"}, 200),
        ({"Host": "LOCALHOST"}, 200),
        ({"Host": "127.0.0.1:8000@evil.example.com"}, 400),
        ({"Host": "user@127.0.0.1:8000"}, 400),
        ({"Host": "127.0.0.1:8000:9000"}, 400),
        ({"Host": "127.0.0.1:"}, 400),
        ({"Host": "127.0.0.1:0"}, 400),
        ({"Host": "127.0.0.1:65536"}, 400),
        ({"Host": "127.0.0.1:port"}, 400),
        ({"Host": "127.0.0.1/path"}, 400),
        ({"Host": "localhost, evil.example.com"}, 400),
        ({"Host": "[::1"}, 400),
        ({"Host": "[::1]8000"}, 400),
        ({"Host": "[127.0.0.1]"}, 400),
        ({"Host": "::1"}, 400),
        ({"Origin": "http://localhost:3000@evil.example.com"}, 403),
        ({"Origin": "http://localhost:x"}, 403),
        ({"Origin": "http://localhost/path"}, 403),
        ({"Origin": "http://localhost http://evil.example.com"}, 403),
        ({"Origin": "file://localhost"}, 403),
        ({"Origin": "localhost"}, 403),
    ):
        assert (await session.post(call(1, "ping"), **headers)).status_code == status


@pytest.mark.parametrize(("header", "value"), [("Host", "localhost"), ("Origin", "http://localhost")])
async def test_a_host_or_origin_header_occurs_only_once(site: Site, header: str, value: str) -> None:
    url = httpx.URL(site.url)
    for second in (value, value.replace("localhost", "evil.example.com")):
        host = "" if header == "Host" else "Host: localhost\r\n"
        reader, writer = await within(asyncio.open_connection(url.host, url.port))
        writer.write(f"GET / HTTP/1.1\r\n{host}{header}: {value}\r\n{header}: {second}\r\n\r\n".encode())
        assert b" 400 " in await within(reader.readline())
        writer.close()
        await writer.wait_closed()


async def test_a_request_must_name_the_host_that_it_asks(site: Site) -> None:
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        raise AssertionError("its body is of no interest")

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    await StreamableHttp(site.server, Settings())(scope, receive, send)
    assert sent[0]["status"] == 400


async def test_a_server_on_all_interfaces_is_reached_by_ip_address_but_not_by_a_foreign_name() -> None:
    async with serving(host="0.0.0.0") as site:
        assert site.url.startswith("http://127.0.0.1:")
        assert (await site.post(initialize(), Host="192.168.1.7:8000")).status_code == 200
        assert (await site.post(initialize(), Host="evil.example.com")).status_code == 403
        assert (await site.post(initialize(), Origin="http://6.6.6.6")).status_code == 403


async def test_a_body_over_the_limit_is_refused_however_it_is_sent() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(10):
            yield b" " * 100

    async with serving(Settings(max_message_bytes=500)) as site:
        assert (await site.post(b" " * 501)).status_code == 413
        response = await within(site.client.post(site.url, content=pieces(), headers=ACCEPT))
        assert response.status_code == 413


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 200), ("GET", "/elsewhere", 404), ("POST", "/", 404), ("PUT", "/mcp", 405), ("OPTIONS", "/mcp", 405)],
)
async def test_other_paths_and_methods_are_answered_with_the_right_ones(
    site: Site, method: str, path: str, status: int
) -> None:
    base = site.url.removesuffix("/mcp")
    response = await within(site.client.request(method, base + path))
    assert response.status_code == status
    assert "/mcp" in response.text or "POST" in response.text


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"{", -32700), (b"\xff", -32700), (b"[]", -32600), (b'{"jsonrpc":"2.0","id":3,"method":7}', -32600)],
)
async def test_an_invalid_message_is_a_bad_request_and_is_recorded(session: Site, data: bytes, code: int) -> None:
    response = await session.post(data)
    assert response.status_code == 400
    assert response.json()["error"]["code"] == code
    assert [item.data for item in session.records.of(Kind.MALFORMED)] == [data]


async def test_an_invalid_message_without_a_session_is_recorded(site: Site) -> None:
    response = await site.post(b"{")
    assert response.status_code == 400
    assert response.json()["error"]["code"] == -32700
    assert [item.data for item in site.records.of(Kind.MALFORMED)] == [b"{"]


async def test_exchanges_without_a_message_are_recorded_without_their_headers(session: Site) -> None:
    await session.post(call(1, "ping"), Authorization="Bearer hush", Accept="text/html")
    await within(session.client.get(session.url.removesuffix("/mcp")))
    await within(session.client.delete(session.url, headers={"Mcp-Session-Id": session.session}))
    exchanges = session.records.of(Kind.HTTP)
    facts = [json.loads(item.data) for item in exchanges]
    assert [(item["method"], item["path"], item["status"]) for item in facts] == [
        ("POST", "/mcp", 406),
        ("GET", "/", 200),
        ("DELETE", "/mcp", 204),
    ]
    assert all(b"hush" not in item.data for item in session.records.all)
    assert {item.direction for item in exchanges} == {Direction.IN}


# Answers.


async def test_a_response_without_earlier_messages_is_json(session: Site) -> None:
    response = await session.post(call("a", "tools/call", name="add", arguments={"a": 1, "b": 2}))
    assert response.headers["content-type"] == "application/json"
    assert response.json()["id"] == "a"
    assert response.json()["result"]["structuredContent"] == {"result": 3}


async def test_notifications_and_answers_of_the_client_are_accepted_without_a_body(session: Site) -> None:
    for data in (
        notification("notifications/roots/list_changed"),
        notification("notifications/cancelled", requestId=[1]),
        notification("notifications/cancelled"),
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
    ):
        response = await session.post(data)
        assert (response.status_code, response.content) == (202, b"")


async def test_a_message_before_the_response_makes_it_a_stream(session: Site) -> None:
    request = call(7, "tools/call", name="climb", _meta={"progressToken": 1})
    async with session.stream("POST", request) as events:
        assert events.response.headers["content-type"] == "text/event-stream"
        assert events.response.headers["x-accel-buffering"] == "no"
        messages = await events.rest()
    assert [message.get("method", "answer") for message in messages] == [
        *["notifications/progress"] * 3,
        *["notifications/message"] * 2,
        "answer",
    ]


@pytest.mark.parametrize(("revision", "primes"), [("2025-06-18", False), ("2025-11-25", True)])
async def test_only_clients_that_know_it_get_a_priming_event(site: Site, revision: str, primes: bool) -> None:
    await site.open(revision)
    response = await site.post(call(7, "tools/call", name="climb", _meta={"progressToken": 1}))
    first = response.text.split("\n\n")[0]
    assert (first.splitlines()[-1] == "data: ") is primes
    assert first.splitlines()[0].startswith("id: ") is primes


async def test_three_requests_at_once_have_a_stream_each(session: Site) -> None:
    calls = [session.post(call(id, "tools/call", name="climb", _meta={"progressToken": id})) for id in (1, 2, 3)]
    for id, response in enumerate(await within(asyncio.gather(*calls)), 1):
        messages = [json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: {")]
        assert {
            message["params"]["progressToken"] for message in messages if "progress" in message.get("method", "")
        } == {id}
        assert messages[-1]["id"] == id


async def test_an_id_in_use_is_refused_on_its_own_response(session: Site) -> None:
    first = spawn(session.post(call(1, "tools/call", name="wait")), "first")
    await within(session.toolkit.entered.wait())
    second = await session.post(call(1, "ping"))
    assert second.json()["error"]["code"] == -32600
    session.toolkit.gate.set()
    assert (await within(first)).json()["result"]["content"][0]["text"] == "through"


async def test_requests_of_a_call_are_sent_on_its_stream(site: Site) -> None:
    await site.open(elicitation={})
    async with site.stream("POST", call(7, "tools/call", name="ask_name")) as events:
        question = await events.message()
        assert question["method"] == "elicitation/create"
        answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}}
        assert (await site.post(json.dumps(answer).encode())).status_code == 202
        assert (await events.message())["result"]["content"][0]["text"] == "decline: None"


async def test_a_cancelled_call_ends_its_response(session: Site) -> None:
    waiting = spawn(session.post(call(7, "tools/call", name="wait")), "wait")
    await within(session.toolkit.entered.wait())
    await session.post(notification("notifications/cancelled", requestId=7))
    response = await within(waiting)
    assert (response.status_code, response.content) == (202, b"")
    await within(session.toolkit.cancelled.wait())


async def test_a_lost_connection_cancels_nothing(session: Site) -> None:
    waiting = spawn(session.post(call(7, "tools/call", name="wait")), "wait")
    await within(session.toolkit.entered.wait())
    waiting.cancel()
    await asyncio.wait([waiting])
    assert (await session.post(call(8, "ping"))).status_code == 200
    assert not session.toolkit.cancelled.is_set()
    session.toolkit.gate.set()
    await until(lambda: [item for item in session.records.of(Kind.RESPONSE) if b"through" in item.data])


async def test_a_broken_stream_is_resumed_where_it_was(site: Site) -> None:
    await site.open(elicitation={})
    async with site.stream("POST", call(7, "tools/call", name="ask_name")) as events:
        question = await events.next()
    id = json.loads(question.data)["id"]
    answer = {"jsonrpc": "2.0", "id": id, "result": {"action": "cancel"}}
    await site.post(json.dumps(answer).encode())
    assert question.id is not None
    async with site.stream("GET", Last_Event_ID=question.id) as events:
        rest = await events.rest()
    assert [event["id"] for event in rest] == [7]
    async with site.stream("GET", Last_Event_ID=question.id) as events:
        assert await events.rest() == rest


@pytest.mark.parametrize("id", ["9-0", "nonsense", "1-2-3", "-"])
async def test_events_that_are_not_stored_cannot_be_requested(session: Site, id: str) -> None:
    headers = {**ACCEPT, "Mcp-Session-Id": session.session, "Last-Event-ID": id}
    assert (await within(session.client.get(session.url, headers=headers))).status_code == 400


# The GET stream.


async def test_messages_outside_of_calls_are_sent_on_the_get_stream(session: Site) -> None:
    await session.post(call(1, "resources/subscribe", uri="toolkit://motto"))
    session.server.resource_updated("toolkit://motto")
    async with session.stream("GET") as events:
        assert (await events.message())["params"] == {"uri": "toolkit://motto"}
        session.server.resource_updated("toolkit://motto")
        assert (await events.message())["method"] == "notifications/resources/updated"


async def test_a_second_get_stream_is_refused_while_the_first_is_open(session: Site) -> None:
    async with session.stream("GET") as events:
        assert events.response.status_code == 200
        second = await within(session.client.get(session.url, headers={**ACCEPT, "Mcp-Session-Id": session.session}))
        assert second.status_code == 409

    async def reopened() -> bool:
        async with session.stream("GET") as events:
            return events.response.status_code == 200

    async with asyncio.timeout(5):
        while not await reopened():
            pass


async def test_a_get_stream_ends_with_its_session(session: Site) -> None:
    async with session.stream("GET") as events:
        await within(session.client.delete(session.url, headers={"Mcp-Session-Id": session.session}))
        assert await events.rest() == []


async def test_get_needs_to_accept_events(session: Site) -> None:
    headers = {"Accept": "application/json", "Mcp-Session-Id": session.session}
    assert (await within(session.client.get(session.url, headers=headers))).status_code == 406


# The server of our own.


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
