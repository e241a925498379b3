"""An unfolded call: what belongs to it, in order, and what is only inferred."""

from server_core.records.tap import Direction, Kind
from tests.workbench.model.records import IN, OUT, Wire
from workbench.model.traffic.call_tree import CallTree
from workbench.model.traffic.timeline import Timeline

STATELESS_META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}


def tree_of(timeline: Timeline, seq: int) -> list[tuple[int, int, bool]]:
    """The numbers, depths and inferences of the records of a call."""
    request = timeline.by_seq(seq)
    assert request is not None
    tree = CallTree(timeline, request)
    return [(timeline[branch.index].seq, branch.depth, branch.is_inferred) for branch in tree.branches]


def test_a_call_has_its_request_progress_prints_questions_with_answers_and_result() -> None:
    wire, timeline = Wire(), Timeline()
    timeline.extend(
        [
            wire.call(1, "plan", token="t"),  # 1
            wire.call(2, "other"),  # 2
            wire.notification("notifications/progress", {"progressToken": "t", "progress": 1}),  # 3
            wire.raw(Kind.STDOUT, b"hello", direction=Direction.NONE, call="1@1"),  # 4
            wire.request(7, "elicitation/create", {}, direction=OUT, call="1@1"),  # 5
            wire.result(7, {"action": "accept"}, direction=IN),  # 6
            wire.result(2),  # 7
            wire.result(1),  # 8
        ]
    )
    expected = [(1, 1, False), (3, 1, False), (4, 1, False), (5, 1, False), (6, 2, False), (8, 1, False)]
    assert tree_of(timeline, 1) == expected


def test_rounds_are_in_one_conversation_and_inferred_without_a_state() -> None:
    for state, is_inferred in ((None, True), ("s1", False)):
        wire, timeline = Wire(), Timeline()
        asks = {"resultType": "input_required", "inputRequests": {"a": {"method": "elicitation/create"}}}
        retry = {"name": "plan", "arguments": {}, "inputResponses": {"a": {}}, "_meta": STATELESS_META}
        if state is not None:
            asks["requestState"] = retry["requestState"] = state
        timeline.extend(
            [
                wire.request(1, "tools/call", {"name": "plan", "arguments": {}, "_meta": STATELESS_META}),
                wire.result(1, asks),
                wire.request(2, "tools/call", retry),
                wire.result(2, {"resultType": "complete", "content": []}),
            ]
        )
        assert tree_of(timeline, 1) == [(1, 1, False), (2, 1, False), (3, 1, is_inferred), (4, 1, False)]


def test_a_message_that_names_no_call_is_inferred_if_only_one_call_was_open() -> None:
    wire, timeline = Wire(), Timeline()
    log = {"level": "info", "data": "hello"}
    timeline.extend(
        [
            wire.call(1, "first"),  # 1
            wire.notification("notifications/message", log),  # 2
            wire.notification("notifications/tools/list_changed"),  # 3
            wire.call(2, "second"),  # 4
            wire.notification("notifications/message", log),  # 5: of either
            wire.notification("notifications/message", log, session="s2"),  # 6
            wire.result(2),  # 7
            wire.request(7, "elicitation/create", {}, direction=OUT),  # 8
            wire.result(7, {"action": "accept"}, direction=IN),  # 9
            wire.result(1),  # 10
            wire.notification("notifications/message", log),  # 11: after the end
        ]
    )
    assert tree_of(timeline, 1) == [(1, 1, False), (2, 1, True), (8, 1, True), (9, 2, True), (10, 1, False)]
    assert tree_of(timeline, 4) == [(4, 1, False), (7, 1, False)]


def test_records_that_arrive_are_added() -> None:
    wire, timeline = Wire(), Timeline()
    timeline.extend([wire.call(1, "plan")])
    tree = CallTree(timeline, timeline[0])
    assert not tree.refresh()
    timeline.extend([wire.raw(Kind.STDOUT, b"hello", direction=Direction.NONE, call="1@1")])
    assert tree.refresh()
    timeline.extend([wire.result(1)])
    assert tree.refresh()
    assert [branch.index for branch in tree.branches] == [0, 1, 2]
