"""The interface of error adapters, which convert the exceptions of a library to errors of this package.

An adapter does not import its library: it recognises an exception by the full names of its class and base classes, so
that new subclasses are recognised, too. Attributes are read with :func:`attribute`, because a property may raise.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol, TypeVar

from server_core.adapters.redaction import redact
from server_core.errors import ToolRuntimeError
from server_core.runtime.safe_text import call_safely, class_name, safe_str

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


def find_entry(error: BaseException, table: Mapping[str, T]) -> T | None:
    """Return the entry of the first class in an exception's MRO that the table has, by `module.Class`."""
    for ancestor in type(error).__mro__:
        if (entry := table.get(f"{ancestor.__module__}.{ancestor.__qualname__}")) is not None:
            return entry
    return None


def attribute(holder: object, *names: str) -> Any:
    """Return the first of these attributes that is not None; an attribute that raises counts as None."""
    for name in names:
        value = call_safely(partial(getattr, holder, name, None), lambda _: None)
        if value is not None:
            return value
    return None


def describe_value(value: object) -> str:
    """Return the text of an untrusted value, such as a URL, for the author, with possible secrets removed."""
    return redact(safe_str(value))


def describe_error(error: BaseException) -> str:
    """Return the class and text of an exception for the author, with possible secrets removed; never raises."""
    text = safe_str(error)
    name = class_name(type(error))
    return redact(f"{name}: {text}") if text.strip() else f"{name} (no exception message)"
