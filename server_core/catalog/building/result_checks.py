"""Reject results that are not finished values, such as coroutines and generators, before they are serialized.

Rule 1: nothing is consumed: the code of a generator would run on the event loop, without any limit.
Rule 2: containers are traversed without running the code of their subclasses; models and dataclasses are not traversed.
"""

import inspect
from collections.abc import Collection
from typing import Any

from server_core.errors import ToolOutputError

MAX_VALUES = 10_000_000
"""The limit for the values in a result; nested references to the same list can multiply without bound."""
_MAX_DEPTH = 1000
"""The depth at which the check stops; deeper or recursive values cannot be serialized to JSON anyway."""
_PLAIN = frozenset({str, int, float, bool, type(None), bytes})
_LISTS = (list, tuple, set, frozenset)
FAILURE = "Failed to serialize tool output"  # The text of Arcade's framework.


def refuse_unfinished(value: Any, failed: str = FAILURE) -> None:
    """Raise ToolOutputError for a value that is or contains a coroutine or an iterator, or has too many items."""
    level: list[Any] = [value]
    count = 0
    # Level by level, since recursion would end at Python's limit.
    for _ in range(_MAX_DEPTH):
        next_level: list[Any] = []
        for item in level:
            if type(item) in _PLAIN:
                continue
            children = _children_of(item, f"{failed}: it is {{}}" if item is value else f"{failed}: it holds {{}}")
            count += len(children)
            if count > MAX_VALUES:
                raise ToolOutputError(
                    f"{failed}: it holds more than {MAX_VALUES:,} values.",
                    "Return a part of it or a link to a resource.",
                )
            next_level.extend(children)
        if not next_level:
            return
        level = next_level


def members(value: Any) -> Collection[Any]:
    """Return the items of a list, a tuple or a set without running the code of a subclass."""
    kind = next(base for base in _LISTS if issubclass(type(value), base))
    return value if type(value) is kind else list(kind.__iter__(value))


def _children_of(value: Any, template: str) -> Collection[Any]:
    kind = type(value)  # Not isinstance(): it would read `__class__`, which a proxy may override.
    if issubclass(kind, dict):
        return dict.values(value)
    if issubclass(kind, _LISTS):
        return members(value)
    if inspect.iscoroutine(value):
        value.close()  # Otherwise Python warns later that it was never awaited.
        raise _unfinished_error(
            template, "a coroutine that was not awaited", "declare the tool with `async def`, or await inside of it"
        )
    if hasattr(kind, "__await__"):
        raise _unfinished_error(template, "an awaitable", "declare the tool with `async def`, or await inside of it")
    if inspect.isgenerator(value) or hasattr(kind, "__anext__"):
        raise _unfinished_error(template, "a generator", "collect its values in a list")
    if hasattr(kind, "__next__"):
        raise _unfinished_error(template, "an iterator", "collect its values in a list")
    return ()


def _unfinished_error(template: str, description: str, fix: str) -> ToolOutputError:
    return ToolOutputError(f"{template.format(description)}.", fix)
