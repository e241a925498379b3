"""What the stateless era sends in pieces is one conversation: rounds, tasks, subscriptions; ids may collide."""

from typing import Any

import pytest

from server_core.protocol.envelope import CLIENT_CAPABILITIES, PROTOCOL_VERSION, RELATED_TASK, SUBSCRIPTION_ID
from server_core.records.tap import Direction, Kind, Record
from tests.tables import each_row
from tests.workbench.model.records import IN, OUT, Wire, timeline_of
from workbench.model.traffic.entry import ASKS, CANCELLED, ERROR, HANDSHAKE, OK, PENDING, STATELESS, TASK, TOOL_ERROR
from workbench.model.traffic.filter import parse_filter
from workbench.model.traffic.filter_tokens import FilterError
from workbench.model.traffic.vocabulary import PROBE

DATE = "2026-07-28"
ASKED = {"resultType": "input_required", "inputRequests": {"sweet": {"method": "roots/list"}}}


def envelope(**more: Any) -> dict[str, Any]:
    return {PROTOCOL_VERSION: DATE, CLIENT_CAPABILITIES: {}, **more}


class Stateless(Wire):
    """Writes requests that identify their client."""

    def ask(self, id: str | int, method: str = "tools/call", *, session: str = "s1", **params: Any) -> Record:
        if method == "tools/call":
            params = {"name": "choose", **params}
        return self.request(id, method, {**params, "_meta": envelope()}, session=session)

    def complete(self, id: str | int, **result: Any) -> Record:
        return self.result(id, {"resultType": "complete", **result})


def test_a_request_has_an_era_which_its_response_and_its_effects_share() -> None:
    wire = Stateless()
    timeline = timeline_of(wire.ask(1), wire.notification("notifications/message", {}, call="1"), wire.complete(1))
    assert {(entry.era, entry.revision) for entry in timeline} == {(STATELESS, DATE)}


def test_a_session_is_written_in_the_revision_that_its_handshake_agreed_on() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.request(0, "initialize", {"protocolVersion": "2025-11-25"}),
        wire.result(0, {"protocolVersion": "2025-06-18"}),
        wire.call(1, "greet"),
        wire.call(1, "greet", session="s2"),
    )
    assert [entry.revision for entry in timeline] == ["2025-06-18", "2025-06-18", "2025-06-18", ""]
    assert [entry.era for entry in timeline] == [HANDSHAKE, HANDSHAKE, HANDSHAKE, ""]


def test_initialize_begins_a_session_regardless_of_its_other_members() -> None:
    assert timeline_of(Wire().request(0, "initialize", {"_meta": envelope()}))[0].era == HANDSHAKE


def test_the_rounds_of_a_call_are_joined_by_their_state_and_shown_as_the_last_round() -> None:
    wire = Stateless()
    timeline = timeline_of(
        wire.ask(1),
        wire.result(1, {**ASKED, "requestState": "a"}),
        wire.ask(2, inputResponses={"sweet": {"roots": []}}, requestState="a"),
        wire.result(2, {**ASKED, "requestState": "b"}),
        wire.ask(3, inputResponses={"sweet": {"roots": []}}, requestState="b"),
    )
    first, second, third = timeline[0], timeline[2], timeline[4]
    assert (first.status, second.status, third.status) == (ASKS, ASKS, PENDING)
    assert (second.parent, third.parent, second.mark, third.mark) == (1, 1, "retry", "retry")
    assert timeline.followers_of(third) == [second, third]
    timeline.extend([wire.complete(3, content=[], isError=True)])
    assert (first.status, second.status, third.status) == (TOOL_ERROR, ASKS, TOOL_ERROR)
    assert [entry.seq for entry in timeline.since(0) if entry.parent == 1] == [2, 3, 4, 5, 6]


def test_a_state_joins_rounds_of_the_same_request_alone() -> None:
    wire = Stateless()
    timeline = timeline_of(
        wire.ask(1),
        wire.result(1, {**ASKED, "requestState": "a"}),
        wire.ask(2, name="other", requestState="a"),
        wire.ask(3, requestState="unknown"),
        wire.ask(4, requestState=5),
    )
    assert [entry.parent for entry in timeline][2:] == [0, 0, 0]


def test_without_a_state_rounds_are_joined_by_what_was_asked() -> None:
    wire = Stateless()
    timeline = timeline_of(
        wire.ask(1),
        wire.result(1, ASKED),
        wire.ask(2, inputResponses={"sweet": {}}),
        wire.ask(3, inputResponses={"sour": {}}),
        wire.ask(4, name="other", inputResponses={"sweet": {}}),
    )
    assert [entry.parent for entry in timeline][2:] == [1, 0, 0]


def test_a_round_that_is_cancelled_cancels_the_call() -> None:
    wire = Stateless()
    timeline = timeline_of(
        wire.ask(1),
        wire.result(1, {**ASKED, "requestState": "a"}),
        wire.ask(2, requestState="a"),
        wire.notification("notifications/cancelled", {"requestId": 2}, direction=IN),
    )
    assert (timeline[0].status, timeline[2].status, timeline[3].parent) == (CANCELLED, CANCELLED, 1)


def test_independent_clients_may_use_the_same_id_at_the_same_time() -> None:
    wire = Stateless()
    first, second, log, item, second_answer, third, third_answer = timeline_of(
        wire.ask(1, name="a"),
        wire.ask(1, name="b"),
        wire.notification("notifications/message", {}, call="1"),
        wire.complete(1),
        wire.complete(1),
        wire.ask(1, name="c"),
        wire.complete(1),
    )
    assert (first.pair, second.pair, third.pair) == (item.seq, second_answer.seq, third_answer.seq)
    assert log.parent == 0, "its request cannot be determined"


def test_records_that_name_a_request_by_its_number_belong_to_it_even_if_an_id_is_repeated() -> None:
    wire = Stateless()
    timeline = timeline_of(
        wire.ask(1, name="a"),
        wire.ask(1, name="b"),
        wire.raw(Kind.STDOUT, b"printed", call="1@1"),
        wire.notification("notifications/progress", {"progressToken": "p"}, call="1@2"),
        wire.result(1, {"resultType": "complete"}, call="1@2"),
        wire.result(1, {"resultType": "complete"}, call="1@1"),
        wire.raw(Kind.STDOUT, b"of nobody", call="1@3"),
    )
    assert [(item.pair, item.parent) for item in timeline] == [(6, 0), (5, 0), (0, 1), (0, 2), (2, 2), (1, 1), (0, 0)]


def test_an_answer_belongs_to_a_request_of_its_own_era() -> None:
    wire = Stateless()
    handshake, stateless, answer, other = timeline_of(
        wire.call(1, "a"), wire.ask(1, name="b"), wire.complete(1), wire.result(1, {"content": []})
    )
    assert (stateless.pair, handshake.pair) == (answer.seq, other.seq)


def test_a_client_that_closed_its_connection_gets_no_response_of_another() -> None:
    wire = Stateless()
    gone, event, asked, answer = timeline_of(
        wire.ask(1), wire.lifecycle("call_abandoned", "s1", id=1), wire.ask(1), wire.complete(1)
    )
    assert (gone.status, gone.pair, event.parent, asked.pair) == (CANCELLED, 0, gone.seq, answer.seq)


def test_what_a_closed_session_has_not_answered_is_cancelled() -> None:
    wire = Wire()
    done, _, call, question, other, _ = timeline_of(
        wire.call(1, "a"),
        wire.result(1),
        wire.call(2, "b"),
        wire.request(1, "elicitation/create", direction=OUT),
        wire.call(2, "b", session="s2"),
        wire.lifecycle("session_closed", "s1"),
    )
    assert [entry.status for entry in (done, call, question, other)] == [OK, CANCELLED, CANCELLED, PENDING]


def test_many_unanswered_requests_are_not_remembered_without_end() -> None:
    wire = Stateless()
    timeline = timeline_of(*(wire.ask(1) for _ in range(1000)), *(wire.complete(1) for _ in range(1000)))
    assert 0 < sum(entry.pair > 0 for entry in timeline) < 200


@each_row(
    ("result", "status"),
    [
        ({"taskId": "t", "status": "working"}, TASK),
        ({"taskId": "t", "status": "completed", "result": {"content": []}}, OK),
        ({"taskId": "t", "status": "completed", "result": {"isError": True}}, TOOL_ERROR),
        ({"taskId": "t", "status": "failed", "error": {}}, ERROR),
        ({"taskId": "t", "status": "cancelled"}, CANCELLED),
        ({"taskId": "t", "status": ["odd"]}, TASK),
    ],
)
def test_a_call_that_became_a_task_has_the_status_of_the_task(result: dict[str, Any], status: str) -> None:
    wire = Stateless()
    timeline = timeline_of(
        wire.ask(1),
        wire.result(1, {"resultType": "task", "taskId": "t", "status": "working"}),
        wire.ask(2, "tasks/update", taskId="t", inputResponses={}),
        wire.complete(2),
        wire.ask(3, "tasks/get", taskId="t", session="s9"),
        wire.message(Kind.RESPONSE, {"id": 3, "result": result}, direction=OUT, session="s9"),
    )
    assert timeline[0].status == status
    assert {entry.parent for entry in timeline} == {0, 1}
    assert timeline[4].name == "choose"


def test_a_task_of_a_session_ends_with_the_request_for_its_result() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "roast"),
        wire.result(1, {"task": {"taskId": "t", "status": "working"}}),
        wire.notification("notifications/tasks/status", {"taskId": "t", "status": "input_required"}),
        wire.request(2, "tasks/result", {"taskId": "t"}),
        wire.request(5, "elicitation/create", {"_meta": {RELATED_TASK: {"taskId": "t"}}}, direction=OUT),
        wire.result(5, {"action": "decline"}, direction=IN),
        wire.result(2, {"content": []}),
    )
    assert timeline[0].status == OK
    assert [entry.parent for entry in timeline] == [0, 1, 1, 1, 1, 1, 1]


def test_events_of_the_core_show_a_task_too() -> None:
    wire = Stateless()
    facts = {"tool": "choose", "id": 1, "task": "t"}
    timeline = timeline_of(
        wire.ask(1),
        wire.lifecycle("task_created", "s1", **facts, status="working", ok=True),
        wire.result(1, {"resultType": "task", "taskId": "t", "status": "working"}),
        wire.ask(1, name="another"),
        wire.lifecycle("task_changed", "s1", **facts, status="completed", ok=False),
    )
    assert (timeline[0].status, timeline[1].parent, timeline[4].parent) == (TOOL_ERROR, 1, 1)


def test_events_belong_to_the_subscription_that_they_name() -> None:
    wire = Stateless()
    timeline = timeline_of(
        wire.ask("l", "subscriptions/listen", notifications={}),
        wire.ask("l", session="s2"),
        wire.notification("notifications/tools/list_changed", {"_meta": {SUBSCRIPTION_ID: "l"}}),
        wire.notification("notifications/tools/list_changed", {"_meta": {SUBSCRIPTION_ID: "m"}}),
    )
    assert [entry.parent for entry in timeline][2:] == [1, 0]


def test_a_probe_is_known_by_its_mark() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.request(1, "server/discover", {"_meta": envelope(**{PROBE: True})}),
        wire.result(1, {"resultType": "complete"}),
        wire.request(2, "server/discover", {"_meta": envelope(**{PROBE: "no"})}),
    )
    assert [entry.mark for entry in timeline] == ["probe", "probe", ""]
    assert [entry.seq for entry in timeline if parse_filter("probe:yes")(entry)] == [1, 2]
    assert [entry.seq for entry in timeline if parse_filter("probe:no")(entry)] == [3]


def test_a_filter_distinguishes_the_eras() -> None:
    wire = Stateless()
    timeline = timeline_of(
        wire.request(0, "initialize", {}), wire.result(0, {"protocolVersion": "2025-11-25"}), wire.ask(1)
    )
    matches = {text: [entry.seq for entry in timeline if parse_filter(text)(entry)] for text in _ERA_FILTERS}
    assert list(matches.values()) == [[3], [3], [1, 2], [1, 2], [3], [1, 2]]


_ERA_FILTERS = ("era:modern", "era:stateless", "era:legacy", "era:Handshake", "rev:2026", "rev:2025-11-25")


@each_row("text", ["era:new", "era:", "rev:", "probe:maybe", "status:asking"])
def test_an_empty_term_is_refused(text: str) -> None:
    with pytest.raises(FilterError):
        parse_filter(text)


def test_requests_for_input_and_their_responses_are_readable_in_the_list() -> None:
    wire = Stateless()
    form = {"method": "elicitation/create", "params": {"message": "Which one?\x1b[31m"}}
    _, asked, retry = timeline_of(
        wire.ask(1),
        wire.result(1, {"resultType": "input_required", "inputRequests": {"sweet": form, "n": 5}, "requestState": "a"}),
        wire.ask(
            2, inputResponses={"sweet": {"action": "accept", "content": {"dish": "cake"}}, "n": None}, requestState="a"
        ),
    )
    assert asked.summary == "sweet form: Which one?\\x1b[31m; n 5"
    assert retry.summary == 'sweet accept {"dish": "cake"}; n null'


def test_an_array_of_messages_is_read_as_such() -> None:
    data = b'[{"method": "ping", "id": 1}, {"id": 2, "result": {}}, {"id": 3, "error": {}}, 7]'
    entry = timeline_of(Wire().raw(Kind.MALFORMED, data, direction=Direction.IN))[0]
    assert (entry.status, entry.summary) == (ERROR, "batch of 4: ping, result 2, error 3, 7")
