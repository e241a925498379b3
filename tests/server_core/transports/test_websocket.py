"""One message in a frame, one session in a connection."""

import http
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import unix_connect
from websockets.asyncio.server import ServerConnection, unix_serve
from websockets.http11 import Request, Response

from server_core.errors import ConnectionFailed
from server_core.runtime.background import spawn
from server_core.serving.server import Server
from server_core.transports import websocket
from server_core.transports.websocket import WebSocketChannel, serve_websocket
from tests.server_core.toolkit import INITIALIZED, Toolkit, call, initialize, new_server
from tests.waiting import until, within


class Place:
    """Where a server listens."""

    def __init__(self, toolkit: Toolkit, server: Server, path: str) -> None:
        self.toolkit = toolkit
        self.server = server
        self.path = path

    async def connect(self, **options: Any) -> WebSocketChannel:
        return await WebSocketChannel.connect("ws://localhost/mcp", unix_path=self.path, **options)


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    toolkit = Toolkit()
    server = new_server(toolkit)
    path = str(Path(os.environ["WORKBENCH_RUNTIME"]) / "test.sock")

    def admit(connection: ServerConnection, request: Request) -> Response | None:
        if request.headers.get("Authorization", "Bearer right") != "Bearer right":
            return connection.respond(http.HTTPStatus.UNAUTHORIZED, "no\n")
        return None

    async with unix_serve(
        lambda item: serve_websocket(server, item, peer_name="a test"), path, process_request=admit, max_size=10_000
    ):
        yield Place(toolkit, server, path)
        toolkit.gate.set()


async def test_a_token_opens_the_door(place: Place) -> None:
    channel = await within(place.connect(token="right"))
    await channel.send(initialize())
    assert json.loads((await within(channel.receive())) or b"")["id"] == 0
    assert place.server.sessions["s1"].describe()["peer"] == "a test"
    await channel.close()


async def test_a_wrong_token_does_not(place: Place) -> None:
    with pytest.raises(ConnectionFailed, match="answered 401"):
        await within(place.connect(token="wrong"))


async def test_a_url_without_a_listener_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConnectionFailed, match=r"Cannot connect to .*missing\.sock"):
        await within(WebSocketChannel.connect("ws://localhost/", unix_path=str(tmp_path / "missing.sock")))
    with pytest.raises(ConnectionFailed, match="Cannot connect to nonsense"):
        await within(WebSocketChannel.connect("nonsense"))


async def test_binary_frames_are_read_and_answers_are_text(place: Place) -> None:
    async with unix_connect(place.path, "ws://localhost/mcp") as connection:
        await connection.send(initialize())
        assert isinstance(await within(connection.recv()), str)


async def test_a_frame_over_the_limit_ends_the_connection_with_a_reason(place: Place) -> None:
    channel = await within(place.connect())
    await channel.send(initialize())
    assert await within(channel.receive())
    await channel.send(b" " * 20_000)
    with pytest.raises(ConnectionFailed, match="1009"):
        await within(channel.receive())
    with pytest.raises(ConnectionFailed):
        await channel.send(call(1, "ping"))
    await until(lambda: place.server.sessions["s1"].describe()["closed"])


async def test_a_client_that_never_reads_counts_as_disconnected(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "MAX_UNREAD", 1000)
    channel = await within(place.connect())
    await channel.send(initialize())
    assert await within(channel.receive())
    session = place.server.sessions["s1"]
    for _ in range(20):
        session.notify("notifications/message", {"data": "x" * 100})
    await until(lambda: session.describe()["closed"])
    await channel.close()


async def test_a_client_that_leaves_ends_its_session_and_its_calls(place: Place) -> None:
    channel = await within(place.connect())
    for message in (initialize(), INITIALIZED, call(1, "tools/call", name="wait")):
        await channel.send(message)
    await within(place.toolkit.entered.wait())
    receiving = spawn(channel.receive(), "receive")
    await channel.close()
    await within(place.toolkit.cancelled.wait())
    while await within(receiving) is not None:
        receiving = spawn(channel.receive(), "receive")
    assert place.server.sessions["s1"].describe()["closed"]
