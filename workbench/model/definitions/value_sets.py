"""What a flat schema accepts, as two sets: the kinds of JSON values, and the values themselves if it lists them.

The sets are those of the schema itself; members and items are compared elsewhere.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from server_core.runtime.safe_json import dump_json

# An integer is a number, and "fraction" stands for the other numbers.
_KINDS = {
    "null": {"null"},
    "boolean": {"boolean"},
    "integer": {"integer"},
    "number": {"integer", "fraction"},
    "string": {"string"},
    "array": {"array"},
    "object": {"object"},
}
ALL_KINDS: frozenset[str] = frozenset().union(*_KINDS.values())
ALTERNATIONS = ("anyOf", "oneOf")


def kinds(flat: Mapping[str, Any]) -> frozenset[str]:
    """Return the kinds of values that a flat schema accepts; all of them if it does not restrict the kind."""
    if flat.get("not") == {}:
        return frozenset()
    names = flat.get("type")
    accepted = [_KINDS[name] for name in _texts(names) if name in _KINDS]
    allowed = frozenset().union(*accepted) if accepted else ALL_KINDS
    if (listed := listed_values(flat)) is not None:
        allowed &= {_kind(value) for value in listed.values()}
    return allowed


def listed_values(flat: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the only values that a flat schema accepts, by their JSON text; None if it does not list them."""
    if "const" in flat:
        return _by_text([flat["const"]])
    if isinstance(values := flat.get("enum"), list):
        return _by_text(values)
    for keyword in ALTERNATIONS:
        members = flat.get(keyword)
        if isinstance(members, list) and members and all(isinstance(m, dict) and "const" in m for m in members):
            return _by_text(member["const"] for member in members)
    return None


def _by_text(values: Iterable[Any]) -> dict[str, Any]:
    return {json_text(value): value for value in values}


def json_text(value: Any) -> str:
    """Return the JSON text of a value, to compare it; values that are nested too deeply count as equal."""
    try:
        return dump_json(value, ensure_ascii=False, default=str)
    except ValueError:
        return "…"


def _texts(value: Any) -> list[str]:
    names = value if isinstance(value, list) else [value]
    return [name for name in names if isinstance(name, str)]


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "fraction"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
