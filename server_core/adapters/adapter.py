"""What turns exceptions of one library into errors of ours.

No library is imported to know its exceptions: they are known by the full names of their classes and of those they
descend from, so that a new subclass is understood as well. What they hold is read by :func:`attribute`:
it may be made of code that fails.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar

from server_core.adapters.redaction import without_secrets
from server_core.errors import ToolRuntimeError
from server_core.runtime.safe_text import class_name, readable

T = TypeVar("T")


class ErrorAdapter(Protocol):
    """Knows the exceptions of one library.

    Attributes:
        slug: its name, for people.
    """

    @property
    def slug(self) -> str: ...

    def from_exception(self, error: BaseException) -> ToolRuntimeError | None:
        """Return the error that says the same in our words; None when the exception is no matter of this adapter."""


def adapted(
    error: BaseException, adapters: Iterable[ErrorAdapter], problems: list[str] | None = None
) -> ToolRuntimeError | None:
    """Return what the first adapter that knows the exception makes of it.

    Args:
        error: what an author's function raised.
        adapters: asked in order; one that fails, or returns anything else, is passed over.
        problems: takes a line for the author for each that was passed over.
    """
    for adapter in adapters:
        try:
            found = adapter.from_exception(error)
        except BaseException as failure:  # SystemExit among it. It must not hide the exception it was asked about.
            _note(problems, adapter, f"raised {described(failure)}")
            continue
        if isinstance(found, ToolRuntimeError):
            return found
        if found is not None:
            _note(problems, adapter, f"returned {type(found).__name__}, which is no ToolRuntimeError")
    return None


def known(error: BaseException, table: Mapping[str, T]) -> T | None:
    """Return the entry of a table for the first class of an exception's ancestry that stands in it.

    Args:
        error: what was raised.
        table: `module.Class` -> anything.
    """
    for ancestor in type(error).__mro__:
        if (found := table.get(f"{ancestor.__module__}.{ancestor.__qualname__}")) is not None:
            return found
    return None


def attribute(holder: object, *names: str) -> Any:
    """Return the first of these attributes that a holder has, and not as None; None for one whose own code fails."""
    for name in names:
        try:
            found = getattr(holder, name, None)
        except BaseException:  # It must not hide the exception that it belongs to.
            continue
        if found is not None:
            return found
    return None


def described(error: BaseException) -> str:
    """Return an exception as an author reads it, whatever its own code does, without what may be secret."""
    text = readable(error)
    name = class_name(type(error))
    return without_secrets(f"{name}: {text}") if text.strip() else f"{name} (no exception message)"


def _note(problems: list[str] | None, adapter: ErrorAdapter, what: str) -> None:
    if problems is not None:
        problems.append(f"The error adapter {type(adapter).__name__} was passed over: it {what}.")
