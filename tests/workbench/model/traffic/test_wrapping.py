"""Rows of lines of which some need more than one."""

from tests.tables import each_row
from workbench.model.traffic.wrapping import SECOND_CELL, Wrapping, row_starts


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


@each_row(
    ("cells", "rows"),
    [
        ("one two three", ["one two ", "three"]),
        ("  a_words {", ["  a_words ", "{"]),
        ("  a_long_word", ["  a_long_", "word"]),
        ("a waytoolongwords", ["a waytool", "ongword", "s"]),
        ("https://a.b/c/d", ["https://", "a.b/c/d"]),
        ("one twotwo three", ["one ", "twotwo ", "three"]),
        (f"12345678漢{SECOND_CELL}9", ["12345678", f"漢{SECOND_CELL}9"]),
    ],
)
def test_a_line_is_wrapped_between_words_if_they_fit_into_a_row(cells: str, rows: list[str]) -> None:
    starts = [0, *row_starts(cells, 9, 7)]
    assert [cells[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)] == rows
