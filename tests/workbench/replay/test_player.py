"""A recorded conversation is held again with another server."""

import asyncio
import json
from typing import Any

import pytest

from server_core.errors import ConnectionFailed
from server_core.transports.channel import Channel
from tests.waiting import until, within
from tests.workbench.client.scripted import ScriptedServer
from tests.workbench.replay.conversation import STATELESS_META, Conversation
from workbench.client.target import Era
from workbench.replay.player import play
from workbench.replay.report import ReplayOutcome, ReplayReport, Status


async def replayed(
    conversation: Conversation, *servers: ScriptedServer, patience: float = 5.0, era: Era = Era.AUTO
) -> ReplayReport:
    waiting = list(servers)

    async def connect() -> Channel:
        return waiting.pop(0)

    return await within(play(conversation.recording(), connect, "scripted", patience, era))


def greeting(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def outcome_of(report: ReplayReport, method: str) -> ReplayOutcome:
    (outcome,) = [outcome for outcome in report.outcomes if outcome.method == method]
    return outcome


async def test_the_same_answers_are_no_difference() -> None:
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


async def test_another_answer_is_a_difference_with_its_place() -> None:
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


async def test_what_was_cancelled_or_never_answered_is_skipped() -> None:
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
    report = await replayed(talk, ScriptedServer(), patience=0.01)
    assert "no response" in outcome_of(report, "tools/call").reason
    assert report.differs


async def test_a_server_that_goes_away_is_a_difference_for_what_was_in_flight() -> None:
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


def elicitation() -> Conversation:
    talk = Conversation()
    talk.handshake()
    talk.client_asks(1, "tools/call", name="dessert")
    talk.server_asks(7, "elicitation/create", message="Which?", requestedSchema={})
    talk.client_answers(7, action="accept", content={"dessert": "fruit"})
    talk.server_answers(1, **greeting("fruit"))
    return talk


async def test_the_questions_of_the_server_are_answered_as_they_were() -> None:
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


async def test_a_question_that_asks_otherwise_is_answered_and_is_a_difference() -> None:
    server = ScriptedServer()
    playing = asyncio.gather(replayed(elicitation(), server))
    request = await server.message("tools/call")
    server.ask("q", "elicitation/create", message="What?", requestedSchema={})
    assert (await server.response_to("q"))["result"]["action"] == "accept"
    server.answer(request, greeting("fruit"))
    (report,) = await within(playing)
    (difference,) = outcome_of(report, "elicitation/create").differences
    assert (difference.path, difference.recorded, difference.replayed) == ("$.params.message", "Which?", "What?")


async def test_a_question_that_is_new_is_declined_and_is_a_difference() -> None:
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


async def test_a_question_that_is_not_asked_any_more_is_a_difference() -> None:
    report = await replayed(elicitation(), ScriptedServer(tools__call=greeting("fruit")))
    assert "does not now" in outcome_of(report, "elicitation/create").reason
    assert report.differs


@pytest.mark.parametrize("how", ["never answered", "cancelled", "a secret"])
async def test_a_call_whose_question_cannot_be_answered_again_is_skipped_with_it(how: str) -> None:
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


async def test_a_report_is_json_in_the_order_of_the_capture() -> None:
    report = await replayed(elicitation(), ScriptedServer(tools__call=greeting("cake")))
    value = report.to_json()
    assert [outcome["method"] for outcome in value["outcomes"]] == ["initialize", "tools/call", "elicitation/create"]
    assert value["counts"] == {"same": 1, "differs": 2, "skipped": 0}
    assert value["outcomes"][1]["differences"][0]["path"] == "$.result.content[0].text"


# Requests without a session.

WHICH = {"method": "elicitation/create", "params": {"message": "Which?", "requestedSchema": {}}}


def asks_for_more(state: str) -> dict[str, Any]:
    return {"resultType": "input_required", "inputRequests": {"dessert": WHICH}, "requestState": state}


def rounds() -> Conversation:
    talk = Conversation()
    talk.stateless(1, "server/discover")
    talk.server_answers(1, supportedVersions=["2026-07-28"])
    talk.stateless(2, "tools/call", name="dessert", arguments={})
    talk.server_answers(2, **asks_for_more("recorded"))
    answers = {"dessert": {"action": "accept", "content": {"dessert": "fruit"}}}
    talk.stateless(3, "tools/call", name="dessert", arguments={}, inputResponses=answers, requestState="recorded")
    talk.server_answers(3, **greeting("fruit"))
    return talk


async def test_requests_without_a_session_are_sent_as_they_were_and_nothing_else() -> None:
    server = ScriptedServer(
        **{
            "server/discover": {"supportedVersions": ["2026-07-28"]},
            "tools/call": lambda params: greeting("fruit") if "inputResponses" in params else asks_for_more("new"),
        }
    )
    report = await replayed(rounds(), server)
    assert [outcome.status for outcome in report.outcomes] == [Status.SAME] * 3
    assert [message["method"] for message in server.received] == ["server/discover", "tools/call", "tools/call"]
    assert {json.dumps(message["params"]["_meta"]) for message in server.received} == {json.dumps(STATELESS_META)}


async def test_the_state_of_a_round_is_that_of_this_replay() -> None:
    server = ScriptedServer(
        **{
            "server/discover": {},
            "tools/call": lambda params: greeting("fruit") if "inputResponses" in params else asks_for_more("new"),
        }
    )
    await replayed(rounds(), server)
    assert server.received[-1]["params"]["requestState"] == "new"
    assert server.received[-1]["params"]["inputResponses"].keys() == {"dessert"}


async def test_the_state_of_the_capture_is_never_sent() -> None:
    server = ScriptedServer(**{"server/discover": {}, "tools/call": greeting("fruit")})
    report = await replayed(rounds(), server)
    assert [outcome.status for outcome in report.outcomes][1:] == [Status.DIFFERS, Status.SKIPPED]
    assert "no state this time" in report.outcomes[2].reason
    assert b"recorded" not in json.dumps(server.received).encode()


async def test_another_question_in_a_round_is_a_difference() -> None:
    other = asks_for_more("new")
    other["inputRequests"] = {"dessert": {**WHICH, "params": {"message": "What?", "requestedSchema": {}}}}
    server = ScriptedServer(
        **{
            "server/discover": {"supportedVersions": ["2026-07-28"]},
            "tools/call": lambda params: greeting("fruit") if "inputResponses" in params else other,
        }
    )
    report = await replayed(rounds(), server)
    (difference,) = report.outcomes[1].differences
    assert difference.path == "$.result.inputRequests.dessert.params.message"


def task(id: str, status: str, at: str, **more: Any) -> dict[str, Any]:
    return {"resultType": "task", "taskId": id, "status": status, "createdAt": at, "lastUpdatedAt": at, **more}


def followed_task(*statuses: str) -> Conversation:
    talk = Conversation()
    talk.stateless(1, "tools/call", name="slow")
    talk.server_answers(1, **task("t1", "working", "then"))
    for id, status in enumerate(statuses, 2):
        talk.stateless(id, "tasks/get", taskId="t1")
        talk.server_answers(id, **task("t1", status, "then", pollIntervalMs=100))
    return talk


def server_of_a_task(*statuses: str) -> ScriptedServer:
    left = list(statuses)

    def state(params: dict[str, Any]) -> dict[str, Any]:
        return task(params["taskId"], left.pop(0) if len(left) > 1 else left[0], "now", pollIntervalMs=1)

    return ScriptedServer(tools__call=task("t9", "working", "now"), tasks__get=state)


async def test_a_task_is_asked_for_by_the_id_that_it_has_this_time() -> None:
    server = server_of_a_task("completed")
    report = await replayed(followed_task("completed"), server)
    assert [outcome.status for outcome in report.outcomes] == [Status.SAME] * 2
    assert server.received[-1]["params"]["taskId"] == "t9"


async def test_a_task_that_takes_longer_this_time_is_asked_about_until_it_is_where_it_was() -> None:
    server = server_of_a_task("working", "working", "completed")
    report = await replayed(followed_task("completed"), server)
    assert [outcome.status for outcome in report.outcomes] == [Status.SAME] * 2
    assert [message["method"] for message in server.received] == ["tools/call"] + ["tasks/get"] * 3


async def test_a_task_may_be_over_sooner_than_it_was() -> None:
    report = await replayed(followed_task("working", "completed"), server_of_a_task("completed"))
    assert [outcome.status for outcome in report.outcomes] == [Status.SAME] * 3


async def test_a_task_that_comes_to_another_end_is_a_difference() -> None:
    report = await replayed(followed_task("working", "completed"), server_of_a_task("failed"))
    (difference,) = report.outcomes[2].differences
    assert (difference.path, report.outcomes[1].status) == ("$.result.status", Status.SAME)


async def test_a_task_that_never_gets_where_it_was_is_a_difference() -> None:
    report = await replayed(followed_task("completed"), server_of_a_task("working"), patience=0.1)
    assert report.outcomes[1].reason == "no response within 0.1 seconds"


async def test_what_only_listened_is_skipped() -> None:
    talk = Conversation()
    talk.stateless(1, "subscriptions/listen", notifications={})
    talk.server_answers(1)
    report = await replayed(talk, ScriptedServer())
    assert outcome_of(report, "subscriptions/listen").status is Status.SKIPPED


async def test_a_conversation_is_held_in_the_other_era_as_far_as_that_goes() -> None:
    talk = elicitation()
    talk.client_asks(2, "logging/setLevel", level="debug")
    talk.server_answers(2)
    server = ScriptedServer(
        tools__call=lambda params: greeting("fruit") if "inputResponses" in params else asks_for_more("s")
    )
    report = await replayed(talk, server, era=Era.MODERN)
    statuses = {outcome.method: outcome.status for outcome in report.outcomes}
    assert statuses == {
        "initialize": Status.SKIPPED,
        "tools/call": Status.SAME,
        "elicitation/create": Status.SAME,
        "logging/setLevel": Status.SKIPPED,
    }
    assert "2026-07-28 has no logging/setLevel" in outcome_of(report, "logging/setLevel").reason
    meta = server.received[0]["params"]["_meta"]
    assert meta["io.modelcontextprotocol/clientInfo"] == {"name": "someone", "version": "9"}
    assert meta["io.modelcontextprotocol/clientCapabilities"] == {"elicitation": {}}


async def test_requests_without_a_session_are_sent_in_a_session_on_request() -> None:
    talk = Conversation()
    talk.stateless(1, "server/discover")
    talk.server_answers(1)
    talk.stateless(2, "tools/call", name="greet")
    talk.server_answers(2, **greeting("Hello"))
    server = ScriptedServer(tools__call=greeting("Hello"))
    report = await replayed(talk, server, era=Era.LEGACY)
    assert [outcome.status for outcome in report.outcomes] == [Status.SKIPPED, Status.SAME]
    assert [message["method"] for message in server.received] == [
        "initialize",
        "notifications/initialized",
        "tools/call",
    ]
    assert server.received[-1]["params"] == {"name": "greet", "_meta": {}}
