"""Requests of the server in a replay: each gets the recorded response."""

import asyncio

import pytest

from tests.waiting import within
from tests.workbench.client.scripted import ScriptedServer
from tests.workbench.replay.conversation import Conversation
from tests.workbench.replay.playing import elicitation, greeting, outcome_of, replayed
from workbench.client.questions import PendingQuestions, Rule
from workbench.replay.player import play
from workbench.replay.report import Status


async def test_the_requests_of_the_server_get_the_recorded_responses() -> None:
    server = ScriptedServer()
    playing = asyncio.gather(replayed(elicitation(), server))
    request = await server.message("tools/call")
    server.ask("q", "elicitation/create", message="Which?", requestedSchema={})
    answer = await server.response_to("q")
    assert answer["result"] == {"action": "accept", "content": {"dessert": "fruit"}}
    server.answer(request, greeting("fruit"))
    (report,) = await within(playing)
    assert report.count(Status.SAME) == 3
    assert not report.differs


async def test_a_changed_request_of_the_server_is_answered_and_is_a_difference() -> None:
    server = ScriptedServer()
    playing = asyncio.gather(replayed(elicitation(), server))
    request = await server.message("tools/call")
    server.ask("q", "elicitation/create", message="What?", requestedSchema={})
    assert (await server.response_to("q"))["result"]["action"] == "accept"
    server.answer(request, greeting("fruit"))
    (report,) = await within(playing)
    (difference,) = outcome_of(report, "elicitation/create").differences
    assert (difference.path, difference.recorded, difference.replayed) == ("$.params.message", "Which?", "What?")


async def test_a_new_request_of_the_server_is_declined_and_is_a_difference() -> None:
    server = ScriptedServer()
    talk = Conversation()
    talk.handshake()
    talk.client_asks(1, "tools/call", name="dessert")
    talk.server_answers(1, **greeting("none"))
    playing = asyncio.gather(replayed(talk, server))
    request = await server.message("tools/call")
    server.ask("q", "elicitation/create", message="Which?", requestedSchema={})
    assert (await server.response_to("q"))["result"] == {"action": "decline"}
    server.answer(request, greeting("none"))
    (report,) = await within(playing)
    assert "did not in the recording" in outcome_of(report, "elicitation/create").reason
    assert report.differs


async def test_a_rule_answers_a_new_request_of_the_server() -> None:
    server = ScriptedServer()
    talk = Conversation()
    talk.handshake()
    talk.client_asks(1, "tools/call", name="dessert")
    talk.server_answers(1, **greeting("none"))

    async def connect() -> ScriptedServer:
        return server

    def rules(questions: PendingQuestions) -> Rule:
        return lambda question: question.accept({"by": "a rule"})

    playing = asyncio.gather(play(talk.recording(), connect, "scripted", 5.0, rules=rules))
    request = await server.message("tools/call")
    server.ask("q", "elicitation/create", message="Which?", requestedSchema={})
    assert (await server.response_to("q"))["result"]["content"] == {"by": "a rule"}
    server.answer(request, greeting("none"))
    (report,) = await within(playing)
    assert "did not in the recording" in outcome_of(report, "elicitation/create").reason


async def test_a_missing_request_of_the_server_is_a_difference() -> None:
    report = await replayed(elicitation(), ScriptedServer(tools__call=greeting("fruit")))
    assert "does not now" in outcome_of(report, "elicitation/create").reason
    assert report.differs


@pytest.mark.parametrize("how", ["never answered", "cancelled", "a secret"])
async def test_a_call_is_skipped_when_a_request_of_it_cannot_be_answered_again(how: str) -> None:
    talk = Conversation()
    talk.handshake()
    talk.client_asks(1, "tools/call", name="dessert")
    talk.server_asks("q", "elicitation/create", cause=1, message="Which?", requestedSchema={})
    if how == "cancelled":
        talk.client_notifies("notifications/cancelled", requestId=1)
    elif how == "a secret":
        talk.client_answers("q", action="accept", content={"key": "<secret API_KEY>"})
        talk.server_answers(1, **greeting("ok"))
    else:
        talk.server_answers(1, **greeting("no answer within 300 s"))
    report = await replayed(talk, ScriptedServer())
    assert outcome_of(report, "tools/call").status is Status.SKIPPED
    assert outcome_of(report, "elicitation/create").status is Status.SKIPPED
    assert not report.differs


async def test_the_end_of_a_replay_waits_for_a_request_that_a_server_sends_at_a_time_of_its_own() -> None:
    server = ScriptedServer(tools__list={"tools": []})
    talk = Conversation()
    talk.handshake()
    talk.server_asks("r", "roots/list")
    talk.client_answers("r", roots=[{"uri": "file:///menu"}])
    talk.client_asks(1, "tools/list")
    talk.server_answers(1, tools=[])
    playing = asyncio.gather(replayed(talk, server))
    await server.message("tools/list")
    # The answers of the steps are known by now or soon; the question comes after them.
    asyncio.get_running_loop().call_later(0.05, server.ask, "late", "roots/list")
    assert (await server.response_to("late"))["result"] == {"roots": [{"uri": "file:///menu"}]}
    (report,) = await within(playing)
    assert outcome_of(report, "roots/list").status is Status.SAME
