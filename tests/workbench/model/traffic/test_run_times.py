"""The parts of the time of a run: on the wire, and waiting for answers."""

import pytest

from server_core.records.tap import Kind, Record
from tests.tables import each_row
from tests.workbench.model.records import IN, OUT, Wire
from workbench.model.history import CallRun
from workbench.model.traffic.run_records import RunRecords, RunTimes, run_times
from workbench.model.traffic.timeline import Timeline


def times_of(*records: Record) -> RunTimes | None:
    timeline = Timeline()
    timeline.extend(records)
    collected = RunRecords(timeline, CallRun(1, "greet", {}, 1000, request_id=1))
    collected.refresh()
    return run_times(collected)


def test_a_run_without_a_response_has_no_times() -> None:
    assert times_of() is None
    assert times_of(Wire().call(1, "greet")) is None


def test_the_time_on_the_wire_is_that_from_request_to_response() -> None:
    wire = Wire()
    times = times_of(wire.call(1, "greet"), answer := wire.result(1))
    assert times is not None
    assert (times.wire, times.waited, times.size) == (pytest.approx(0.1), 0, len(answer.data))


def test_the_time_of_open_questions_is_apart_in_a_session() -> None:
    wire = Wire()
    times = times_of(
        wire.call(1, "greet"),
        wire.request("a", "elicitation/create", {}, direction=OUT, call="1"),
        wire.request("b", "elicitation/create", {}, direction=OUT, call="1"),
        wire.result("a", {"action": "decline"}, direction=IN),
        wire.result("b", {"action": "decline"}, direction=IN),
        wire.result(1),
    )
    assert times is not None
    assert (times.waited, times.wire) == (pytest.approx(0.3), pytest.approx(0.2))


def test_the_time_of_a_question_that_timed_out_is_apart_in_a_session() -> None:
    wire = Wire()
    times = times_of(
        wire.call(1, "greet"),
        wire.request("a", "elicitation/create", {}, direction=OUT, call="1"),
        wire.lifecycle("health", "s1"),
        wire.notification("notifications/cancelled", {"requestId": "a"}, call="1"),
        wire.lifecycle("health", "s1"),
        wire.result(1),
    )
    assert times is not None
    assert (times.waited, times.wire) == (pytest.approx(0.2), pytest.approx(0.3))


def test_the_time_between_rounds_is_apart_without_a_session() -> None:
    wire = Wire()
    asked = {"resultType": "input_required", "inputRequests": {"q": {"method": "roots/list"}}, "requestState": "a"}
    times = times_of(
        wire.call(1, "greet"),
        wire.result(1, asked),
        wire.request(7, "ping"),
        wire.request(2, "tools/call", {"name": "greet", "inputResponses": {"q": {}}, "requestState": "a"}),
        wire.result(2, {"content": []}),
    )
    assert times is not None
    assert (times.waited, times.wire) == (pytest.approx(0.2), pytest.approx(0.2))


def test_the_time_that_the_tool_ran_is_apart() -> None:
    wire = Wire()
    times = times_of(
        wire.call(1, "greet"),
        wire.lifecycle("tool_ended", "s1", tool="greet", id=1, ran_ms=40, waited_ms=0),
        wire.result(1),
    )
    assert times is not None
    assert times.ran == pytest.approx(0.04)


def test_the_time_of_a_tool_is_no_row_of_the_timeline() -> None:
    wire, timeline = Wire(), Timeline()
    request = wire.call(1, "greet")
    ended = wire.lifecycle("tool_ended", "s1", tool="greet", id=1, ran_ms=40, waited_ms=0)
    timeline.extend([request, ended, result := wire.result(1)])
    assert [entry.seq for entry in timeline] == [request.seq, result.seq]
    assert [entry.pair for entry in timeline] == [result.seq, request.seq]
    timeline.extend([printed := wire.raw(Kind.STDOUT, ended.data)])
    assert timeline.last_seq == printed.seq, "what a tool prints is a row, whatever it is"


@each_row("ran", [None, "1", [], True])
def test_an_invalid_time_of_a_tool_is_ignored(ran: object) -> None:
    wire = Wire()
    times = times_of(wire.call(1, "greet"), wire.lifecycle("tool_ended", "s1", id=1, ran_ms=ran), wire.result(1))
    assert times is not None
    assert times.ran is None


def test_a_question_is_open_also_while_it_is_held() -> None:
    wire = Wire()
    times = times_of(
        wire.call(1, "greet"),
        wire.request(9, "elicitation/create", {}, direction=OUT, call="1"),
        wire.lifecycle("message_held", "s1", message=2),
        wire.lifecycle("message_released", "s1", message=2),
        wire.result(9, direction=IN, call="1"),
        wire.result(1),
    )
    assert times is not None
    assert (times.wire, times.waited) == (pytest.approx(0.2), pytest.approx(0.3))


def test_the_time_for_which_a_call_was_held_is_apart() -> None:
    wire = Wire()
    times = times_of(
        wire.call(1, "greet"),
        wire.lifecycle("message_held", "s1", message=1),
        wire.lifecycle("message_released", "s1", message=1),
        wire.result(1),
        wire.lifecycle("message_held", "s1", message=4),
        wire.lifecycle("message_released", "s1", message=4),
    )
    assert times is not None
    # The response was recorded before it was held.
    assert (times.held, times.wire) == (pytest.approx(0.2), pytest.approx(0.2))
