"""A replay of some of the requests, in steps, and continued by hand."""

import pytest

from server_core.errors import ConfigurationError
from server_core.transports.channel import Channel
from tests.waiting import within
from tests.workbench.client.scripted import ScriptedServer
from tests.workbench.replay.conversation import Conversation
from tests.workbench.replay.playing import greeting
from workbench.model.traffic.filter import parse_filter
from workbench.replay.player import Player, play
from workbench.replay.recording import LeftOut, Recording
from workbench.replay.report import Status
from workbench.replay.selection import select


def talk() -> Conversation:
    """Three calls: Ada, Bo and Cy."""
    talk = Conversation()
    talk.handshake()
    for number, name in enumerate(("Ada", "Bo", "Cy"), start=1):
        talk.client_asks(number, "tools/call", name="greet", arguments={"name": name})
        talk.server_answers(number, **greeting("Hello"))
    return talk


def player_on(server: ScriptedServer, recording: Recording | None = None) -> Player:
    async def connect() -> Channel:
        return server

    return Player(recording or talk().recording(), connect, "scripted", 5.0)


def names(server: ScriptedServer) -> list[str]:
    calls = [message for message in server.received if message.get("method") == "tools/call"]
    return [message["params"]["arguments"]["name"] for message in calls]


def server() -> ScriptedServer:
    return ScriptedServer(tools__call=greeting("Hello"))


@pytest.mark.parametrize(
    ("first", "last", "only", "sent"),
    [
        (6, None, "", ["Bo", "Cy"]),
        (None, 6, "", ["Ada", "Bo"]),
        (6, 6, "", ["Bo"]),
        (None, None, "Cy", ["Cy"]),
        (None, None, "tool:greet !Bo", ["Ada", "Cy"]),
    ],
)
async def test_requests_are_left_out_by_number_and_by_a_filter(
    first: int | None, last: int | None, only: str, sent: list[str]
) -> None:
    conversation, peer = talk(), server()
    recording = conversation.recording()
    select(recording, first, last, parse_filter(only) if only else None, lambda: conversation.records)

    async def connect() -> Channel:
        return peer

    report = await within(play(recording, connect, "scripted", 5.0))
    assert names(peer) == sent
    # The handshake is always replayed.
    assert next(each.method for each in report.outcomes if each.status is not Status.SKIPPED) == "initialize"
    assert len(report.outcomes) == 4
    assert not report.differs


def test_a_selection_of_nothing_is_an_error() -> None:
    conversation = talk()
    with pytest.raises(ConfigurationError, match="No request of the capture is left"):
        select(conversation.recording(), 100, None, None, lambda: conversation.records)


async def test_each_step_sends_one_request_and_compares_its_answer() -> None:
    peer = server()
    player = player_on(peer)
    await within(player.advance())
    assert names(peer) == []
    await within(player.advance())
    assert names(peer) == ["Ada"]
    assert [outcome.method for outcome in player.report.outcomes] == ["initialize", "tools/call"]
    assert player.next is not None
    assert player.next.name == "greet"
    await player.close()
    assert peer.is_closed


async def test_a_request_is_skipped_and_another_is_changed() -> None:
    peer = server()
    player = player_on(peer)
    await within(player.advance())
    assert player.next is not None
    player.next.skip()
    await within(player.advance())
    player.next.change({"name": "greet", "arguments": {"name": "Di"}})
    await within(player.advance())
    await within(player.advance())
    await within(player.finish())
    assert names(peer) == ["Di", "Cy"]
    reasons = [outcome.reason for outcome in player.report.outcomes]
    assert reasons == ["", LeftOut.SKIPPED, "its params were changed for this replay", ""]


async def test_a_value_in_place_of_a_masked_secret_makes_a_call_possible() -> None:
    conversation = Conversation()
    conversation.handshake()
    conversation.client_asks(1, "tools/call", name="greet", arguments={"name": "<secret NAME>"})
    conversation.server_answers(1, **greeting("Hello"))
    peer = server()
    player = player_on(peer, conversation.recording())
    await within(player.advance())
    assert player.next is not None
    assert "secret" in player.next.obstacle
    player.next.change({"name": "greet", "arguments": {"name": "Ada"}})
    await within(player.advance())
    await player.close()
    assert names(peer) == ["Ada"]


async def test_a_fork_returns_the_open_session_and_sends_no_more() -> None:
    peer = server()
    player = player_on(peer)
    await within(player.advance())
    await within(player.advance())
    session = await within(player.fork())
    assert session is not None
    assert not peer.is_closed
    await within(session.request("tools/call", {"name": "greet", "arguments": {"name": "Eve"}}))
    assert names(peer) == ["Ada", "Eve"]
    await session.close()


async def test_a_fork_before_the_first_request_returns_no_session() -> None:
    assert await within(player_on(server()).fork()) is None
