"""Tables of data: rows that take the same path through the code are one test, which reports every row that fails.

`pytest.mark.parametrize` is for rows that need fixtures of their own, or that take long.
"""

import functools
import inspect
import reprlib
from collections.abc import Callable, Iterable
from typing import Any

import pytest

ParameterSet = type(pytest.param())
Test = Callable[..., Any]
FAILURES = (Exception, pytest.fail.Exception)

# Some rows are long or deep on purpose.
SHORT = reprlib.Repr()
SHORT.maxstring = SHORT.maxother = 200
SHORT.maxdict = SHORT.maxlist = SHORT.maxtuple = 10


def each_row(
    columns: str | tuple[str, ...], rows: Iterable[Any], *, ids: Iterable[str] | None = None
) -> Callable[[Test], Test]:
    """Run a test once with each row of a table, as one case.

    Args:
        columns: the parameters of the test that a row has values for, in the form of `pytest.mark.parametrize`.
        rows: the values; the id of a `pytest.param` is shown as the name of its row.
        ids: the names of all rows, if their values do not describe them.
    """
    names = [name.strip() for name in columns.split(",")] if isinstance(columns, str) else list(columns)
    table = [_values(names, row) for row in rows]
    if ids is not None:
        table = [(label, values) for label, (_, values) in zip(ids, table, strict=True)]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(*fixtures: Any, **more: Any) -> None:
            failures: list[BaseException] = []
            for label, values in table:
                try:
                    test(*fixtures, **more, **values)
                except FAILURES as failure:
                    failure.add_note(f"In the row {label or described(values)}")
                    if "from pytest-timeout" in str(failure):
                        raise  # The time of a test is over for all of its rows.
                    failures.append(failure)
            _report(failures, len(table))

        signature = inspect.signature(test)
        others = [parameter for name, parameter in signature.parameters.items() if name not in names]
        run.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    return decorate


def _values(names: list[str], row: Any) -> tuple[str | None, dict[str, Any]]:
    """Return the id of a row, and its values by the names of the columns."""
    label = None
    if isinstance(row, ParameterSet):
        assert not row.marks, "A mark is for a whole test: use pytest.mark.parametrize."
        label = str(row.id) if row.id else None
        row = row.values if len(names) > 1 else row.values[0]
    return label, dict(zip(names, row if len(names) > 1 else (row,), strict=True))


def described(values: dict[str, Any]) -> str:
    return ", ".join(f"{name}={SHORT.repr(value)}" for name, value in values.items())


def _report(failures: list[BaseException], rows: int) -> None:
    if len(failures) == 1:
        raise failures[0]
    if failures:
        raise BaseExceptionGroup(f"{len(failures)} of {rows} rows failed", failures)
