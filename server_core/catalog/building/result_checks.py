"""What a function returned that is no value yet, or never ends: it is refused before anybody reads it.

Rule 1: nothing is consumed: the code of a generator would run on the event loop, for as long as it likes.
Rule 2: containers are looked through past the code of their subclasses; models and dataclasses are not looked into.
"""

import inspect
from collections.abc import Collection
from typing import Any

from server_core.errors import ToolOutputError

MOST_VALUES = 10_000_000
"""How many values a result may hold; what holds itself many times over has more than any memory."""
_DEEPEST = 1000
"""Deeper ones have no form in JSON, as those that hold themselves."""
_PLAIN = frozenset({str, int, float, bool, type(None), bytes})
_LISTS = (list, tuple, set, frozenset)
FAILED = "Failed to serialize tool output"


def refuse_unfinished(value: Any, failed: str = FAILED) -> None:
    """Leave a value as it is, unless there is something in it that is no value yet, or far too much.

    Args:
        value: what an author's function returned.
        failed: what cannot be done with it then.

    Raises:
        ToolOutputError: when it is, or holds, a coroutine, a generator or another iterator, or too many values.
    """
    level: list[Any] = [value]
    count = 0
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for one in level:
            if type(one) in _PLAIN:
                continue
            held = _held_by(one, f"{failed}: it is {{}}" if one is value else f"{failed}: it holds {{}}")
            count += len(held)
            if count > MOST_VALUES:
                raise ToolOutputError(
                    f"{failed}: it holds more than {MOST_VALUES:,} values.",
                    "Return a part of it or a link to a resource.",
                )
            below.extend(held)
        if not below:
            return
        level = below


def members(value: Any) -> Collection[Any]:
    """Return what a list, a tuple or a set holds, whatever the code of its class says."""
    kind = next(one for one in _LISTS if issubclass(type(value), one))
    return value if type(value) is kind else list(kind.__iter__(value))


def _held_by(value: Any, said: str) -> Collection[Any]:
    kind = type(value)
    if issubclass(kind, dict):
        return dict.values(value)
    if issubclass(kind, _LISTS):
        return members(value)
    if inspect.iscoroutine(value):
        value.close()  # Otherwise Python warns, much later, that it was never awaited.
        raise _unfinished(
            said, "a coroutine that nobody awaited", "declare the tool with `async def`, or await inside of it"
        )
    if hasattr(kind, "__await__"):
        raise _unfinished(
            said, "something that must be awaited", "declare the tool with `async def`, or await inside of it"
        )
    if inspect.isgenerator(value) or hasattr(kind, "__anext__"):
        raise _unfinished(said, "a generator", "collect its values in a list")
    if hasattr(kind, "__next__"):
        raise _unfinished(said, "an iterator", "collect its values in a list")
    return ()


def _unfinished(said: str, what: str, fix: str) -> ToolOutputError:
    return ToolOutputError(f"{said.format(what)}.", fix)
