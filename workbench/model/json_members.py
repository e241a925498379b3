"""Members of JSON objects that servers write: each may be missing, or have a type that the specification forbids."""

import math
from collections.abc import Mapping
from typing import Any


def text_in(value: Mapping[str, Any], key: str) -> str:
    """Return a member that should be text; empty for anything else."""
    member = value.get(key)
    return member if isinstance(member, str) else ""


def texts_in(value: Mapping[str, Any], key: str) -> list[str]:
    """Return the texts in a member that should be a list of texts."""
    members = value.get(key)
    return [member for member in members if isinstance(member, str)] if isinstance(members, list) else []


def object_in(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return a member that should be an object; empty for anything else."""
    member = value.get(key)
    return member if isinstance(member, dict) else {}


def objects_in(value: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the objects in a member that should be a list of objects."""
    members = value.get(key)
    return [member for member in members if isinstance(member, dict)] if isinstance(members, list) else []


def finite(value: Any) -> float | None:
    """Return a number; None for anything else, and for one that has no finite floating-point value."""
    try:
        # Not `isinstance`, because a bool is an int as well.
        return value if type(value) in (int, float) and math.isfinite(value) else None
    except OverflowError:
        return None
