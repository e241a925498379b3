"""A session whose server has forgotten it: another is started on the same channel, invisibly to callers."""

from typing import Any

import pytest

from server_core.errors import ConnectionFailed
from server_core.transports.channel import SessionGone
from tests.waiting import within
from tests.workbench.client.scripted import ScriptedServer
from workbench.client.session import ClientSession


class Forgetful(ScriptedServer):
    """A server that forgets its session whenever the test requires it."""

    def __init__(self, **replies: Any) -> None:
        super().__init__(**replies)
        self.has_forgotten = False

    async def send(self, message: bytes) -> None:
        if b'"method":"initialize"' in message:
            self.has_forgotten = False
        if self.has_forgotten:
            raise SessionGone("no longer knows this session")
        await super().send(message)


def methods(server: ScriptedServer) -> list[str]:
    return [message.get("method", "") for message in server.received]


async def test_a_request_without_a_valid_session_starts_another_and_is_sent_again() -> None:
    server = Forgetful(tools__call={"content": []}, logging__setLevel={})
    session = await within(ClientSession.open(server))
    await within(session.set_log_level("debug"))
    server.has_forgotten = True
    assert await within(session.call_tool("x", {}).result()) == {"content": []}
    again = ["initialize", "notifications/initialized", "logging/setLevel"]
    assert methods(server) == [*again, *again, "tools/call"]
    assert server.received[0]["params"] == server.received[3]["params"]
    await within(session.close())


async def test_many_requests_begin_a_single_session() -> None:
    server = Forgetful(tools__call=lambda params: {"n": params["arguments"]["n"]})
    session = await within(ClientSession.open(server))
    server.has_forgotten = True
    calls = [session.call_tool("x", {"n": n}) for n in range(5)]
    assert [await within(call.result()) for call in calls] == [{"n": n} for n in range(5)]
    assert methods(server).count("initialize") == 2
    await within(session.close())


async def test_a_server_that_forgets_at_once_is_abandoned() -> None:
    class Hopeless(Forgetful):
        async def send(self, message: bytes) -> None:
            await super().send(message)
            self.has_forgotten = b'"notifications/initialized"' in message

    session = await within(ClientSession.open(Hopeless(ping={})))
    with pytest.raises(ConnectionFailed, match="no longer knows"):
        await within(session.ping())
    await within(session.close())
