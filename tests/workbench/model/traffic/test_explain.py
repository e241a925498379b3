"""The explanation of the message under the cursor."""

import json
from typing import Any

from server_core.protocol.envelope import CLIENT_CAPABILITIES, PROTOCOL_VERSION
from server_core.protocol.methods import METHODS, NOTIFICATIONS
from server_core.records.tap import Kind, Record
from tests.tables import each_row
from tests.workbench.model.records import OUT, Wire, timeline_of
from workbench.model.traffic import vocabulary
from workbench.model.traffic.explain import MAX_ROUNDS, explain
from workbench.model.traffic.vocabulary import PROBE

META = {PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: {}}
ASKED = {
    "resultType": "input_required",
    "inputRequests": {"sweet": {"method": "elicitation/create", "params": {"message": "Which?"}}},
    "requestState": "s",
}


def explained(*records: Record, at: int = -1) -> str:
    timeline = timeline_of(*records)
    return "\n".join(explain(timeline, timeline[at]))


def test_every_method_of_the_protocol_is_explained() -> None:
    assert vocabulary.REQUESTS.keys() == METHODS.keys()
    assert vocabulary.NOTIFICATIONS.keys() == NOTIFICATIONS.keys()


def test_a_message_is_explained_with_its_revision() -> None:
    wire = Wire()
    call = wire.request(1, "tools/call", {"name": "greet", "_meta": META})
    assert explained(call) == "Calls a tool · 2026-07-28 stateless"
    assert explained(call, wire.result(1)) == "Answers: calls a tool · 2026-07-28 stateless"


def test_messages_that_are_in_no_revision_are_explained_too() -> None:
    wire = Wire()
    assert explained(wire.request(1, "odd/method")) == "A request that is in no revision of the protocol"
    assert explained(wire.result(9)) == "A response to an unknown request"
    assert explained(wire.notification("notifications/odd")) == "A notification that is in no revision of the protocol"
    assert explained(wire.lifecycle("odd_event")) == "An event of the core"


def test_a_record_in_the_place_of_others_has_their_count_and_the_reason() -> None:
    text = explained(Wire().lifecycle("records_dropped", count=1, bytes=812, last=7))
    assert "1 record, 812 B, were dropped: the disk was too slow." in text


def test_a_probe_is_explained() -> None:
    assert "A probe for" in explained(Wire().request(1, "server/discover", {"_meta": {**META, PROBE: True}}))


def test_the_rounds_of_a_call_can_be_read_from_each_of_its_messages() -> None:
    wire = Wire()
    answers = {"inputResponses": {"sweet": {"action": "accept", "content": {"dish": "cake"}}}, "requestState": "s"}
    timeline = timeline_of(
        wire.request(1, "tools/call", {"name": "choose", "_meta": META}),
        wire.result(1, ASKED),
        wire.request(2, "tools/call", {"name": "choose", "_meta": META, **answers}),
        wire.notification("notifications/message", {}, call="2"),
        wire.result(2, {"resultType": "complete", "content": [{"type": "text", "text": "Cake."}]}),
    )
    conversation = [
        "The call takes 2 rounds:",
        "  #2 asks     form: Which?",
        '  #3 answers  accept {"dish": "cake"}',
        "  #5 ok       Cake.",
    ]
    for entry in timeline:
        lines = explain(timeline, entry)
        assert [line for line in lines if line in conversation] == conversation
    assert "Belongs to #1 tools/call choose." in explain(timeline, timeline[3])


def test_a_call_that_waits_for_answers_is_explained() -> None:
    wire = Wire()
    text = explained(wire.request(1, "tools/call", {"name": "choose", "_meta": META}), wire.result(1, ASKED), at=0)
    assert text.endswith("the client has not sent its answers")


def test_a_call_of_very_many_rounds_is_explained_briefly() -> None:
    wire = Wire()
    records = []
    for id in range(40):
        state = {"requestState": f"s{id - 1}"} if id else {}
        records.append(wire.request(id, "tools/call", {"name": "choose", "_meta": META, **state}))
        records.append(wire.result(id, {**ASKED, "requestState": f"s{id}"}))
    lines = explained(*records).splitlines()
    assert f"  and {40 - MAX_ROUNDS} more rounds" in lines
    assert len(lines) < 3 * MAX_ROUNDS


def test_a_task_is_explained_with_its_requests() -> None:
    wire = Wire()
    records = [
        wire.request(1, "tools/call", {"name": "roast", "_meta": META}),
        wire.result(1, {"resultType": "task", "taskId": "t", "status": "working"}),
    ]
    assert "The call became a task, which is running; the client has not asked for it yet." in explained(*records)
    for id in (2, 3):
        records.append(wire.request(id, "tasks/get", {"taskId": "t", "_meta": META}))
        records.append(wire.result(id, {"taskId": "t", "status": "completed", "result": {}}))
    text = explained(*records)
    assert "The call became a task, which ended: ok; 2 × tasks/get." in text
    assert "The task is done." in text


@each_row(
    ("error", "part"),
    [
        ({"code": -32020, "message": "x"}, "The HTTP headers do not match the body"),
        (
            {
                "code": -32021,
                "message": "x",
                "data": {"requiredCapabilities": {"sampling": {}, "extensions": {"a": {}}}},
            },
            "did not declare required client capabilities: sampling, the extension a.",
        ),
        ({"code": -32022, "message": "x", "data": {"supported": ["2027-01-01"]}}, "it supports: 2027-01-01."),
        ({"code": -32042, "message": "x", "data": {"elicitations": [{"url": "https://a.example"}]}}, "a.example"),
        ({"code": "odd", "message": "x", "data": [1]}, "Answers: calls a tool"),
        (7, "Answers: calls a tool"),
    ],
)
def test_an_error_is_explained(error: Any, part: str) -> None:
    wire = Wire()
    assert part in explained(wire.call(1, "greet"), wire.message(Kind.ERROR, {"id": 1, "error": error}, direction=OUT))


def test_an_error_of_a_stateless_request_over_http_has_a_status_too() -> None:
    wire = Wire()
    records = [
        wire.lifecycle("session_opened", "s1", transport="http"),
        wire.request(1, "odd", {"_meta": META}),
        wire.message(Kind.ERROR, {"id": 1, "error": {"code": -32601}}, direction=OUT),
    ]
    assert "Sent with HTTP 404, not found" in explained(*records)
    assert "HTTP" not in explained(*records[1:])


def test_an_http_request_has_its_status_and_the_reason() -> None:
    facts = {"method": "POST", "path": "/mcp", "status": 403, "reason": "Origin\x1b is not allowed"}
    text = explained(Wire().raw(Kind.HTTP, json.dumps(facts).encode()))
    assert "HTTP 403: forbidden." in text
    assert "Origin\\x1b is not allowed" in text


def test_an_array_of_messages_names_the_revision_that_has_them() -> None:
    assert "Only revision 2025-03-26 has batches." in explained(
        Wire().raw(Kind.MALFORMED, b'[{"method": "ping", "id": 1}]')
    )


@each_row("kind", list(Kind))
def test_a_message_of_any_kind_may_have_any_data(kind: Kind) -> None:
    for data in (b"", b"[]", b"\xff", b'{"result": [], "error": [], "params": [], "status": []}'):
        assert all(line.isprintable() for line in explained(Wire().raw(kind, data)).splitlines()), data
