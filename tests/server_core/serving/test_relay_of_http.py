"""The relay before a server on HTTP, whose streams and requests fail without an end of the server."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from server_core.records.tap import Kind, Tap
from server_core.serving.relay import Relay
from server_core.transports.channel import Channel
from server_core.transports.http_client import get_stream
from server_core.transports.http_client.http_client import HttpChannel
from tests.server_core.toolkit import INITIALIZED, RecordingOutlet, Records, call, initialize
from tests.waiting import until, within

AGREED = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
EVENTS = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


class CuttingServer:
    """A server on a port of its own, which hangs up on streams: at once, and on a call before its answer."""

    def __init__(self) -> None:
        self.listens = 0
        self.refusal = 0
        """The status with which calls are refused, if it is one."""
        self.port = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator["CuttingServer"]:
        server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield self

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = next((int(line[15:]) for line in head.splitlines() if line.startswith("content-length:")), 0)
            message = json.loads(await reader.readexactly(length) or b"{}")
        except asyncio.IncompleteReadError:
            return writer.close()  # The client has given up.
        writer.write(self._answer(head.split()[0], message))
        await writer.drain()
        writer.close()

    def _answer(self, method: str, message: dict[str, Any]) -> bytes:
        if method == "get":
            self.listens += 1
            return EVENTS + b": still here\n\n"
        if message.get("method") == "initialize":
            return _response(200, {"jsonrpc": "2.0", "id": message["id"], "result": AGREED})
        if message.get("method") == "ping":
            return _response(200, {"jsonrpc": "2.0", "id": message["id"], "result": {}})
        if "id" in message:
            return _response(self.refusal) if self.refusal else EVENTS
        return _response(202)


def _response(status: int, body: Any = None) -> bytes:
    text = b"" if body is None else json.dumps(body).encode()
    head = f"HTTP/1.1 {status} Some\r\nmcp-session-id: s\r\ncontent-type: application/json\r\nconnection: close\r\n"
    return f"{head}content-length: {len(text)}\r\n\r\n".encode() + text


class Client:
    """A client of a relay before the server."""

    def __init__(self, server: CuttingServer) -> None:
        async def dial() -> Channel:
            return HttpChannel(f"http://127.0.0.1:{server.port}/mcp")

        tap = Tap()
        self.records = Records(tap)
        self.outlet = RecordingOutlet()
        self.session = Relay(tap, dial).open_session(self.outlet, "memory")

    async def answer(self, request: bytes) -> dict[str, Any]:
        """Send a request and return its answer."""
        id, count = json.loads(request)["id"], len(self.outlet.sent)
        self.session.receive(request)
        await until(lambda: any(message.get("id") == id for message in self.outlet.sent[count:]))
        return next(message for message in self.outlet.sent[count:] if message.get("id") == id)

    async def begin(self) -> None:
        assert (await self.answer(initialize()))["result"] == AGREED
        self.session.receive(INITIALIZED)


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[CuttingServer]:
    monkeypatch.setattr(get_stream, "RETRY_MS", 1)
    async with CuttingServer().running() as server:
        yield server


@pytest.fixture
async def client(server: CuttingServer) -> AsyncIterator[Client]:
    client = Client(server)
    await client.begin()
    yield client
    client.session.close()
    await within(client.session.wait_closed())


@pytest.mark.parametrize("refusal", [0, 401, 500, 502])
async def test_a_request_that_is_cut_off_or_refused_fails_alone(
    server: CuttingServer, client: Client, refusal: int
) -> None:
    server.refusal = refusal
    failed = (await client.answer(call(1, "tools/call", name="a")))["error"]
    assert failed["code"] == -32603
    assert (str(refusal) if refusal else "closed the connection before the response to tools/call") in failed["message"]
    assert (await client.answer(call(2, "ping")))["result"] == {}
    assert client.session.upstream_lost == ""


async def test_a_stream_of_the_server_that_is_cut_again_and_again_is_no_loss(
    server: CuttingServer, client: Client
) -> None:
    await until(lambda: server.listens >= 2 * get_stream.MAX_ATTEMPTS)
    assert (await client.answer(call(1, "ping")))["result"] == {}
    assert client.session.upstream_lost == ""


async def test_a_message_that_fails_and_wants_no_answer_is_recorded(server: CuttingServer, client: Client) -> None:
    server.refusal = 500
    client.session.receive(b'{"jsonrpc":"2.0","id":"asked","result":{}}')
    await until(lambda: "message_failed" in [event["event"] for event in client.records.events()])
    assert client.session.upstream_lost == ""
    assert not client.records.of(Kind.ERROR)


async def test_a_server_that_cannot_be_connected_to_is_lost() -> None:
    async with CuttingServer().running() as server:
        client = Client(server)
        await client.begin()
    assert "Is the server running?" in (await client.answer(call(1, "ping")))["error"]["message"]
    assert "Is the server running?" in client.session.upstream_lost
    client.session.close()
    await within(client.session.wait_closed())


async def test_a_session_that_the_server_does_not_know_any_more_is_lost(server: CuttingServer, client: Client) -> None:
    server.refusal = 404
    assert "no longer knows this session" in (await client.answer(call(1, "tools/call")))["error"]["message"]
    assert "no longer knows this session" in client.session.upstream_lost
