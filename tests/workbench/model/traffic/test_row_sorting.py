"""The order of the rows by a column, and what is remembered of it."""

from tests.tables import each_row
from tests.workbench.model.records import Wire, timeline_of
from workbench.model.traffic.list_columns import ListColumns
from workbench.model.traffic.list_rows import ListRows
from workbench.model.traffic.row_sorting import sorted_rows
from workbench.model.traffic.traffic_view import TrafficView


def view_of_calls() -> TrafficView:
    """Three calls: 1 (slow, small), 2 (fast, failed, large) and 3 (open)."""
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "beta"),
        wire.call(2, "alpha"),
        wire.error(2),
        wire.call(3, "gamma"),
        wire.result(1),
    )
    view = TrafficView(timeline, is_by_call=True)
    view.refresh()
    return view


@each_row(
    ("sort", "is_descending", "seqs"),
    [
        ("time", False, [1, 2, 4]),
        ("time", True, [4, 2, 1]),
        ("took", True, [1, 2, 4]),
        ("took", False, [2, 1, 4]),
        ("size", True, [2, 1, 4]),
        ("message", False, [2, 1, 4]),
        ("message", True, [4, 1, 2]),
        ("status", False, [2, 1, 4]),
    ],
)
def test_rows_are_sorted_and_those_without_a_value_are_at_the_end(
    sort: str, is_descending: bool, seqs: list[int]
) -> None:
    view = view_of_calls()
    order = sorted_rows(view, list(view.indices), sort, is_descending=is_descending)
    assert [view.timeline[index].seq for index in order] == seqs


def test_a_sorted_list_has_its_rows_by_their_numbers_and_unfolds_calls() -> None:
    view = view_of_calls()
    rows = ListRows(view)
    rows.order = sorted_rows(view, list(view.indices), "time", is_descending=True)
    rows.refresh()
    assert [rows.entry(row).seq for row in range(len(rows))] == [4, 2, 1]
    assert (rows.row_of(3), rows.row_of(5), rows.nearest_row(1)) == (1, 2, 2)
    rows.unfold(1)
    assert [rows.entry(row).seq for row in range(len(rows))] == [4, 2, 2, 3, 1]
    assert rows.row_of(1) == 4


def test_the_same_column_again_sorts_the_other_way() -> None:
    columns = ListColumns()
    assert not columns.is_sorted
    columns.sort_by("took")
    assert (columns.sort, columns.is_descending) == ("took", True)
    columns.sort_by("took")
    assert not columns.is_descending
    columns.sort_by("message")
    columns.sort_by("time")
    assert not columns.is_sorted


def test_the_choices_are_remembered_and_invalid_ones_ignored() -> None:
    columns = ListColumns({"id", "size"}, "took", True)
    assert ListColumns.from_json(columns.to_json()) == columns
    assert ListColumns.from_json({"hidden": 5, "sort": "fun", "is_descending": "yes"}) == ListColumns()
