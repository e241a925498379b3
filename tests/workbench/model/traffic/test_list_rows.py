"""The rows of a list with unfolded calls: always the rows of its view, with what belongs to these calls below them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from server_core.records.tap import Direction, Kind, Record
from tests.workbench.model.records import OUT, Wire, timeline_of
from workbench.model.traffic.filter import parse_filter
from workbench.model.traffic.list_rows import MAX_UNFOLDED, ListRows
from workbench.model.traffic.timeline import Timeline
from workbench.model.traffic.traffic_view import TrafficView


def shown(rows: ListRows) -> list[tuple[int, bool]]:
    """The number of each row, and whether it is below its call."""
    return [(rows.entry(row).seq, rows.branch(row) is not None) for row in range(len(rows))]


def test_an_unfolded_call_has_its_records_below_it_and_a_question_is_there_once() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "a"),
        wire.request(7, "elicitation/create", {}, direction=OUT, call="1@1"),
        wire.call(2, "b"),
        wire.result(1),
    )
    view = TrafficView(timeline, is_by_call=True)
    view.refresh()
    rows = ListRows(view)
    assert shown(rows) == [(1, False), (2, False), (3, False)]
    assert rows.can_unfold(0)
    rows.unfold(0)
    assert shown(rows) == [(1, False), (1, True), (2, True), (4, True), (3, False)]
    assert [rows.is_unfolded(row) for row in range(5)] == [True, False, False, False, False]
    assert (rows.row_of(1), rows.row_of(2), rows.row_of(3), rows.row_of(4)) == (0, 2, 4, 3)
    assert rows.fold(3) == 0
    assert shown(rows) == [(1, False), (2, False), (3, False)]


def test_only_some_calls_are_unfolded_at_a_time() -> None:
    wire = Wire()
    view = TrafficView(timeline_of(*(wire.call(number, "a") for number in range(60))), is_by_call=True)
    view.refresh()
    rows = ListRows(view)
    for row in reversed(range(60)):
        rows.unfold(row)
    assert len(rows) == 60 + MAX_UNFOLDED
    view.set_by_call(False)
    rows.refresh()
    assert len(rows) == 60
    assert not rows.can_unfold(0)


_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["call", "print", "ask", "result", "unfold", "fold", "filter"]),
        st.integers(0, 3),
        st.integers(0, 20),
    ),
    max_size=30,
)
_FILTERS = ["", "status:pending", "tool:a", "kind:stdout"]


@settings(deadline=None, database=None, max_examples=150)
@given(_STEPS)
def test_each_row_of_the_view_is_shown_once_in_order_whatever_is_unfolded(steps: list[tuple[str, int, int]]) -> None:
    wire, timeline = Wire(), Timeline()
    view = TrafficView(timeline, is_by_call=True)
    rows = ListRows(view)
    for step, number, row in steps:
        match step:
            case "unfold" if row < len(rows) and rows.can_unfold(row):
                rows.unfold(row)
            case "fold" if row < len(rows):
                assert rows.fold(row) < max(1, len(rows))
            case "filter":
                view.set_filter(parse_filter(_FILTERS[number]))
            case "call" | "print" | "ask" | "result":
                timeline.extend([_record(wire, step, number)])
                view.refresh()
        rows.refresh()
        _check(rows, view)


def _check(rows: ListRows, view: TrafficView) -> None:
    plain = [rows.entry(row).index for row in range(len(rows)) if rows.branch(row) is None]
    below = {branch.index for row in range(len(rows)) if (branch := rows.branch(row)) is not None}
    unfolded = {index for row in range(len(rows)) if rows.is_unfolded(row) for index in [rows.entry(row).index]}
    assert plain == [index for index in view.indices if index not in below - unfolded]
    for row in range(len(rows)):
        entry = rows.entry(row)
        place = rows.row_of(entry.seq)
        assert place is not None
        assert rows.entry(place).seq == entry.seq
        assert 0 <= rows.nearest_row(entry.seq) < len(rows)


def _record(wire: Wire, step: str, number: int) -> Record:
    match step:
        case "call":
            return wire.call(number, "ab"[number % 2])
        case "print":
            return wire.raw(Kind.STDOUT, b"x", direction=Direction.NONE, call=str(number))
        case "ask":
            return wire.request(number + 100, "elicitation/create", {}, direction=OUT, call=str(number))
    return wire.result(number)
