"""How two answers differ, in a text for each change."""

from itertools import islice

from workbench.model.difference import ChangeKind, ValueChange, differences
from workbench.model.traffic.entry import parse_object

MAX_CHANGES = 200

_OF_THE_MESSAGE = ("jsonrpc", "id")


def answer_difference(before: bytes, after: bytes) -> list[str]:
    """Return the changes from one response to another, at most :data:`MAX_CHANGES`; each text is safe to show."""
    changes = differences(_body(before), _body(after))
    return [_text(change) for change in islice(changes, MAX_CHANGES)]


def _body(data: bytes) -> object:
    return {key: value for key, value in (parse_object(data) or {}).items() if key not in _OF_THE_MESSAGE}


def _text(change: ValueChange) -> str:
    """Return the path and, below it, the values."""
    values = change.before or change.after
    if change.kind is ChangeKind.CHANGED:
        values = f"{change.before} → {change.after}"
    return f"{change.kind} {change.path}\n  {values}"
