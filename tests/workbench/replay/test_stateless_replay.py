"""A replay without a session: rounds, tasks, and conversations in the other era."""

import json
from typing import Any

from tests.workbench.client.scripted import ScriptedServer
from tests.workbench.replay.conversation import STATELESS_META, Conversation
from tests.workbench.replay.playing import elicitation, greeting, outcome_of, replayed
from workbench.client.target import Era
from workbench.replay.report import Status

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


async def test_a_task_is_requested_by_its_id_in_this_replay() -> None:
    server = server_of_a_task("completed")
    report = await replayed(followed_task("completed"), server)
    assert [outcome.status for outcome in report.outcomes] == [Status.SAME] * 2
    assert server.received[-1]["params"]["taskId"] == "t9"


async def test_a_slower_task_is_polled_until_it_has_the_recorded_status() -> None:
    server = server_of_a_task("working", "working", "completed")
    report = await replayed(followed_task("completed"), server)
    assert [outcome.status for outcome in report.outcomes] == [Status.SAME] * 2
    assert [message["method"] for message in server.received] == ["tools/call"] + ["tasks/get"] * 3


async def test_a_task_may_end_sooner_than_recorded() -> None:
    report = await replayed(followed_task("working", "completed"), server_of_a_task("completed"))
    assert [outcome.status for outcome in report.outcomes] == [Status.SAME] * 3


async def test_a_task_with_another_final_status_is_a_difference() -> None:
    report = await replayed(followed_task("working", "completed"), server_of_a_task("failed"))
    (difference,) = report.outcomes[2].differences
    assert (difference.path, report.outcomes[1].status) == ("$.result.status", Status.SAME)


async def test_a_task_that_never_has_the_recorded_status_is_a_difference() -> None:
    report = await replayed(followed_task("completed"), server_of_a_task("working"), timeout=0.1)
    assert report.outcomes[1].reason == "no response within 0.1 seconds"


async def test_subscriptions_are_skipped() -> None:
    talk = Conversation()
    talk.stateless(1, "subscriptions/listen", notifications={})
    talk.server_answers(1)
    report = await replayed(talk, ScriptedServer())
    assert outcome_of(report, "subscriptions/listen").status is Status.SKIPPED


async def test_a_conversation_is_replayed_in_the_other_era_as_far_as_possible() -> None:
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
