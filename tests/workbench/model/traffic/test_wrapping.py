"""Which part of which line a row shows, when long lines are folded."""

from workbench.model.traffic.highlight import JsonDocument
from workbench.model.traffic.wrapping import MAX_MEASURED, Wrapping


def wrapping(lengths: list[int], width: int) -> Wrapping:
    return Wrapping(len(lengths), lengths.__getitem__, lengths.__getitem__, width)


def test_lines_that_fit_have_a_row_each() -> None:
    rows = wrapping([3, 0, 10], 10)
    assert rows.row_count == 3
    assert [rows.at(row) for row in range(3)] == [(0, 0), (1, 0), (2, 0)]


def test_a_long_line_takes_as_many_rows_as_it_needs() -> None:
    rows = wrapping([5, 25, 5, 11], 10)
    assert rows.row_count == 1 + 3 + 1 + 2
    assert [rows.at(row) for row in range(7)] == [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0), (3, 0), (3, 1)]


def test_a_line_that_only_might_be_too_long_is_measured() -> None:
    rows = Wrapping(2, lambda line: 100, lambda line: 7, 10)
    assert rows.row_count == 2


def test_a_document_without_lines_has_no_rows() -> None:
    assert wrapping([], 10).row_count == 0


def test_a_huge_document_is_measured_only_so_far() -> None:
    measured: list[int] = []

    def measure(line: int) -> int:
        measured.append(line)
        return 20

    count = MAX_MEASURED + 1000
    rows = Wrapping(count, lambda line: 20, measure, 10)
    assert len(measured) == MAX_MEASURED
    assert rows.row_count == count + MAX_MEASURED
    assert rows.at(rows.row_count - 1) == (count - 1, 0)


def test_the_bound_of_a_line_is_never_below_what_it_shows() -> None:
    body = '{"a":{"b":[1,2,{"c":"ä 漢字 \\u0007"}],"d":{}},"e": "\x7f"}'
    for data in (body.encode(), b"plain \x1b[31m text\nand more", b""):
        document = JsonDocument(data)
        for line in range(document.line_count):
            assert document.bound(line) >= len(document.plain_line(line))
