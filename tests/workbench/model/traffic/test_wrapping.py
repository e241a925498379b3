"""Rows of lines of which some need more than one."""

from workbench.model.traffic.wrapping import Wrapping


def test_lines_that_fit_have_a_row_each() -> None:
    rows = Wrapping(3, [])
    assert rows.row_count == 3
    assert [rows.at(row) for row in range(3)] == [(0, 0), (1, 0), (2, 0)]


def test_a_tall_line_has_as_many_rows_as_it_needs() -> None:
    rows = Wrapping(4, [(1, 3), (3, 2)])
    assert rows.row_count == 1 + 3 + 1 + 2
    assert [rows.at(row) for row in range(7)] == [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0), (3, 0), (3, 1)]


def test_each_line_has_a_first_row() -> None:
    rows = Wrapping(5, [(1, 3), (3, 2)])
    assert [rows.first_row(line) for line in range(5)] == [0, 1, 4, 5, 7]


def test_a_document_without_lines_has_no_rows() -> None:
    assert Wrapping(0, []).row_count == 0
