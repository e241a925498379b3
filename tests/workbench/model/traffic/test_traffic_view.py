"""A view follows its timeline and looks only at what is new or changed."""

from server_core.records.tap import Kind
from tests.workbench.model.records import IN, OUT, Wire
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.filter import EVERYTHING, Filter, parse_filter
from workbench.model.traffic.timeline import Timeline
from workbench.model.traffic.traffic_view import TrafficView


def shown(view: TrafficView) -> list[int]:
    return [view[row].seq for row in range(len(view))]


def test_a_view_without_a_filter_shows_everything() -> None:
    wire, timeline = Wire(), Timeline()
    view = TrafficView(timeline)
    timeline.extend([wire.call(1, "a"), wire.result(1)])
    assert view.refresh()
    assert shown(view) == [1, 2]


def test_refreshing_without_new_records_changes_nothing() -> None:
    timeline = Timeline()
    view = TrafficView(timeline)
    timeline.extend([Wire().call(1, "a")])
    assert view.refresh()
    assert not view.refresh()


def test_a_refresh_checks_only_new_entries() -> None:
    looked_at: list[int] = []

    def note(entry: Entry) -> bool:
        looked_at.append(entry.seq)
        return True

    wire, timeline = Wire(), Timeline()
    view = TrafficView(timeline)
    timeline.extend([wire.call(1, "a"), wire.call(2, "b")])
    view.set_filter(Filter("", note))
    looked_at.clear()
    timeline.extend([wire.call(3, "c")])
    view.refresh()
    assert looked_at == [3]


def test_a_request_is_no_longer_pending_when_it_is_answered() -> None:
    wire, timeline = Wire(), Timeline()
    view = TrafficView(timeline)
    timeline.extend([wire.call(1, "a"), wire.call(2, "b"), wire.call(3, "c")])
    view.set_filter(parse_filter("status:pending"))
    timeline.extend([wire.result(2)])
    assert view.refresh()
    assert shown(view) == [1, 3]


def test_a_request_is_inserted_at_its_place_when_its_response_matches() -> None:
    wire, timeline = Wire(), Timeline()
    view = TrafficView(timeline)
    timeline.extend([wire.call(1, "a"), wire.call(2, "b"), wire.error(2)])
    view.set_filter(parse_filter("status:err kind:request"))
    timeline.extend([wire.error(1)])
    view.refresh()
    assert shown(view) == [1, 2]


def test_a_new_filter_checks_every_entry_again() -> None:
    wire, timeline = Wire(), Timeline()
    timeline.extend([wire.call(1, "a"), wire.result(1), wire.call(2, "b")])
    view = TrafficView(timeline)
    view.set_filter(parse_filter("tool:b"))
    assert shown(view) == [3]
    view.set_filter(parse_filter(""))
    assert shown(view) == [1, 2, 3]


def test_a_view_of_a_cleared_timeline_starts_again() -> None:
    timeline = Timeline()
    timeline.extend([Wire().call(1, "a"), Wire().call(2, "b")])
    view = TrafficView(timeline)
    view.refresh()
    timeline.clear()
    timeline.extend([Wire().call(5, "c")])
    assert view.refresh()
    assert [view[0].name, len(view)] == ["c", 1]


def test_rows_are_looked_up_by_record() -> None:
    wire, timeline = Wire(), Timeline()
    timeline.extend([wire.call(1, "a"), wire.call(2, "b"), wire.call(3, "a"), wire.call(4, "b")])
    view = TrafficView(timeline)
    view.set_filter(parse_filter("tool:a"))
    assert [view.row_of(seq) for seq in (1, 2, 3, 9)] == [0, None, 1, None]
    assert [view.nearest_row(seq) for seq in (1, 2, 3, 4, 9)] == [0, 1, 1, 1, 1]


def test_the_nearest_row_of_an_empty_view_is_the_first() -> None:
    assert TrafficView(Timeline()).nearest_row(3) == 0


def test_a_view_by_call_shows_a_response_in_the_row_of_its_request() -> None:
    wire, timeline = Wire(), Timeline()
    view = TrafficView(timeline, is_by_call=True)
    timeline.extend([wire.call(1, "a"), wire.call(2, "b"), wire.result(2)])
    assert view.refresh()
    assert shown(view) == [1, 2]
    timeline.extend([wire.call(1, "c", direction=OUT), wire.error(1), wire.result(9), wire.result(1, direction=IN)])
    view.refresh()
    # The request of the server has an id of its own, and a response to no request is a row.
    rows = [[message.seq for message in view.messages(row)] for row in range(len(view))]
    assert rows == [[1, 5], [2, 3], [4, 7], [6]]
    assert [view.row_of(seq) for seq in (3, 5, 6)] == [1, 0, 3]
    assert view.nearest_row(5) == 0
    view.set_by_call(False)
    assert shown(view) == [1, 2, 3, 4, 5, 6, 7]


def test_a_call_passes_the_filter_if_its_response_does() -> None:
    wire, timeline = Wire(), Timeline()
    view = TrafficView(timeline, is_by_call=True)
    timeline.extend([wire.call(1, "a"), wire.call(2, "b")])
    view.set_filter(parse_filter("kind:error"))
    assert shown(view) == []
    timeline.extend([wire.result(1), wire.error(2)])
    assert view.refresh()
    assert shown(view) == [2]


def test_a_view_counts_the_rows_that_there_are_without_its_filter() -> None:
    wire, timeline = Wire(), Timeline()
    view = TrafficView(timeline)
    timeline.extend([wire.call(1, "a"), wire.result(1), wire.call(2, "b")])
    view.set_filter(parse_filter("status:pending"))
    assert (len(view), view.total) == (1, 3)
    view.set_by_call(True)
    assert (len(view), view.total) == (1, 2)
    timeline.extend([wire.result(2)])
    view.refresh()
    assert (len(view), view.total) == (0, 2)


def test_a_view_by_call_counts_what_a_call_caused_in_its_row() -> None:
    wire, timeline = Wire(), Timeline()
    view = TrafficView(timeline, is_by_call=True)
    timeline.extend([wire.call(1, "a"), wire.call(2, "b"), wire.raw(Kind.STDOUT, b"one", call="1@1")])
    view.refresh()
    timeline.extend([wire.raw(Kind.STDERR, b"two", call="1@1"), wire.lifecycle("tool_failed", "s1", id=1)])
    timeline.extend([wire.raw(Kind.STDOUT, b"nobody's")])
    view.refresh()
    # What belongs to no call is a row.
    assert (shown(view), view.total) == ([1, 2, 6], 3)
    assert [view.effects_in(entry) for entry in timeline] == [3, 0, 0, 0, 0, 0]
    assert [view.row_of(seq) for seq in (3, 5, 6)] == [0, 0, 2]
    view.set_filter(parse_filter("tool:a"))
    # All that is in the row, as it is exported and counted.
    assert [timeline[index].seq for index in view.all_indices] == [1, 3, 4, 5]
    view.set_filter(EVERYTHING)
    view.set_by_call(False)
    assert (len(view), view.effects_in(timeline[0])) == (6, 0)


def test_a_call_passes_the_filter_if_anything_that_it_caused_does() -> None:
    wire, timeline = Wire(), Timeline()
    view = TrafficView(timeline, is_by_call=True)
    timeline.extend([wire.call(1, "a"), wire.call(2, "b"), wire.raw(Kind.STDOUT, b"needle", call="1@1")])
    view.set_filter(parse_filter("needle"))
    assert (shown(view), view.total) == ([1], 2)
    timeline.extend([wire.raw(Kind.STDOUT, b"needle", call="2@2"), wire.result(1)])
    view.refresh()
    assert shown(view) == [1, 2]
    view.set_filter(parse_filter("b"))
    assert shown(view) == [2]


def test_a_filter_about_single_records_shows_what_calls_caused_as_rows() -> None:
    wire, timeline = Wire(), Timeline()
    view = TrafficView(timeline, is_by_call=True)
    timeline.extend([wire.call(1, "a"), wire.raw(Kind.STDOUT, b"one", call="1@1"), wire.result(1)])
    for text, rows in (("call:1", [1, 2]), ("kind:stdout", [2]), ("tool:a", [1])):
        view.set_filter(parse_filter(text))
        assert shown(view) == rows
