"""What turns exceptions of one library into errors of ours."""

from collections.abc import Iterable
from typing import Protocol

from server_core.errors import ToolRuntimeError


class ErrorAdapter(Protocol):
    """Knows the exceptions of one library.

    Attributes:
        slug: its name, for people.
    """

    @property
    def slug(self) -> str: ...

    def from_exception(self, error: BaseException) -> ToolRuntimeError | None:
        """Return the error that says the same in our words; None when the exception is no matter of this adapter."""


def adapted(error: BaseException, adapters: Iterable[ErrorAdapter]) -> ToolRuntimeError | None:
    """Return what the first adapter that knows the exception makes of it.

    Args:
        error: what an author's function raised.
        adapters: asked in order; one that fails, or returns anything else, is passed over.
    """
    for adapter in adapters:
        try:
            found = adapter.from_exception(error)
        except Exception:  # An adapter of an author that fails must not hide the exception it was asked about.
            continue
        if isinstance(found, ToolRuntimeError):
            return found
    return None
