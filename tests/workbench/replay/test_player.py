"""A recorded conversation is repeated with another server."""

import asyncio

import pytest

from server_core.errors import ConnectionFailed
from tests.waiting import until, within
from tests.workbench.client.scripted import ScriptedServer
from tests.workbench.replay.conversation import Conversation
from tests.workbench.replay.playing import elicitation, greeting, outcome_of, replayed
from workbench.replay.report import Status


async def test_equal_responses_are_no_difference() -> None:
    talk = Conversation()
    talk.handshake()
    talk.client_asks("a", "tools/call", name="greet", arguments={"name": "Ada"})
    talk.server_answers("a", **greeting("Hello, Ada!"))
    server = ScriptedServer(tools__call=greeting("Hello, Ada!"))
    report = await replayed(talk, server)
    assert [outcome.status for outcome in report.outcomes] == [Status.SAME, Status.SAME]
    assert not report.differs
    assert server.received[0]["params"]["clientInfo"] == {"name": "someone", "version": "9"}
    assert server.received[0]["params"]["capabilities"] == {"elicitation": {}}
    assert (await server.message("tools/call"))["params"] == {"name": "greet", "arguments": {"name": "Ada"}}
    assert server.is_closed


async def test_a_changed_response_is_a_difference_with_its_place() -> None:
    talk = Conversation()
    talk.handshake()
    talk.client_asks(1, "tools/call", name="greet")
    talk.server_answers(1, **greeting("Hello"))
    report = await replayed(talk, ScriptedServer(tools__call=greeting("Hi")))
    (difference,) = outcome_of(report, "tools/call").differences
    assert difference.to_json() == {"path": "$.result.content[0].text", "recorded": "Hello", "replayed": "Hi"}
    assert report.differs


async def test_an_error_where_there_was_a_result_is_a_difference() -> None:
    talk = Conversation()
    talk.handshake()
    talk.client_asks(1, "resources/read", uri="x://y")
    talk.server_fails(1, -32002, "Resource not found")
    report = await replayed(talk, ScriptedServer(resources__read={"contents": []}))
    outcome = outcome_of(report, "resources/read")
    assert outcome.name == "x://y"
    assert [difference.path for difference in outcome.differences] == ["$.error", "$.result"]


async def test_another_handshake_is_a_difference() -> None:
    talk = Conversation()
    talk.handshake()
    server = ScriptedServer()
    server.replies["initialize"] = dict(server.replies["initialize"]) | {"instructions": "Be quick."}  # type: ignore[arg-type]
    report = await replayed(talk, server)
    (difference,) = outcome_of(report, "initialize").differences
    assert difference.path == "$.result.instructions"


async def test_cancelled_and_unanswered_requests_are_skipped() -> None:
    talk = Conversation()
    talk.handshake()
    talk.client_asks(1, "tools/call", name="slow")
    talk.client_notifies("notifications/cancelled", requestId=1)
    talk.client_asks(2, "tools/call", name="slower")
    server = ScriptedServer()
    report = await replayed(talk, server)
    skipped = [outcome for outcome in report.outcomes if outcome.status is Status.SKIPPED]
    assert ["cancelled" in skipped[0].reason, "has no response" in skipped[1].reason] == [True, True]
    assert not report.differs
    assert [message.get("method") for message in server.received] == ["initialize", "notifications/initialized"]


async def test_a_masked_secret_cannot_be_sent_which_is_reported() -> None:
    talk = Conversation()
    talk.handshake()
    talk.client_asks(1, "tools/call", name="login", arguments={"key": "<secret API_KEY>"})
    talk.server_answers(1, **greeting("ok"))
    report = await replayed(talk, ScriptedServer())
    outcome = outcome_of(report, "tools/call")
    assert outcome.status is Status.SKIPPED
    assert "API_KEY" in outcome.reason


async def test_other_notifications_are_sent_again() -> None:
    talk = Conversation()
    talk.handshake()
    talk.client_notifies("notifications/roots/list_changed")
    server = ScriptedServer()
    await replayed(talk, server)
    assert [message.get("method") for message in server.received][2:] == ["notifications/roots/list_changed"]


async def test_requests_overlap_where_they_overlapped() -> None:
    talk = Conversation()
    talk.handshake()
    talk.client_asks(1, "tools/call", name="wait for the other")
    talk.client_asks(2, "tools/call", name="the other")
    talk.server_answers(2, **greeting("2"))
    talk.server_answers(1, **greeting("1"))
    server = ScriptedServer()
    playing = asyncio.gather(replayed(talk, server))
    await until(lambda: len(server.received) == 4)
    first, second = server.received[2:]
    server.answer(first, greeting("1"))
    server.answer(second, greeting("2"))
    (report,) = await within(playing)
    assert report.count(Status.SAME) == 3


async def test_an_answer_that_does_not_come_is_a_difference() -> None:
    talk = Conversation()
    talk.handshake()
    talk.client_asks(1, "tools/call", name="greet")
    talk.server_answers(1, **greeting("Hello"))
    report = await replayed(talk, ScriptedServer(), timeout=0.01)
    assert "no response" in outcome_of(report, "tools/call").reason
    assert report.differs


async def test_a_server_that_disconnects_is_a_difference_for_requests_in_flight() -> None:
    talk = Conversation()
    talk.handshake()
    talk.client_asks(1, "tools/call", name="crash")
    talk.server_answers(1, **greeting("fine"))
    talk.client_asks(2, "tools/list")
    talk.server_answers(2, tools=[])
    server = ScriptedServer()
    playing = asyncio.gather(replayed(talk, server))
    await server.message("tools/call")
    server.hang_up()
    (report,) = await within(playing)
    assert [outcome.status for outcome in report.outcomes] == [Status.SAME, Status.DIFFERS, Status.DIFFERS]
    assert "closed the connection" in report.outcomes[1].reason


async def test_a_server_that_cannot_be_reached_is_an_error() -> None:
    talk = Conversation()
    talk.handshake()
    server = ScriptedServer()
    server.broken = True
    with pytest.raises(ConnectionFailed):
        await replayed(talk, server)
    assert server.is_closed


async def test_each_session_gets_a_connection_of_its_own() -> None:
    talk = Conversation()
    talk.handshake()
    talk.client_asks(1, "ping")
    talk.server_answers(1)
    talk.happens("session_closed")
    talk.session = "s2"
    talk.handshake()
    talk.client_asks(1, "ping")
    talk.server_answers(1)
    first, second = ScriptedServer(ping={}), ScriptedServer(ping={})
    report = await replayed(talk, first, second)
    assert report.count(Status.SAME) == 4
    assert len(first.received) == len(second.received) == 3
    assert first.is_closed
    assert second.is_closed


async def test_a_report_is_json_in_the_order_of_the_capture() -> None:
    report = await replayed(elicitation(), ScriptedServer(tools__call=greeting("cake")))
    value = report.to_json()
    assert [outcome["method"] for outcome in value["outcomes"]] == ["initialize", "tools/call", "elicitation/create"]
    assert value["counts"] == {"same": 1, "differs": 2, "skipped": 0}
    assert value["outcomes"][1]["differences"][0]["path"] == "$.result.content[0].text"
