"""The rows of key hints."""

from workbench.tui.widgets.key_hints import rows_of_hints


def test_rows_break_between_two_hints_and_never_within_one() -> None:
    hints = ["r release", "e edit", "R release all"]
    assert rows_of_hints(hints, 99) == ["r release · e edit · R release all"]
    assert rows_of_hints(hints, 30) == ["r release · e edit", "R release all"]
    assert rows_of_hints(hints, 5) == hints
