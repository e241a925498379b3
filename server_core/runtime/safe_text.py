"""Untrusted objects: reading an author's object, or converting it to text, runs the author's code.

:func:`call_safely` is the boundary for code that only reads: mistakes in `__str__`, `__repr__`, `__eq__`, properties,
iterators and mappings of authors end there. Sabotage is not prevented: a tool can always call `os._exit`.
"""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

MAX_CHARACTERS = 100_000
"""The maximum length of a text about a failure; a longer text keeps only its two ends."""
# How far from the ideal position a text is cut, to find a space.
LONGEST_WORD = 4096


def safe_str(value: object) -> str:
    """Return a value's text, whatever its `__str__` does; a text that is too long is cut."""
    return call_safely(
        lambda: cut(str.__str__(str(value))),  # Not a subclass of `str`, whose methods may be overridden.
        lambda error: f"(its text cannot be read: __str__ raised {type(error).__name__})",
    )


def call_safely(read: Callable[[], T], recover: Callable[[BaseException], T]) -> T:
    """Return the result of `read`, which reads an author's object; that of `recover` if the object's code raises.

    `read` must not wait for anything: cancellation would be caught here, too.
    """
    try:
        return read()
    except BaseException as error:  # Not only Exception: SystemExit in a `__str__` must not end the server.
        return recover(error)


def class_name(kind: type) -> str:
    """Return the name of a class without running the code of its metaclass."""
    name: str = vars(type)["__name__"].__get__(kind)
    return cut(name)


def cut(text: str) -> str:
    """Return a text, without its middle when it is too long; cut between words, as half a word may be half a secret."""
    if len(text) <= MAX_CHARACTERS:
        return text
    half = MAX_CHARACTERS // 2
    head, tail = text[:half], text[-half:]
    end = max(head.rfind(mark, half - LONGEST_WORD) for mark in " \n")
    starts = [at for mark in " \n" if (at := tail.find(mark, 0, LONGEST_WORD)) != -1]
    head, tail = head[: end if end != -1 else half], tail[min(starts, default=0) :]
    return f"{head}\n... ({len(text) - len(head) - len(tail):,} characters omitted) ...\n{tail}"
