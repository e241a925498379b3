"""Context variables that files set while they are imported, for use in the calls of their tools.

In a program that imports its files and then serves, each call has the context that the files set, such as the precision
of `decimal` or the error handling of numpy. This must also work when files are loaded in another thread.

Source: PEP 567.
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar, copy_context
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

ContextValues: TypeAlias = Sequence[tuple[ContextVar[Any], Any]]
"""Context variables, each with its value."""


class ImportContext:
    """The context in which the files of a project are imported and reimported."""

    def __init__(self) -> None:
        self._context = copy_context()
        self._before = dict(self._context)

    def run(self, work: Callable[[], T]) -> T:
        return self._context.run(work)

    @property
    def values(self) -> ContextValues:
        """The variables that were set in it."""
        unset = object()
        return tuple(
            (variable, value)
            for variable, value in self._context.items()
            if self._before.get(variable, unset) is not value
        )


def enter(values: ContextValues) -> None:
    """Set context variables that have no value yet: in a nested call, those of the outer call remain."""
    known = copy_context()
    for variable, value in values:
        if variable not in known:
            variable.set(value)
