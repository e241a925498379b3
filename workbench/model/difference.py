"""The structural difference of two JSON values: the paths that were added, removed or changed.

Rules:

1. Lists, and texts of several lines, are compared item by item after their equal beginning and end.
2. Values are shortened, and values that are nested very deeply are compared as a whole.
3. Changes are yielded one by one, so that a caller that needs only some of them stops there.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from workbench.model.describe import json_line
from workbench.model.short_text import escaped

_MAX_DEPTH = 60
_VALUE_LIMIT = 200  # Characters of a value.


class ChangeKind(StrEnum):
    """The values are also shown on the screen."""

    ADDED = "+"
    REMOVED = "-"
    CHANGED = "~"


@dataclass(frozen=True, slots=True)
class ValueChange:
    """One difference; texts are safe to show."""

    kind: ChangeKind
    path: str  # such as `items[2].name`, or `text:3` for a line of a text
    before: str = ""  # empty if it was added
    after: str = ""  # empty if it was removed


def differences(before: Any, after: Any, path: str = "", depth: int = 0) -> Iterator[ValueChange]:
    """Yield the differences of two JSON values, in their order."""
    if isinstance(before, dict) and isinstance(after, dict) and depth < _MAX_DEPTH:
        yield from _of_objects(before, after, path, depth)
    elif isinstance(before, list) and isinstance(after, list) and depth < _MAX_DEPTH:
        yield from _of_lists(before, after, lambda index: f"{path}[{index}]", depth)
    elif isinstance(before, str) and isinstance(after, str) and "\n" in before + after:
        yield from _of_lists(before.split("\n"), after.split("\n"), lambda index: f"{path}:{index + 1}", depth)
    elif not is_same_json(before, after):
        yield ValueChange(ChangeKind.CHANGED, path, _text(before), _text(after))


def is_same_json(before: Any, after: Any) -> bool:
    """Return whether two values are the same JSON: to Python, 1 equals true, also in lists and objects."""
    try:
        if before != after:
            return False
    except RecursionError:
        return False
    pairs = [(before, after)]
    while pairs:
        old, new = pairs.pop()
        if isinstance(old, bool) is not isinstance(new, bool):
            return False
        if isinstance(old, dict):
            pairs.extend((value, new[key]) for key, value in old.items())
        elif isinstance(old, list):
            pairs.extend(zip(old, new, strict=True))
    return True


def _of_objects(before: dict[str, Any], after: dict[str, Any], path: str, depth: int) -> Iterator[ValueChange]:
    for key, value in before.items():
        if key in after:
            yield from differences(value, after[key], _member(path, key), depth + 1)
        else:
            yield ValueChange(ChangeKind.REMOVED, _member(path, key), before=_text(value))
    for key, value in after.items():
        if key not in before:
            yield ValueChange(ChangeKind.ADDED, _member(path, key), after=_text(value))


def _of_lists(
    before: Sequence[Any], after: Sequence[Any], path: Callable[[int], str], depth: int
) -> Iterator[ValueChange]:
    shortest = min(len(before), len(after))
    start = next((index for index in range(shortest) if not is_same_json(before[index], after[index])), shortest)
    rest = shortest - start
    end = next((index for index in range(rest) if not is_same_json(before[-1 - index], after[-1 - index])), rest)
    middle = rest - end
    for index in range(start, start + middle):
        yield from differences(before[index], after[index], path(index), depth + 1)
    for index in range(start + middle, len(before) - end):
        yield ValueChange(ChangeKind.REMOVED, path(index), before=_text(before[index]))
    for index in range(start + middle, len(after) - end):
        yield ValueChange(ChangeKind.ADDED, path(index), after=_text(after[index]))


def _member(path: str, key: str) -> str:
    if key.isidentifier():
        return f"{path}.{key}" if path else key
    return f"{path}[{json_line(key)}]"


def _text(value: Any) -> str:
    return json_line(value, _VALUE_LIMIT) if not isinstance(value, str) else escaped(f'"{value[:_VALUE_LIMIT]}"')
