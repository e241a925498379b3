"""Tracebacks of exceptions for the author of a tool, and their limits."""

import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from server_core.execution.tracebacks import MAX_LINKS, place_of, traceback_of


def chain(length: int, *, of_causes: bool) -> BaseException:
    """Return the last exception of a chain of this length."""
    last: BaseException = ValueError("number 1")
    for number in range(2, length + 1):
        before, last = last, ValueError(f"number {number}")
        if of_causes:
            last.__cause__ = before
        else:
            last.__context__ = before
    return last


def nested(depth: int) -> BaseException:
    last: BaseException = ValueError("within")
    for _ in range(depth):
        last = ExceptionGroup("a group", [last])  # type: ignore[list-item]
    return last


def wide(count: int) -> BaseException:
    return ExceptionGroup("a group", [ValueError(str(number)) for number in range(count)])


@pytest.fixture
def calls() -> Iterator[list[str]]:
    """The calls of functions while the test runs."""
    called: list[str] = []

    def profile(frame: object, event: str, argument: object) -> None:
        if event == "call":
            called.append(str(frame))

    before = sys.getprofile()
    sys.setprofile(profile)
    yield called
    sys.setprofile(before)


@pytest.mark.parametrize("of_causes", [True, False])
def test_a_short_chain_is_shown_from_its_beginning(of_causes: bool) -> None:
    text = traceback_of(chain(MAX_LINKS, of_causes=of_causes))
    assert [f"ValueError: number {number}\n" in text for number in range(1, MAX_LINKS + 1)] == [True] * MAX_LINKS
    assert "omitted" not in text


@pytest.mark.parametrize("of_causes", [True, False])
def test_the_last_of_a_long_chain_are_shown_in_the_same_order(of_causes: bool) -> None:
    text = traceback_of(chain(100_000, of_causes=of_causes))
    assert text.startswith("(earlier exceptions and members of groups are omitted)\n")
    shown = [line for line in text.splitlines() if line.startswith("ValueError")]
    assert shown == [f"ValueError: number {number}" for number in range(100_001 - MAX_LINKS, 100_001)]


def test_a_suppressed_cause_is_not_shown() -> None:
    error = chain(1000, of_causes=False)
    error.__suppress_context__ = True
    assert [line for line in traceback_of(error).splitlines() if line.startswith("Val")] == ["ValueError: number 1000"]


@pytest.mark.parametrize(
    "create",
    [lambda: chain(100_000, of_causes=True), lambda: wide(100_000), lambda: nested(10_000)],
    ids=["chain", "wide", "deep"],
)
def test_the_work_does_not_depend_on_the_number_of_exceptions(
    create: Callable[[], BaseException], calls: list[str]
) -> None:
    text = traceback_of(create())
    assert len(calls) < 100 * MAX_LINKS
    assert "cannot be shown" not in text


def test_exceptions_that_caused_each_other_are_shown_once() -> None:
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    assert traceback_of(first).count("ValueError: first") == 1


def test_an_error_is_placed_in_the_code_of_the_author_that_called_ours() -> None:
    ours: dict[str, Any] = {"__name__": "server_core.somewhere"}
    exec(compile("def refuse():\n    raise ValueError('no')", "/ours.py", "exec"), ours)
    with pytest.raises(ValueError, match="no") as caught:
        ours["refuse"]()
    file, line = place_of(caught.value)
    assert (file, line) == (__file__, inspect.currentframe().f_lineno - 2)  # type: ignore[union-attr]
