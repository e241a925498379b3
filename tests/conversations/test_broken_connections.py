"""Connections that break, responses that are late, and two eras on a connection."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from server_core.errors import ConnectionFailed
from server_core.protocol.envelope import CLIENT_CAPABILITIES, PROTOCOL_VERSION
from server_core.runtime.background import spawn
from server_core.transports.channel import Channel
from server_core.transports.http_client import get_stream
from server_core.transports.http_client.http_client import HttpChannel
from tests.conversations.conftest import World, over
from tests.server_core.toolkit import INITIALIZED, call, initialize
from tests.waiting import until, within
from workbench.client.session import ClientSession

ENVELOPE = {PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: {}}


class Proxy:
    """A way to a server over TCP that can be cut.

    Args:
        url: of the server.
    """

    def __init__(self, url: str) -> None:
        self.cuts = 0
        self._server_url = urlsplit(url)
        self._open: set[asyncio.StreamWriter] = set()
        self._piping: list[asyncio.Task[None]] = []

    async def listen(self) -> None:
        """Begin to listen; then `url` leads to the server."""
        self._listener = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        port = self._listener.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}{self._server_url.path}"

    def cut(self) -> None:
        """Break every connection that is open."""
        self.cuts += 1
        for writer in self._open:
            writer.transport.abort()

    async def close(self) -> None:
        """Break everything, and listen no longer."""
        self.cut()
        self._listener.close()
        await asyncio.gather(*self._piping)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to = self._server_url
        far_reader, far_writer = await asyncio.open_connection(to.hostname, to.port)
        self._open |= {writer, far_writer}
        for source, target in ((reader, far_writer), (far_reader, writer)):
            self._piping.append(spawn(self._pipe(source, target), "pipe"))

    async def _pipe(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(data)
        writer.transport.abort()


@contextlib.asynccontextmanager
async def over_a_proxy(world: World) -> AsyncIterator[tuple[ClientSession, Proxy]]:
    channel = await world.dial()
    assert isinstance(channel, HttpChannel)
    await channel.close()
    proxy = Proxy(channel.url)
    await proxy.listen()
    options = {"revision": world.revision}
    client = await within(ClientSession.open(world.witness.attach(HttpChannel(proxy.url)), **options))
    try:
        yield client, proxy
    finally:
        await within(client.close())
        await proxy.close()


@pytest.fixture
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(get_stream, "RETRY_MS", 1)


@over(lambda revision: not revision.stateless, ["http"])
@pytest.mark.usefixtures("no_pause")
async def test_a_call_continues_after_a_cut_and_nothing_is_received_twice(world: World) -> None:
    async with over_a_proxy(world) as (client, proxy):
        running = client.call_tool("march", {})
        for step in (1, 2):
            await until(lambda step=step: len(running.progress) == step)
            proxy.cut()
            world.toolkit.steps.put_nowait(None)
        await until(lambda: len(running.progress) == 3)
        world.toolkit.steps.put_nowait(None)
        result = await within(running.result())
        assert result["content"][0]["text"] == "arrived"
        assert [report.progress for report in running.progress] == [1, 2, 3]
        assert not world.toolkit.cancelled.is_set()
        assert len(world.witness.requests("tools/call")) == 1


@over(lambda revision: revision.stateless, ["http"])
async def test_without_a_session_a_lost_connection_ends_the_call_on_both_sides(world: World) -> None:
    async with over_a_proxy(world) as (client, proxy):
        running = client.call_tool("march", {})
        await until(lambda: running.progress)
        proxy.cut()
        with pytest.raises(ConnectionFailed):
            await within(running.result())
        await within(world.toolkit.cancelled.wait())
        assert (await within(client.call_tool("add", {"a": 1, "b": 2}).result()))["content"][0]["text"] == "3"


@pytest.mark.parametrize("world", ["memory", "stdio", "websocket"], indirect=True)
async def test_a_client_that_does_not_wait_for_the_response_to_its_probe_is_served(world: World) -> None:
    late = asyncio.Event()
    channel = await world.dial()
    receive = channel.receive
    held: list[bytes] = []

    async def holding_back() -> bytes | None:
        if held and late.is_set():
            return held.pop()
        message = await receive()
        if message is not None and b"supportedVersions" in message and not late.is_set():
            held.append(message)
            return await holding_back()
        return message

    vars(channel)["receive"] = holding_back
    client = await within(ClientSession.open(channel, revision=None, probe_timeout=0.01))
    assert client.revision.date == "2025-11-25"
    late.set()
    for _ in range(2):
        assert "resultType" not in await within(client.call_tool("add", {"a": 1, "b": 2}).result())
    assert not held
    assert client.message_failures == 0
    await within(client.close())


async def answers(channel: Channel, count: int) -> list[dict[str, Any]]:
    return [json.loads(await within(channel.receive()) or b"") for _ in range(count)]


@pytest.mark.parametrize("world", ["memory", "stdio", "websocket"], indirect=True)
async def test_both_eras_alternate_on_a_connection(world: World) -> None:
    channel = await world.dial(ours=False)
    arguments = {"name": "add", "arguments": {"a": 1, "b": 2}}
    for message in (
        call(1, "tools/call", **arguments, _meta=ENVELOPE),
        initialize("2025-06-18"),
        INITIALIZED,
        call(2, "tools/call", **arguments),
        call(3, "tools/call", **arguments, _meta=ENVELOPE),
        call(4, "server/discover"),
        call(5, "ping", _meta=ENVELOPE),
        call(6, "ping"),
    ):
        await within(channel.send(message))
    by_id = {answer["id"]: answer for answer in await answers(channel, 7)}
    assert [by_id[request_id]["result"].get("resultType") for request_id in (1, 2, 3)] == ["complete", None, "complete"]
    assert by_id[0]["result"]["protocolVersion"] == "2025-06-18"
    assert [by_id[request_id]["error"]["code"] for request_id in (4, 5)] == [-32601, -32601]
    assert by_id[6]["result"] == {}
    await within(channel.close())


@pytest.mark.parametrize("world", ["memory", "stdio", "websocket"], indirect=True)
async def test_a_call_of_an_era_does_not_wait_for_a_call_of_the_other(world: World) -> None:
    channel = await world.dial(ours=False)
    for message in (initialize(), INITIALIZED, call(1, "tools/call", name="wait")):
        await within(channel.send(message))
    await answers(channel, 1)
    await within(world.toolkit.entered.wait())
    await within(channel.send(call(1, "tools/call", name="add", arguments={"a": 1, "b": 2}, _meta=ENVELOPE)))
    (quick,) = await answers(channel, 1)
    assert quick["result"]["resultType"] == "complete"
    world.toolkit.gate.set()
    (slow,) = await answers(channel, 1)
    assert slow["result"]["content"][0]["text"] == "through"
    await within(channel.close())
