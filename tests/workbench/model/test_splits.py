"""The widths of columns when the line between two of them is moved."""

from tests.tables import each_row
from workbench.model.arrangement import moved


@each_row(
    ("left", "by", "widths"),
    [
        (0, 5, [35, 45, 40]),
        (1, -5, [30, 45, 45]),
        (0, -100, [20, 60, 40]),
        (0, 100, [60, 20, 40]),
    ],
)
def test_a_line_moves_as_far_as_its_neighbours_have_room(left: int, by: int, widths: list[int]) -> None:
    assert moved([30, 50, 40], left, by) == widths


def test_a_line_between_columns_that_are_too_narrow_stays() -> None:
    assert moved([15, 20], 0, 3) == [15, 20]
