"""Held messages in the timeline: what arrived is joined with what was delivered instead."""

from typing import Any

import pytest

from server_core.records.tap import Direction, Kind, Record
from tests.workbench.model.records import IN, OUT, Wire
from workbench.model.traffic.entry import OK, PENDING
from workbench.model.traffic.explain import explain
from workbench.model.traffic.filter import parse_filter
from workbench.model.traffic.held_records import hold_of_call
from workbench.model.traffic.row_sorting import sorted_rows
from workbench.model.traffic.statistics import statistics
from workbench.model.traffic.timeline import Timeline
from workbench.model.traffic.traffic_view import TrafficView


def timeline_of(*records: Record) -> Timeline:
    timeline = Timeline()
    timeline.extend(records)
    return timeline


def event(wire: Wire, name: str, message: int, **facts: Any) -> Record:
    return wire.lifecycle(f"message_{name}", "s1", message=message, **facts)


def test_an_edited_request_is_joined_with_what_was_delivered_and_has_the_response() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "greet"), event(wire, "held", 1), wire.call(1, "wave"), event(wire, "edited", 1, passed=[3])
    )
    assert (timeline[0].hold, timeline[2].hold) == ("edited", "passed")
    assert (timeline[0].status, timeline[2].status) == (PENDING, "")
    assert timeline[2].parent == 1
    timeline.extend([wire.result(1)])
    assert (timeline[0].pair, timeline[4].pair, timeline[2].pair) == (5, 1, 0)
    assert timeline[0].status == OK
    assert "then edited; instead of it #3 was delivered." in "\n".join(explain(timeline, timeline[0]))
    assert "Delivered by an operator instead of #1." in explain(timeline, timeline[2])


def test_an_edited_response_belongs_to_the_call_of_the_original() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "greet"),
        wire.result(1),
        event(wire, "held", 2),
        wire.result(1, {"content": []}),
        event(wire, "edited", 2, passed=[4]),
    )
    assert timeline[0].pair == 2
    assert (timeline[3].name, timeline[3].method, timeline[3].parent) == ("greet", "tools/call", 1)


def test_a_session_that_closes_cancels_the_request_that_arrived() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "greet"),
        wire.call(1, "wave"),
        event(wire, "edited", 1, passed=[2]),
        wire.lifecycle("session_closed", "s1"),
    )
    assert (timeline[0].status, timeline[1].status) == ("cancelled", "")


def test_a_request_that_was_dropped_waits_no_longer() -> None:
    wire = Wire()
    timeline = timeline_of(wire.call(1, "greet"), event(wire, "held", 1), event(wire, "dropped", 1))
    assert timeline[0].status == "cancelled"


def test_the_time_for_which_a_call_was_held_is_no_time_of_its_tool() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "greet"),
        event(wire, "held", 1),
        event(wire, "delayed", 1),
        event(wire, "released", 1),
        wire.result(1),
        wire.call(2, "wave"),
        wire.notification("notifications/message", {"level": "info", "data": "x"}),
        wire.notification("notifications/message", {"level": "info", "data": "x"}),
        wire.result(2),
    )
    held, free = timeline[0], timeline[5]
    assert (held.latency, timeline[4].latency, free.latency) == (
        pytest.approx(0.2),
        pytest.approx(0.2),
        pytest.approx(0.3),
    )
    assert [entry.seq for entry in timeline if parse_filter("dur>250ms")(entry)] == [6, 9]
    view = TrafficView(timeline)
    view.refresh()
    view.summarise()
    assert [round(view.summary.quantile(share) or 0, 3) for share in (0.5, 1)] == [0.2, 0.3]
    assert [round(each.times[0], 3) for each in statistics(timeline)] == [0.2, 0.3]
    assert sorted_rows(view, [0, 5], "took", is_descending=True) == [5, 0]


def test_a_response_that_was_held_is_timed_until_it_arrived() -> None:
    wire = Wire()
    timeline = timeline_of(wire.call(1, "greet"), wire.result(1), event(wire, "held", 2), event(wire, "released", 2))
    assert timeline[0].latency == timeline[1].latency == pytest.approx(0.1)


def test_a_request_that_was_edited_is_timed_from_its_delivery_also_with_another_id() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "greet"),
        event(wire, "held", 1),
        wire.call(1, "wave"),
        event(wire, "edited", 1, passed=[3]),
        wire.result(1),
        wire.call(2, "greet"),
        event(wire, "held", 6),
        wire.call(7, "wave"),
        event(wire, "edited", 6, passed=[8]),
        wire.result(7),
    )
    assert (timeline[0].latency, timeline[7].latency) == (pytest.approx(0.2), pytest.approx(0.2))


def test_the_message_of_a_call_that_waits_is_known_with_the_time_of_those_that_no_longer_do() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "greet"),
        event(wire, "held", 1),
        event(wire, "released", 1),
        wire.notification("notifications/message", {"level": "info", "data": "x"}, call="1"),
        event(wire, "held", 4),
        wire.call(2, "wave"),
        event(wire, "held", 6),
    )
    assert hold_of_call(timeline, timeline[0]).waiting == 0
    timeline.extend([wire.result(1), event(wire, "held", 8)])
    hold = hold_of_call(timeline, timeline[0])
    assert (hold.waiting, hold.since) == (8, timeline[8].time)
    assert hold.seconds_at(hold.since + 12) == pytest.approx(12.1)


def test_a_request_that_was_edited_to_another_id_has_its_own_response() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "greet"), wire.call(7, "greet"), event(wire, "edited", 1, passed=[2]), wire.result(7)
    )
    assert (timeline[0].pair, timeline[1].pair, timeline[1].parent) == (0, 4, 1)


def test_an_edit_that_is_no_message_and_a_message_without_a_record_are_ignored() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "greet"),
        wire.raw(Kind.MALFORMED, b"{oops", direction=Direction.IN),
        event(wire, "edited", 1, passed=[2, 99, "x"]),
        event(wire, "held", 77),
        wire.lifecycle("message_held", "s1", message="x"),
    )
    assert (timeline[1].hold, timeline[1].name) == ("passed", "greet")
    assert [entry.hold for entry in timeline] == ["edited", "passed", "", "", ""]


def test_copies_and_reasons_are_explained() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.notification("notifications/message", {"level": "info", "data": "x"}),
        event(wire, "held", 1),
        wire.notification("notifications/message", {"level": "info", "data": "x"}),
        event(wire, "duplicated", 1, passed=[3]),
        wire.call(2, "greet"),
        event(wire, "held", 5),
    )
    assert "Delivered by an operator as a copy of #1." in explain(timeline, timeline[2])
    assert "then duplicated; also #3 was delivered." in "\n".join(explain(timeline, timeline[0]))
    assert "Waits for an operator." in explain(timeline, timeline[4])
    timeline.extend([event(wire, "expired", 5, reason="the session is closed")])
    assert "then expired (the session is closed)." in "\n".join(explain(timeline, timeline[4]))


def test_filters_by_what_became_of_held_messages() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "a", direction=IN),
        event(wire, "held", 1),
        wire.result(2, direction=OUT),
        event(wire, "dropped", 3),
        wire.call(3, "b"),
    )
    for text, seqs in {
        "hold:waits": [1],
        "hold:dropped": [3],
        "hold:any": [1, 3],
        "!hold:any kind:request": [5],
    }.items():
        assert [entry.seq for entry in timeline if parse_filter(text)(entry)] == seqs, text
