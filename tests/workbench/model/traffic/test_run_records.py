"""The records of a run are those of its request, whoever else uses the same ids."""

from server_core.records.tap import Kind
from tests.workbench.model.records import Wire, timeline_of
from workbench.model.catalog import OfferKind
from workbench.model.history import CallRun
from workbench.model.traffic.run_records import RunRecords, run_of
from workbench.model.traffic.timeline import Timeline


def run(number: int = 1, id: int | None = 1, started: float = 1000, **more: object) -> CallRun:
    return CallRun(number, "greet", {}, started, request_id=id, **more)  # type: ignore[arg-type]


def test_the_records_of_a_run_arrive_one_by_one() -> None:
    wire, timeline = Wire(), Timeline()
    records = RunRecords(timeline, run())
    assert not records.refresh()
    timeline.extend([wire.call(7, "greet"), wire.call(1, "greet"), wire.raw(Kind.STDOUT, b"hi", call="1")])
    assert records.refresh()
    assert [entry.seq for entry in records.entries] == [2, 3]
    timeline.extend([wire.result(7), wire.result(1)])
    assert records.refresh()
    assert not records.refresh()
    assert [entry.seq for entry in records.messages] == [2, 5]


def test_a_request_from_before_the_run_is_of_another_client_with_the_same_ids() -> None:
    wire = Wire()
    timeline = timeline_of(wire.call(1, "greet", session="s2"), wire.call(1, "greet", session="s1"))
    records = RunRecords(timeline, run(started=timeline[1].time))
    records.refresh()
    assert [entry.seq for entry in records.entries] == [2]


def test_a_request_from_after_the_run_is_of_a_later_core() -> None:
    ended = run()
    ended.finish({}, 1000.01)
    records = RunRecords(timeline_of(Wire().call(1, "greet")), ended)
    assert not records.refresh()
    assert records.first is None


def test_a_resource_has_no_known_id() -> None:
    wire = Wire()
    timeline = timeline_of(wire.call(1, "menu"), wire.request(2, "resources/read", {"uri": "demo://menu"}))
    records = RunRecords(timeline, CallRun(1, "demo://menu", {}, 1000, kind=OfferKind.RESOURCE))
    records.refresh()
    assert [entry.seq for entry in records.entries] == [2]


def test_a_message_leads_to_its_run() -> None:
    wire = Wire()
    timeline = timeline_of(wire.call(1, "greet"), wire.call(2, "greet"), wire.call(3, "greet"), wire.result(1))
    runs = [run(1, 1), run(2, 2)]
    assert [run_of(timeline, entry, runs) for entry in timeline] == [*runs, None, runs[0]]


def test_after_the_timeline_is_cleared_there_are_no_records() -> None:
    timeline = timeline_of(Wire().call(1, "greet"))
    records = RunRecords(timeline, run())
    records.refresh()
    timeline.clear()
    records.refresh()
    assert records.entries == []
