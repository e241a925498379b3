"""The summary of the calls in a list: always that of its rows, whatever came, changed or left before."""

from hypothesis import given, settings
from hypothesis import strategies as st

from server_core.records.tap import Kind, Record
from tests.workbench.model.records import OUT, Wire, timeline_of
from workbench.model.traffic.filter import parse_filter
from workbench.model.traffic.statistics import statistics
from workbench.model.traffic.timeline import Timeline
from workbench.model.traffic.traffic_view import TrafficView


def test_calls_errors_and_times_are_counted_and_questions_are_not() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "greet"),
        wire.result(1),
        wire.call(2, "fail"),
        wire.call(3, "slow"),
        wire.result(2, {"isError": True}),
        wire.request(9, "elicitation/create", {}, direction=OUT, call="3"),
    )
    view = TrafficView(timeline)
    assert view.summary.text == ""
    view.refresh()
    view.summarise()
    assert view.summary.text == "3 calls · 1 error · p50 100 ms · p95 200 ms"
    timeline.extend([wire.error(3)])
    view.refresh()
    view.summarise()
    assert (view.summary.calls, view.summary.errors) == (3, 2)
    assert view.summary.quantile(1) == timeline[3].latency


def test_what_is_no_message_and_an_error_for_no_request_are_errors_and_no_calls() -> None:
    wire = Wire()
    timeline = timeline_of(wire.raw(Kind.MALFORMED, b"{broken"), wire.error("null"))
    view = TrafficView(timeline, is_by_call=True)
    view.refresh()
    view.summarise()
    assert view.summary.text == "0 calls · 2 errors"
    view.set_filter(parse_filter("kind:malformed"))
    view.refresh()
    view.summarise()
    assert view.summary.text == "0 calls · 1 error"


def test_without_an_answer_there_are_no_times() -> None:
    view = TrafficView(timeline_of(Wire().call(1, "greet")))
    view.refresh()
    view.summarise()
    assert view.summary.text == "1 call · 0 errors"


_STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["call", "result", "error", "fail"]), st.integers(0, 5)),
        st.tuples(st.just("filter"), st.integers(0, 4)),
        st.tuples(st.just("refresh"), st.just(0)),
    ),
    max_size=40,
)
_FILTERS = ["", "status:pending", "status:err", "status:ok", "tool:a"]


@settings(deadline=None, database=None)
@given(_STEPS, st.booleans())
def test_the_summary_is_that_of_the_rows_after_any_changes(steps: list[tuple[str, int]], is_by_call: bool) -> None:
    wire, timeline = Wire(), Timeline()
    view = TrafficView(timeline, is_by_call=is_by_call)
    for step, number in steps:
        if step == "filter":
            view.set_filter(parse_filter(_FILTERS[number]))
        elif step == "refresh":
            view.refresh()
            view.summarise()
        else:
            timeline.extend([_record(wire, step, number)])
    view.refresh()
    view.summarise()
    rows = [view[row] for row in range(len(view))]
    expected = statistics(rows)
    assert view.summary.calls == sum(each.calls for each in expected)
    lone_errors = sum(row.kind is Kind.ERROR and not row.pair for row in rows)
    assert view.summary.errors == sum(each.errors for each in expected) + lone_errors
    times = sorted(time for each in expected for time in each.times)
    slowest = view.summary.quantile(1)
    assert (slowest is None) == (not times)
    if slowest is not None:
        assert abs(slowest - times[-1]) <= times[-1] * 0.002


def _record(wire: Wire, step: str, number: int) -> Record:
    match step:
        case "call":
            return wire.call(number, "ab"[number % 2])
        case "result":
            return wire.result(number)
        case "fail":
            return wire.result(number, {"isError": True})
    return wire.error(number)
