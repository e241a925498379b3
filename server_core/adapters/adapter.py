"""Error adapters: convert the exceptions of a library to errors of this package.

An adapter does not import its library: it recognises an exception by the full names of its class and base classes, so
that new subclasses are recognised, too. Attributes are read with :func:`attribute`, because a property may raise.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Protocol, TypeVar

from server_core.adapters.redaction import without_secrets
from server_core.errors import ToolRuntimeError
from server_core.runtime.safe_text import class_name, guarded, readable

T = TypeVar("T")


class ErrorAdapter(Protocol):
    """Converts the exceptions of one library.

    Attributes:
        slug: its name, for display.
    """

    @property
    def slug(self) -> str: ...

    def from_exception(self, error: BaseException) -> ToolRuntimeError | None:
        """Return the error for an exception; None if this adapter does not recognise it."""


def adapted(
    error: BaseException, adapters: Iterable[ErrorAdapter], problems: list[str] | None = None
) -> ToolRuntimeError | None:
    """Return the error of the first adapter that recognises the exception.

    Args:
        error: the exception that an author's function raised.
        adapters: tried in order; an adapter that raises, or returns anything else, is skipped.
        problems: a line for the author is appended for each adapter that was skipped.
    """
    for adapter in adapters:
        result = guarded(partial(adapter.from_exception, error), partial(_report_failure, problems, adapter))
        if isinstance(result, ToolRuntimeError):
            return result
        if result is not None:
            _report_problem(problems, adapter, f"returned {type(result).__name__} instead of a ToolRuntimeError")
    return None


def known(error: BaseException, table: Mapping[str, T]) -> T | None:
    """Return the table entry of the first class in an exception's MRO that has an entry.

    Args:
        error: the exception.
        table: `module.Class` -> anything.
    """
    for ancestor in type(error).__mro__:
        if (entry := table.get(f"{ancestor.__module__}.{ancestor.__qualname__}")) is not None:
            return entry
    return None


def attribute(holder: object, *names: str) -> Any:
    """Return the first of these attributes that is not None; an attribute that raises counts as None."""
    for name in names:
        value = guarded(partial(getattr, holder, name, None), lambda _: None)
        if value is not None:
            return value
    return None


def shown(value: object) -> str:
    """Return the text of an untrusted value, such as a URL, for the author, with possible secrets removed."""
    return without_secrets(readable(value))


def described(error: BaseException) -> str:
    """Return the class and text of an exception for the author, with possible secrets removed; never raises."""
    text = readable(error)
    name = class_name(type(error))
    return without_secrets(f"{name}: {text}") if text.strip() else f"{name} (no exception message)"


def _report_failure(problems: list[str] | None, adapter: ErrorAdapter, failure: BaseException) -> None:
    _report_problem(problems, adapter, f"raised {described(failure)}")


def _report_problem(problems: list[str] | None, adapter: ErrorAdapter, problem: str) -> None:
    if problems is not None:
        problems.append(f"The error adapter {type(adapter).__name__} was skipped: it {problem}.")
