"""The client's end of Streamable HTTP, against scripted servers."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from server_core.errors import ConnectionFailed
from server_core.protocol import jsonrpc
from server_core.protocol.sse import encode_event
from server_core.runtime.background import spawn
from server_core.transports.channel import SessionGone
from server_core.transports.http_client import get_stream
from server_core.transports.http_client.http_client import HttpChannel
from tests.server_core.scripted_http import Script, ScriptedTransport
from tests.server_core.toolkit import INITIALIZED, call, initialize, notification
from tests.waiting import until, within

URL = "http://server.test/mcp"
EVENTS = {"content-type": "text/event-stream"}
JSON = {"content-type": "application/json"}
AGREED = jsonrpc.response(0, {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "x"}})

Answer = httpx.Response | Exception


def answered(body: bytes, **headers: str) -> httpx.Response:
    return httpx.Response(200, headers={**JSON, **headers}, content=body)


def events(*pieces: bytes | Exception, hold: asyncio.Event | None = None) -> httpx.Response:
    """A stream of these pieces; an exception breaks it, and a held one stays open."""

    async def stream() -> AsyncIterator[bytes]:
        for piece in pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece
        if hold is not None:
            await hold.wait()

    return httpx.Response(200, headers=EVENTS, content=stream())


def server(**by_id: Answer | list[Answer]) -> Script:
    """A script: answers to requests by their id, `GET` and `DELETE` by their method."""

    def script(request: httpx.Request) -> Answer:
        key = request.method
        if key == "POST":
            message = json.loads(request.content)
            if message.get("id") == 0:
                return answered(AGREED, **{"Mcp-Session-Id": "the-session"})
            if "id" not in message:
                return httpx.Response(202)
            key = message["id"]
        answer = by_id.get(key, httpx.Response(405))
        return answer.pop(0) if isinstance(answer, list) else answer

    return script


@pytest.fixture
async def connect() -> AsyncIterator[Callable[..., Any]]:
    """Shakes hands with a scripted server, and closes the channel in the end."""
    channels: list[HttpChannel] = []

    async def connected(script: Script, **options: Any) -> tuple[HttpChannel, ScriptedTransport]:
        transport = ScriptedTransport(script)
        channel = HttpChannel(URL, transport=transport, **options)
        channels.append(channel)
        await within(channel.send(initialize()))
        assert await within(channel.receive()) == AGREED
        await within(channel.send(INITIALIZED))
        return channel, transport

    yield connected
    for channel in channels:
        await within(channel.close())


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(get_stream, "RETRY_MS", 0)


async def test_every_request_has_the_session_the_revision_and_the_configured_headers(connect: Any) -> None:
    channel, transport = await connect(
        server(a=answered(jsonrpc.response("a", {}))), headers={"Authorization": "Bearer t"}
    )
    await within(channel.send(call("a", "ping")))
    first, *others = transport.of("POST")
    assert "mcp-session-id" not in first.headers
    assert first.headers["accept"] == "application/json, text/event-stream"
    for item in others:
        assert item.headers["mcp-session-id"] == "the-session"
        assert item.headers["mcp-protocol-version"] == "2025-06-18"
    assert {item.headers["authorization"] for item in transport.requests} == {"Bearer t"}


@pytest.mark.parametrize("kind", ["json", "events"])
async def test_answers_come_as_json_or_as_events(connect: Any, kind: str) -> None:
    answer = jsonrpc.response("a", {})
    channel, _ = await connect(server(a=answered(answer) if kind == "json" else events(encode_event("1", answer))))
    await within(channel.send(call("a", "ping")))
    assert await within(channel.receive()) == answer


async def test_messages_before_a_response_are_received_before_it(connect: Any) -> None:
    message, answer = jsonrpc.notification("notifications/message", {}), jsonrpc.response("a", {})
    held = asyncio.Event()

    async def stream() -> AsyncIterator[bytes]:
        yield b"event: message\ndata: " + message + b"\n\n"
        await held.wait()
        yield b"event: ping\ndata: noise\n\nevent: message\ndata: " + answer + b"\n\n"

    channel, _ = await connect(server(a=httpx.Response(200, headers=EVENTS, content=stream())))
    sending = spawn(channel.send(call("a", "tools/call")), "send")
    assert await within(channel.receive()) == message
    held.set()
    assert await within(channel.receive()) == answer
    await within(sending)


async def test_a_server_without_a_get_stream_gets_no_second_get(connect: Any) -> None:
    channel, transport = await connect(server(a=answered(jsonrpc.response("a", {}))))
    await within(channel.send(call("a", "ping")))
    assert await within(channel.receive())
    assert len(transport.of("GET")) <= 1


async def test_the_get_stream_is_read_and_resumed(connect: Any) -> None:
    hold = asyncio.Event()
    messages = [jsonrpc.notification(f"notifications/{number}") for number in (1, 2)]
    script = server(
        GET=[
            events(encode_event("0-1", messages[0], retry=0), httpx.ReadError("reset")),
            events(encode_event("0-2", messages[1]), hold=hold),
        ]
    )
    channel, transport = await connect(script)
    assert [await within(channel.receive()), await within(channel.receive())] == messages
    assert [item.headers.get("last-event-id") for item in transport.of("GET")] == [None, "0-1"]


async def test_a_broken_response_is_resumed_from_its_last_event(connect: Any) -> None:
    answer = jsonrpc.response("a", {})
    listening = httpx.Response(405)
    script = server(
        a=events(encode_event("7-0", b"", retry=0)),
        GET=[
            listening,
            httpx.ConnectError("down"),
            events(httpx.ReadError("reset")),
            events(encode_event("7-1", answer)),
        ],
    )
    channel, transport = await connect(script)
    await until(lambda: transport.of("GET"))
    await within(channel.send(call("a", "tools/call")))
    assert await within(channel.receive()) == answer
    assert [item.headers["last-event-id"] for item in transport.of("GET")[1:]] == ["7-0"] * 3


async def test_a_response_that_cannot_be_resumed_fails_only_its_request(connect: Any) -> None:
    script = server(a=events(httpx.ReadError("reset")), b=answered(jsonrpc.response("b", {})))
    channel, _ = await connect(script)
    with pytest.raises(ConnectionFailed, match="closed the connection before the response to tools/call"):
        await within(channel.send(call("a", "tools/call")))
    await within(channel.send(call("b", "ping")))
    assert await within(channel.receive()) == jsonrpc.response("b", {})


async def test_a_closed_session_is_reported_and_another_can_be_opened(connect: Any) -> None:
    script = server(a=httpx.Response(404), b=answered(jsonrpc.response("b", {})))
    channel, transport = await connect(script)
    with pytest.raises(SessionGone, match="no longer knows this session"):
        await within(channel.send(call("a", "ping")))
    with pytest.raises(SessionGone, match="no longer knows this session"):
        await within(channel.send(call("b", "ping")))
    sent = len(transport.of("POST"))
    await within(channel.send(initialize()))
    assert "mcp-session-id" not in transport.of("POST")[sent].headers
    assert await within(channel.receive()) == AGREED
    await within(channel.send(INITIALIZED))
    await within(channel.send(call("b", "ping")))
    assert transport.of("POST")[-1].headers["mcp-session-id"] == "the-session"


async def test_an_expired_session_is_not_deleted(connect: Any) -> None:
    channel, transport = await connect(server(a=httpx.Response(404)))
    with pytest.raises(SessionGone):
        await within(channel.send(call("a", "ping")))
    await within(channel.close())
    assert not transport.of("DELETE")


async def test_an_error_without_an_id_is_the_answer_to_its_exchange(connect: Any) -> None:
    refusal = httpx.Response(400, headers=JSON, content=jsonrpc.error(None, -32600, "no"))
    channel, _ = await connect(server(a=refusal))
    await within(channel.send(call("a", "ping")))
    assert await within(channel.receive()) == jsonrpc.error("a", -32600, "no")


async def test_a_failed_handshake_is_explained() -> None:
    for answer, words in (
        (httpx.Response(404, text="Not Found"), r"answered 404 Not Found\. Check the path, which is often /mcp\."),
        (httpx.Response(404, text="Not found: no such page."), r"answered 404 Not Found: no such page\. Check"),
        (httpx.Response(401, text="Unauthorized."), r"answered 401 Unauthorized\. It requires authorization"),
        (httpx.Response(401, text="Unauthorizedly"), r"answered 401 Unauthorized: Unauthorizedly"),
        (httpx.Response(499, text=": odd"), r"answered 499: : odd"),
        (httpx.Response(404, headers=JSON, content=jsonrpc.error(None, -32600, "nothing")), "404 Not Found: nothing"),
        (httpx.Response(405), "405 Method Not Allowed.*often /mcp"),
        (httpx.Response(401), "401 Unauthorized.*authorization"),
        (httpx.Response(502, text="<h1>Bad\nGateway</h1>"), "502 Bad Gateway: <h1>Bad$"),
        (httpx.Response(200, headers={"content-type": "text/html"}, text="<p>"), "text/html; is it an MCP server"),
        (httpx.ConnectError("All connection attempts failed"), "Cannot connect to http://server.test/mcp"),
        (httpx.ReadTimeout(""), "ReadTimeout"),
    ):
        channel = HttpChannel(URL, transport=ScriptedTransport(lambda _, answer=answer: answer))
        with pytest.raises(ConnectionFailed, match=words):
            await within(channel.send(initialize()))
        await within(channel.close())


@pytest.mark.parametrize("kind", ["json", "events"])
async def test_an_answer_over_the_limit_is_refused(connect: Any, kind: str) -> None:
    large = jsonrpc.response("a", {"x": "y" * 2000})
    answer = answered(large) if kind == "json" else events(encode_event("1", large))
    channel, _ = await connect(server(a=answer), limit=1000)
    with pytest.raises(ConnectionFailed, match=r"too much at once|longer than 1,000"):
        await within(channel.send(call("a", "ping")))


async def test_closing_deletes_the_session_and_wakes_the_readers(connect: Any) -> None:
    hold = asyncio.Event()
    channel, transport = await connect(server(a=events(hold=hold), GET=events(hold=hold)))
    receiving = spawn(channel.receive(), "receive")
    sending = spawn(channel.send(call("a", "tools/call")), "send")
    await until(lambda: len(transport.of("POST")) == 3)
    await within(channel.close())
    assert await within(receiving) is None
    await within(asyncio.wait([sending]))
    (goodbye,) = transport.of("DELETE")
    assert goodbye.headers["mcp-session-id"] == "the-session"
    with pytest.raises(ConnectionFailed, match="closed"):
        await channel.send(call("b", "ping"))


async def test_a_cancelled_request_no_longer_waits(connect: Any) -> None:
    channel, transport = await connect(server(a=events(hold=asyncio.Event())))
    sending = spawn(channel.send(call("a", "tools/call")), "send")
    await until(lambda: len(transport.of("POST")) == 3)
    await within(channel.send(notification("notifications/cancelled", requestId="a")))
    await within(sending)


async def test_a_server_that_stays_unreachable_ends_the_channel(connect: Any) -> None:
    channel, _ = await connect(server(GET=httpx.ConnectError("down")))
    with pytest.raises(ConnectionFailed, match="Is the server running"):
        await within(channel.receive())


@pytest.mark.parametrize("url", ["nonsense", "ftp://server/mcp", "http://[::1"])
async def test_an_invalid_url_to_visit_is_refused(url: str) -> None:
    channel = HttpChannel(url)
    with pytest.raises(ConnectionFailed):
        await within(channel.send(initialize()))
    await within(channel.close())


async def test_a_port_without_a_listener_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/mcp"
    channel = HttpChannel(url)
    with pytest.raises(ConnectionFailed, match=rf"Cannot connect to {url}.*Is the server running"):
        await within(channel.send(initialize()))
    await within(channel.close())


def stateless(id: str | int, method: str, **params: Any) -> bytes:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    return jsonrpc.request(id, method, {**params, "_meta": meta})


async def test_a_stateless_request_repeats_its_body_in_headers_and_names_no_session(connect: Any) -> None:
    channel, transport = await connect(server(a=answered(jsonrpc.response("a", {}))))
    await within(channel.send(stateless("a", "tools/call", name="caf\u00e9", arguments={})))
    headers = transport.of("POST")[-1].headers
    assert headers["mcp-protocol-version"] == "2026-07-28"
    assert headers["mcp-method"] == "tools/call"
    assert headers["mcp-name"] == "=?base64?Y2Fmw6k=?="
    assert "mcp-session-id" not in headers


async def test_a_stateless_request_is_cancelled_by_closing_its_stream(connect: Any) -> None:
    channel, transport = await connect(server(a=events(hold=asyncio.Event())))
    sending = spawn(channel.send(stateless("a", "tools/call", name="x")), "send")
    await until(lambda: len(transport.of("POST")) == 3)
    await within(channel.send(notification("notifications/cancelled", requestId="a")))
    await within(sending)
    assert len(transport.of("POST")) == 3


@pytest.mark.parametrize("status", [200, 400, 404, 500])
async def test_an_error_in_a_body_is_the_error_with_any_status(connect: Any, status: int) -> None:
    refusal = jsonrpc.error("a", -32601, "Method not found")
    channel, _ = await connect(server(a=httpx.Response(status, headers=JSON, content=refusal)))
    await within(channel.send(stateless("a", "x/y")))
    assert await within(channel.receive()) == refusal
    await within(channel.send(stateless("a", "x/y")))


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_client_gets_the_refusal_and_no_revision(connect: Any, status: int) -> None:
    refusal = httpx.Response(status, headers=JSON, content=jsonrpc.error(None, -32600, "Token has expired"))
    channel, _ = await connect(server(a=refusal))
    with pytest.raises(ConnectionFailed, match=f"answered {status} .*Token has expired"):
        await within(channel.send(stateless("a", "server/discover")))


async def test_a_body_that_answers_something_else_fails_its_request(connect: Any) -> None:
    channel, _ = await connect(server(a=answered(jsonrpc.response("b", {}))))
    with pytest.raises(ConnectionFailed, match="invalid response to ping"):
        await within(channel.send(call("a", "ping")))


async def test_a_stateless_stream_that_breaks_is_lost(connect: Any) -> None:
    channel, transport = await connect(server(a=events(encode_event("7-0", b"", retry=0))))
    with pytest.raises(ConnectionFailed, match="closed the connection before the response to tools/call"):
        await within(channel.send(stateless("a", "tools/call", name="x")))
    assert all("last-event-id" not in item.headers for item in transport.of("GET"))


LISTED = {
    "tools": [
        {"name": "find", "inputSchema": {"properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}},
        {"name": "bad", "inputSchema": {"properties": {"n": {"type": "number", "x-mcp-header": "N"}}}},
        {"name": "plain", "inputSchema": {"type": "object"}},
    ]
}


async def test_arguments_are_repeated_in_the_headers_that_a_list_of_tools_declares(connect: Any) -> None:
    done = answered(jsonrpc.response("b", {})), answered(jsonrpc.response("b", {}))
    channel, transport = await connect(server(a=answered(jsonrpc.response("a", LISTED)), b=list(done)))
    await within(channel.send(stateless("a", "tools/list")))
    assert list(channel.refused_tools) == ["bad"]
    await within(channel.send(stateless("b", "tools/call", name="find", arguments={"region": "Z\u00fcrich"})))
    assert transport.of("POST")[-1].headers["mcp-param-region"] == "=?base64?WsO8cmljaA==?="
    await within(channel.send(stateless("b", "tools/call", name="plain", arguments={"region": "x"})))
    assert "mcp-param-region" not in transport.of("POST")[-1].headers


async def test_a_list_in_a_session_declares_no_headers(connect: Any) -> None:
    channel, transport = await connect(
        server(a=answered(jsonrpc.response("a", LISTED)), b=answered(jsonrpc.response("b", {})))
    )
    await within(channel.send(call("a", "tools/list")))
    await within(channel.send(call("b", "tools/call", name="find", arguments={"region": "x"})))
    assert "mcp-param-region" not in transport.of("POST")[-1].headers
    assert not channel.refused_tools


@pytest.mark.parametrize("kind", ["json", "events"])
async def test_an_answer_in_a_batch_is_an_answer(connect: Any, kind: str) -> None:
    message, answer = jsonrpc.notification("notifications/message", {}), jsonrpc.response("a", {})
    batch = b"[" + message + b"," + answer + b"]"
    channel, _ = await connect(server(a=answered(batch) if kind == "json" else events(encode_event("1", batch))))
    await within(channel.send(call("a", "ping")))
    assert await within(channel.receive()) == batch
