"""Compare a schema with the part of it that a test expects."""

from collections.abc import Mapping
from typing import Any

from workbench.model.describe import json_line


def first_mismatch(expected: Any, actual: Any, path: str = "$") -> str | None:
    """Return the first place where a value differs from what is expected; None if there is no such place.

    Args:
        expected: objects in it may omit members; everything else has to be equal.
        actual: the value.
        path: the JSON path of both.
    """
    if not isinstance(expected, Mapping):
        return None if expected == actual else f"{path} is {json_line(actual)}, not {json_line(expected)}"
    if not isinstance(actual, Mapping):
        return f"{path} is {json_line(actual)}, not an object with {', '.join(expected)}"
    for name, value in expected.items():
        if name not in actual:
            return f"{path} has no {name!r}; it has: {', '.join(map(str, actual)) or 'nothing'}"
        if (mismatch := first_mismatch(value, actual[name], f"{path}.{name}")) is not None:
            return mismatch
    return None
