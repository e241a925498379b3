"""The client's end of HTTP+SSE, and how a channel falls back to it, against scripted servers."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from server_core.errors import ConnectionFailed
from server_core.protocol import jsonrpc
from server_core.runtime.background import spawn
from server_core.transports.http_client import http_sse_client
from server_core.transports.http_client.http_any_client import AnyHttpChannel
from server_core.transports.http_client.http_client import HttpChannel
from server_core.transports.http_client.http_sse_client import SseChannel
from tests.server_core.toolkit import INITIALIZED, call, initialize
from tests.waiting import within

URL = "http://server.test/sse"
EVENTS = {"content-type": "text/event-stream"}
HELLO = jsonrpc.response(0, {"protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": {"name": "old"}})


class Older(httpx.AsyncBaseTransport):
    """A server that speaks HTTP+SSE alone, and answers each request with what `answers` has for its id."""

    def __init__(self, endpoint: str = "/messages?session=1", post: int = 202, refusal: int = 405) -> None:
        self.requests: list[httpx.Request] = []
        self.answers = {0: HELLO, "a": jsonrpc.response("a", {})}
        self._endpoint = endpoint
        self._post = post
        self._refusal = refusal
        self._events: asyncio.Queue[bytes | None] = asyncio.Queue()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        self.requests.append(request)
        if request.method == "GET":
            return httpx.Response(200, headers=EVENTS, content=self._stream())
        if request.url.path != "/messages":
            return httpx.Response(self._refusal, text="nothing is posted here")
        if (answer := self.answers.get(json.loads(request.content).get("id", ""))) is not None:
            self._events.put_nowait(answer)
        return httpx.Response(self._post, text="Accepted")

    def hang_up(self) -> None:
        self._events.put_nowait(None)

    async def _stream(self) -> AsyncIterator[bytes]:
        yield b"event: endpoint\ndata: " + self._endpoint.encode() + b"\n\n"
        while (message := await self._events.get()) is not None:
            yield b"event: message\ndata: " + message + b"\n\n"


Open = Callable[[Older], AnyHttpChannel]


@pytest.fixture
async def opened() -> AsyncIterator[Open]:
    channels: list[AnyHttpChannel] = []

    def open_channel(server: Older) -> AnyHttpChannel:
        channels.append(AnyHttpChannel(URL, {"Authorization": "Bearer t"}, transport=server))
        return channels[-1]

    yield open_channel
    for channel in channels:
        await within(channel.close())


@pytest.mark.parametrize("status", [400, 404, 405])
async def test_a_server_that_refuses_posts_to_its_url_is_used_by_its_stream(opened: Open, status: int) -> None:
    server = Older(refusal=status)
    channel = opened(server)
    receiving = spawn(channel.receive(), "receive")
    await within(channel.send(initialize()))
    assert await within(receiving) == HELLO
    await within(channel.send(INITIALIZED))
    await within(channel.send(call("a", "ping")))
    assert await within(channel.receive()) == server.answers["a"]
    posted = [str(request.url) for request in server.requests if request.method == "POST"]
    assert posted == [URL, *["http://server.test/messages?session=1"] * 3]
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer t"}
    assert {request.headers["accept"] for request in server.requests if request.method == "GET"} == {
        "text/event-stream"
    }


async def test_a_server_that_refuses_for_another_reason_gets_no_request_for_a_stream(opened: Open) -> None:
    server = Older(refusal=403)
    with pytest.raises(ConnectionFailed, match="403"):
        await within(opened(server).send(initialize()))
    assert [request.method for request in server.requests] == ["POST"]


async def test_a_url_with_neither_transport_is_described_in_current_terms() -> None:
    channel = AnyHttpChannel(URL, transport=httpx.MockTransport(lambda _: httpx.Response(404, text="Not Found")))
    with pytest.raises(ConnectionFailed, match="Check the path"):
        await within(channel.send(initialize()))
    await within(channel.close())


async def test_only_initialize_falls_back_to_http_sse(opened: Open) -> None:
    server = Older()
    with pytest.raises(ConnectionFailed, match="405"):
        await within(opened(server).send(call("a", "ping")))
    assert [request.method for request in server.requests] == ["POST"]


async def test_the_end_of_the_stream_is_the_end_of_the_session(opened: Open) -> None:
    server = Older()
    channel = opened(server)
    await within(channel.send(initialize()))
    assert await within(channel.receive()) == HELLO
    server.hang_up()
    with pytest.raises(ConnectionFailed, match="closed its event stream"):
        await within(channel.receive())
    with pytest.raises(ConnectionFailed, match="closed its event stream"):
        await within(channel.send(call("a", "ping")))


async def test_a_refused_message_fails_alone() -> None:
    channel = await within(SseChannel.connect(URL, transport=Older(post=500)))
    for _ in range(2):
        with pytest.raises(ConnectionFailed, match="500"):
            await within(channel.send(call("b", "ping")))
    await within(channel.close())
    await within(channel.close())
    assert await within(channel.receive()) is None


@pytest.mark.parametrize("endpoint", ["http://elsewhere.test/messages", "//elsewhere.test/x", "https://server.test/x"])
async def test_messages_are_posted_to_no_other_server(endpoint: str) -> None:
    with pytest.raises(ConnectionFailed, match="another server"):
        await within(SseChannel.connect(URL, transport=Older(endpoint)))


async def test_a_stream_without_an_endpoint_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_sse_client, "ENDPOINT_SECONDS", 0.01)
    held = asyncio.Event()

    async def silent() -> AsyncIterator[bytes]:
        yield b": hello\n\n"
        await held.wait()

    transport = httpx.MockTransport(lambda _: httpx.Response(200, headers=EVENTS, content=silent()))
    with pytest.raises(ConnectionFailed, match=r"did not send its endpoint"):
        await within(SseChannel.connect(URL, transport=transport))


async def test_a_url_that_serves_pages_is_no_stream() -> None:
    page = httpx.MockTransport(lambda _: httpx.Response(200, headers={"content-type": "text/html"}, text="<p>Hello"))
    with pytest.raises(ConnectionFailed, match="200 OK: <p>Hello"):
        await within(SseChannel.connect(URL, transport=page))


async def test_streamable_http_is_used_where_it_is_available() -> None:
    answer = httpx.Response(200, headers={"content-type": "application/json"}, content=HELLO)
    channel = AnyHttpChannel(URL, transport=httpx.MockTransport(lambda _: answer))
    await within(channel.send(initialize()))
    assert await within(channel.receive()) == HELLO
    assert isinstance(channel._channel, HttpChannel)
    await within(channel.close())
    assert await within(channel.receive()) is None
