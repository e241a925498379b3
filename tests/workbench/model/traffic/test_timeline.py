"""The timeline joins requests with their answers, and calls with what they caused."""

import json
from typing import Any

import pytest

from server_core.records.tap import Direction, Kind
from tests.tables import each_row
from tests.workbench.model.records import IN, OUT, Wire, timeline_of
from workbench.model.traffic.entry import CANCELLED, ERROR, OK, PENDING, TOOL_ERROR
from workbench.model.traffic.timeline import CORE_REPLACED, Timeline


def test_a_request_and_its_response_are_a_pair_with_a_latency() -> None:
    wire = Wire()
    request, answer = timeline_of(wire.call(1, "greet"), wire.result(1))
    assert (request.pair, answer.pair) == (answer.seq, request.seq)
    assert request.latency == answer.latency == pytest.approx(0.1)
    assert (answer.method, answer.name, answer.parent) == ("tools/call", "greet", request.seq)
    assert (request.status, answer.status) == (OK, OK)


def test_a_request_is_pending_until_it_is_answered() -> None:
    wire = Wire()
    timeline = timeline_of(wire.call(1, "greet"))
    assert (timeline[0].status, timeline[0].latency) == (PENDING, None)
    timeline.extend([wire.error(1)])
    assert timeline[0].status == ERROR


def test_a_result_with_is_error_is_a_tool_error() -> None:
    wire = Wire()
    request, answer = timeline_of(wire.call(1, "fail"), wire.result(1, {"isError": True, "content": []}))
    assert (request.status, answer.status) == (TOOL_ERROR, TOOL_ERROR)


def test_ids_keep_their_type() -> None:
    wire = Wire()
    text, number, answer = timeline_of(wire.call("1", "a"), wire.call(1, "b"), wire.result(1))
    assert (text.id, number.id) == ('"1"', "1")
    assert (text.pair, number.pair) == (0, answer.seq)


def test_each_session_has_ids_of_its_own() -> None:
    wire = Wire()
    first, second, answer = timeline_of(
        wire.call(1, "a", session="s1"), wire.call(1, "b", session="s2"), wire.result(1, session="s2")
    )
    assert (first.pair, second.pair) == (0, answer.seq)


def test_each_direction_has_ids_of_its_own() -> None:
    wire = Wire()
    call, question, reply, result = timeline_of(
        wire.call(1, "book"),
        wire.request(1, "elicitation/create", {"message": "Sure?"}, direction=OUT, call="1"),
        wire.result(1, direction=IN),
        wire.result(1, direction=OUT),
    )
    assert (call.pair, question.pair) == (result.seq, reply.seq)


def test_an_id_that_is_used_again_is_a_new_request() -> None:
    wire = Wire()
    entries = timeline_of(wire.call(1, "a"), wire.result(1), wire.call(1, "b"), wire.result(1))
    assert [entry.pair for entry in entries] == [2, 1, 4, 3]


def test_a_second_answer_joins_nothing() -> None:
    wire = Wire()
    request, first, second = timeline_of(wire.call(1, "a"), wire.result(1), wire.result(1))
    assert (request.pair, second.pair) == (first.seq, 0)


def test_messages_that_a_call_caused_belong_to_it() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(7, "book", token="t"),
        wire.request(1, "elicitation/create", {}, direction=OUT, call="7"),
        wire.result(1, direction=IN),
        wire.notification("notifications/message", {"data": "hi"}, call="7"),
        wire.notification("notifications/progress", {"progressToken": "t", "progress": 1}),
        wire.raw(Kind.STDOUT, b"stray\n", direction=Direction.NONE, call="7"),
        wire.lifecycle("tool_failed", "s1", tool="book", id=7),
        wire.result(7),
        wire.notification("notifications/message", {"data": "not of any call"}),
    )
    caused = [entry for entry in timeline.since(0) if entry.parent == 1]
    assert [entry.seq for entry in caused] == [2, 3, 4, 5, 6, 7, 8]
    assert {entry.name for entry in caused} == {"book"}


def test_progress_tokens_keep_their_type() -> None:
    wire = Wire()
    call = wire.call(1, "a", token="5")
    _, other, own = timeline_of(
        call,
        wire.notification("notifications/progress", {"progressToken": 5, "progress": 1}),
        wire.notification("notifications/progress", {"progressToken": "5", "progress": 1}),
    )
    assert (other.parent, own.parent) == (0, call.seq)


def test_a_cancelled_request_stays_cancelled_when_a_response_is_late() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "slow"),
        wire.notification("notifications/cancelled", {"requestId": 1, "reason": "enough"}, direction=IN),
        wire.result(1),
    )
    assert [timeline[0].status, timeline[1].parent, timeline[0].pair] == [CANCELLED, 1, 3]


def test_a_cancellation_of_the_server_cancels_no_request_of_the_client() -> None:
    wire = Wire()
    timeline = timeline_of(wire.call(1, "slow"), wire.notification("notifications/cancelled", {"requestId": 1}))
    assert timeline[0].status == PENDING


@each_row(
    ("method", "params", "name"),
    [
        ("tools/call", {"name": "greet"}, "greet"),
        ("prompts/get", {"name": "review"}, "review"),
        ("resources/read", {"uri": "demo://x"}, "demo://x"),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "review"}}, "review"),
        ("tools/call", {"name": 5}, ""),
        ("completion/complete", {"ref": 5}, ""),
        ("tools/list", None, ""),
    ],
)
def test_a_request_is_about_what_it_names(method: str, params: Any, name: str) -> None:
    assert timeline_of(Wire().request(1, method, params))[0].name == name


def test_events_of_the_core_have_their_name_as_method() -> None:
    wire = Wire()
    entries = timeline_of(
        wire.lifecycle("reloaded", ok=True), wire.lifecycle("reload_failed"), wire.lifecycle("x", ok=False)
    )
    assert [(entry.method, entry.status) for entry in entries] == [
        ("reloaded", ""),
        ("reload_failed", ERROR),
        ("x", ERROR),
    ]


def test_an_http_exchange_shows_its_path_and_status() -> None:
    data = json.dumps({"method": "POST", "path": "/mcp", "status": 403}).encode()
    entry = timeline_of(Wire().raw(Kind.HTTP, data))[0]
    assert (entry.method, entry.status) == ("POST /mcp", ERROR)


@each_row("kind", list(Kind))
def test_a_record_of_any_kind_may_have_any_data(kind: Kind) -> None:
    for data in (b"", b"\xff\xfe", b"[]", b"null", b'{"id": {}}', b"[" * 100_000, b'{"params": 5, "method": 6}'):
        entry = timeline_of(Wire().raw(kind, data))[0]
        assert isinstance(entry.summary, str), data[:40]
        assert entry.size == len(data), data[:40]


def test_a_malformed_message_is_an_error() -> None:
    assert timeline_of(Wire().raw(Kind.MALFORMED, b"{oops"))[0].status == ERROR


def test_a_summary_cannot_control_the_terminal() -> None:
    wire = Wire()
    hostile = "\x1b]0;owned\x07\r\n\u202e" + "x" * 1000
    entries = timeline_of(wire.call(1, hostile), wire.result(1, {"content": [{"type": "text", "text": hostile}]}))
    for entry in entries:
        assert entry.summary.isprintable()
        assert len(entry.summary) <= 160


def test_records_that_are_there_already_are_ignored() -> None:
    wire = Wire()
    records = [wire.call(1, "a"), wire.result(1), wire.call(2, "b")]
    timeline = timeline_of(*records[:2])
    timeline.extend(records)
    assert [entry.seq for entry in timeline] == [1, 2, 3]


def test_records_are_looked_up_by_number_also_where_some_are_missing() -> None:
    wire = Wire()
    records = [wire.call(number, "a") for number in range(10)]
    timeline = timeline_of(*records[:3], *records[6:])
    assert [entry.seq for number in range(12) if (entry := timeline.by_seq(number))] == [1, 2, 3, 7, 8, 9, 10]


def test_the_version_changes_with_each_change_and_only_then() -> None:
    wire = Wire()
    timeline = Timeline()
    record = wire.call(1, "a")
    versions = [timeline.version]
    for records in ([record], [record], []):
        timeline.extend(records)
        versions.append(timeline.version)
    assert versions[0] < versions[1] == versions[2] == versions[3]


def test_old_bodies_go_when_they_weigh_too_much_and_their_entries_stay() -> None:
    wire = Wire()
    timeline = Timeline(body_budget=500)
    records = [wire.call(number, f"tool{number}") for number in range(20)]
    timeline.extend(records)
    assert timeline[0].data is None
    assert (timeline[0].name, timeline[0].size) == ("tool0", len(records[0].data))
    assert timeline[0].summary.startswith("tool0")
    assert timeline[19].data == records[19].data
    assert sum(len(entry.data or b"") for entry in timeline) <= 500


def test_the_newest_body_stays_even_when_it_is_over_the_budget() -> None:
    timeline = Timeline(body_budget=10)
    timeline.extend([Wire().call(1, "a")])
    assert timeline[0].data is not None


def test_a_cleared_timeline_accepts_records_from_the_first_number_again() -> None:
    timeline = timeline_of(Wire().call(1, "a"))
    timeline.clear()
    assert len(timeline) == 0
    timeline.extend([Wire().call(1, "b")])
    assert timeline[0].name == "b"


def test_the_records_of_another_core_continue_after_an_entry_that_separates_them() -> None:
    first, second = Wire(), Wire()
    timeline = timeline_of(first.call(1, "greet"), first.lifecycle("session_opened", "s1", transport="stdio"))
    timeline.begin_core(2000, "/tmp/first.capture")
    timeline.extend([second.result(1), second.call(1, "add"), second.result(1)])
    request, opened, separator, stray, call, answer = timeline
    assert [entry.seq for entry in timeline] == [1, 2, 3, 4, 5, 6]
    assert (separator.method, separator.time) == (CORE_REPLACED, 2000)
    # The sessions and ids of the new core are others.
    assert (request.pair, stray.pair, call.pair, answer.parent) == (0, 0, answer.seq, call.seq)
    assert (timeline.transport_of(opened), timeline.transport_of(call)) == ("stdio", "")
    assert (timeline.core_of(opened).capture, timeline.core_of(call)) == ("/tmp/first.capture", timeline.newest_core)
    assert call.seq - timeline.core_of(call).offset == 2


def test_a_record_that_names_a_request_names_one_of_its_own_core() -> None:
    first, second = Wire(), Wire()
    timeline = timeline_of(first.call(1, "greet"), first.call(2, "add"))
    timeline.begin_core(2000, "")
    timeline.extend([second.call(1, "brew"), second.notification("notifications/message", call="1@1")])
    assert timeline[4].parent == timeline[3].seq == 4
