"""The runs that are read from the records of an earlier session."""

from typing import Any

import pytest

from server_core.records.tap import Direction, Record
from tests.workbench.model.records import IN, Wire
from workbench.model.catalog import OfferKind
from workbench.model.history import CallRun, RunStatus
from workbench.model.traffic.earlier_runs import MAX_RESULT_BYTES, earlier_runs

LATER = 2000.0
ANSWER = {"content": [{"type": "text", "text": "Hello, Ada!"}]}


@pytest.fixture
def wire() -> Wire:
    return Wire()


def opened(wire: Wire, peer: str = "workbench") -> Record:
    return wire.lifecycle("session_opened", "s1", transport="link", peer=peer)


def only(runs: list[CallRun]) -> CallRun:
    assert len(runs) == 1
    return runs[0]


def test_a_call_has_its_arguments_its_times_and_its_result(wire: Wire) -> None:
    run = only(earlier_runs([opened(wire), wire.call(1, "greet"), wire.result(1, ANSWER)], LATER))
    assert (run.tool, run.arguments, run.status, run.result) == ("greet", {"name": "Ada"}, RunStatus.OK, ANSWER)
    assert run.duration == pytest.approx(0.1)


def test_a_call_that_was_edited_while_it_was_held_is_one_run(wire: Wire) -> None:
    records = [opened(wire), wire.call(1, "greet"), wire.call(1, "wave", call="1@2"), wire.result(1, ANSWER)]
    assert only(earlier_runs(records, LATER)).tool == "greet"


def test_the_time_for_which_a_call_was_held_is_not_among_its_times(wire: Wire) -> None:
    records = [
        opened(wire),
        wire.call(1, "greet"),
        wire.lifecycle("message_held", "s1", message=2),
        wire.lifecycle("message_released", "s1", message=2),
        wire.result(1, ANSWER),
    ]
    assert only(earlier_runs(records, LATER)).wire == pytest.approx(0.2)


def test_resources_and_prompts_are_runs_too(wire: Wire) -> None:
    records = [
        opened(wire),
        wire.request(1, "resources/read", {"uri": "file:///menu"}),
        wire.result(1, {"contents": []}),
        wire.request(2, "prompts/get", {"name": "plan", "arguments": {"day": "Monday"}}),
        wire.result(2, {"messages": []}),
    ]
    menu, plan = earlier_runs(records, LATER)
    assert (menu.kind, menu.tool, menu.arguments) == (OfferKind.RESOURCE, "file:///menu", {})
    assert (plan.kind, plan.tool, plan.arguments) == (OfferKind.PROMPT, "plan", {"day": "Monday"})


def test_calls_of_other_clients_are_left_out(wire: Wire) -> None:
    assert not earlier_runs([opened(wire, "claude"), wire.call(1, "greet"), wire.result(1, ANSWER)], LATER)


def test_calls_of_this_terminal_are_left_out(wire: Wire) -> None:
    assert not earlier_runs([opened(wire), wire.call(1, "greet"), wire.result(1, ANSWER)], before=1000.1)


def test_an_error_and_a_cancelled_call_keep_their_outcome(wire: Wire) -> None:
    records = [
        opened(wire),
        wire.call(1, "gone"),
        wire.error(1),
        wire.call(2, "slow"),
        wire.notification("notifications/cancelled", {"requestId": 2}, direction=IN),
        wire.result(2, ANSWER),
    ]
    gone, slow = earlier_runs(records, LATER)
    assert (gone.status, "Unknown tool" in gone.error) == (RunStatus.ERROR, True)
    assert slow.status is RunStatus.CANCELLED


def test_a_call_without_a_response_has_failed(wire: Wire) -> None:
    run = only(earlier_runs([opened(wire), wire.call(1, "greet")], LATER))
    assert (run.status, run.error) == (RunStatus.ERROR, "The session ended before the response.")


@pytest.mark.parametrize("state", [{"requestState": "x"}, {}])
def test_the_rounds_of_a_call_that_asks_are_one_run(wire: Wire, state: dict[str, Any]) -> None:
    asks = {"resultType": "input_required", "inputRequests": {"q": {}}, **state}
    again = {"name": "greet", "arguments": {"name": "Ada"}, "inputResponses": {"q": {}}, **state}
    records = [
        opened(wire),
        wire.call(1, "greet"),
        wire.result(1, asks),
        wire.request(2, "tools/call", again),
        wire.result(2, ANSWER),
    ]
    run = only(earlier_runs(records, LATER))
    assert (run.status, run.result) == (RunStatus.OK, ANSWER)


def test_the_result_of_a_task_is_that_of_its_call(wire: Wire) -> None:
    records = [
        opened(wire),
        wire.call(1, "roast"),
        wire.result(1, {"task": {"taskId": "t1", "status": "working"}}),
        wire.request(2, "tasks/get", {"taskId": "t1"}),
        wire.result(2, {"taskId": "t1", "status": "working"}),
        wire.request(3, "tasks/result", {"taskId": "t1"}),
        wire.result(3, ANSWER),
    ]
    assert only(earlier_runs(records, LATER)).result == ANSWER


def test_a_failure_has_the_details_for_its_author(wire: Wire) -> None:
    failed = ANSWER | {"isError": True}
    event = wire.lifecycle("tool_failed", id=1, tool="greet", message="no", file="a.py", line=3)
    run = only(earlier_runs([opened(wire), wire.call(1, "greet"), wire.result(1, failed), event], LATER))
    assert run.status is RunStatus.TOOL_ERROR
    assert run.failure_details is not None
    assert run.failure_details.place == "a.py:3"


def test_a_large_result_is_not_read(wire: Wire) -> None:
    large = {"content": [{"type": "text", "text": "x" * MAX_RESULT_BYTES}]}
    run = only(earlier_runs([opened(wire), wire.call(1, "greet"), wire.result(1, large)], LATER))
    assert run.result is None
    assert run.error == "The result has 256.1 KB and is only in the capture."


def test_records_that_are_no_messages_are_ignored(wire: Wire) -> None:
    broken = Record(9, 1001.0, "s1", Direction.IN, wire.call(1, "a").kind, "", b"{")
    assert not earlier_runs([opened(wire), broken, wire.request(1, "tools/call", ["no object"])], LATER)
