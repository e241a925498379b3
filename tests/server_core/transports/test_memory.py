"""A client and a session in the same loop."""

import asyncio
import json

import pytest

from server_core.errors import ConnectionFailed
from server_core.runtime.background import spawn
from server_core.transports import memory
from server_core.transports.memory import HIGH_WATER, MemoryChannel
from tests.server_core.toolkit import Toolkit, call, initialize, new_server
from tests.waiting import within


@pytest.fixture
def channel() -> MemoryChannel:
    return MemoryChannel(new_server(Toolkit()), transport="test", peer_name="the test")


async def test_the_description_of_a_session_names_its_client() -> None:
    server = new_server(Toolkit())
    MemoryChannel(server, transport="mock", peer_name="a terminal")
    shown = server.sessions["s1"].describe()
    assert (shown["transport"], shown["peer"]) == ("mock", "a terminal")


async def test_responses_are_received(channel: MemoryChannel) -> None:
    await channel.send(initialize())
    await channel.send(call(1, "ping"))
    answers = [json.loads((await within(channel.receive())) or b"") for _ in range(2)]
    assert [answer["id"] for answer in answers] == [0, 1]


async def test_closing_wakes_the_readers_and_refuses_new_messages(channel: MemoryChannel) -> None:
    receiving = spawn(channel.receive(), "receive")
    await asyncio.sleep(0)
    await channel.close()
    await channel.close()
    assert await within(receiving) is None
    with pytest.raises(ConnectionFailed):
        await channel.send(initialize())


async def test_a_client_that_never_reads_counts_as_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MAX_UNREAD", 1000)
    server = new_server(Toolkit())
    channel = MemoryChannel(server)
    await channel.send(initialize())
    for _ in range(20):
        server.sessions["s1"].notify("notifications/message", {"data": "x" * 100})
    assert await within(channel.receive()) is None


async def test_a_client_that_does_not_read_has_to_wait(channel: MemoryChannel) -> None:
    await channel.send(initialize())
    sent = 0

    async def send_on() -> None:
        nonlocal sent
        while True:
            await channel.send(call(sent, "x" * 100_000))
            sent += 1

    sending = spawn(send_on(), "send")
    while True:
        before = sent
        for _ in range(10):
            await asyncio.sleep(0)
        if sent == before:
            break
    assert sent <= HIGH_WATER // 100_000 + 1
    while sent == before:
        await within(channel.receive())
        await asyncio.sleep(0)
    sending.cancel()
