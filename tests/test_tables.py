"""A table of data is one test that reports every row that fails."""

import pytest

from tests.tables import each_row


def test_each_row_is_run_with_the_fixtures_of_the_test() -> None:
    seen = []

    @each_row("text, length", [("", 0), pytest.param("ab", 2, id="two")])
    def check(fixture: str, text: str, length: int) -> None:
        seen.append((fixture, text, length))

    check(fixture="a fixture")
    assert seen == [("a fixture", "", 0), ("a fixture", "ab", 2)]


def test_a_row_that_fails_is_named() -> None:
    @each_row("number", [1, 2])
    def check(number: int) -> None:
        assert number == 1

    with pytest.raises(AssertionError) as caught:
        check()
    assert caught.value.__notes__ == ["In the row number=2"]


def test_all_rows_that_fail_are_reported() -> None:
    @each_row("number", [1, pytest.param(2, id="two"), 3])
    def check(number: int) -> None:
        if number == 2:
            pytest.fail("not this one")
        assert number == 1

    with pytest.raises(BaseExceptionGroup, match="2 of 3 rows failed") as caught:
        check()
    assert [failure.__notes__ for failure in caught.value.exceptions] == [["In the row two"], ["In the row number=3"]]
