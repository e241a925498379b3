"""What files set in context variables while they are imported, for the calls of what is in them.

A program that imports its files and then serves finds in each call what they have set: the precision of `decimal`, how
numpy takes errors. Files that are loaded beside the event loop must not lose that.

Source: PEP 567.
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar, copy_context
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

ContextValues: TypeAlias = Sequence[tuple[ContextVar[Any], Any]]
"""Context variables, each with its value."""


class ImportContext:
    """The context in which the files of one project are imported, one after the other and again."""

    def __init__(self) -> None:
        self._context = copy_context()
        self._before = dict(self._context)

    def run(self, work: Callable[[], T]) -> T:
        """Do something in this context, and return what it returns."""
        return self._context.run(work)

    @property
    def values(self) -> ContextValues:
        """What was set in it."""
        unset = object()
        return tuple((one, value) for one, value in self._context.items() if self._before.get(one, unset) is not value)


def enter(values: ContextValues) -> None:
    """Set context variables, but for those that have a value: a call within a call keeps what the outer one set."""
    known = copy_context()
    for one, value in values:
        if one not in known:
            one.set(value)
