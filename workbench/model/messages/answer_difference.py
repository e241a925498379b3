"""How two answers differ, in a text for each change.

What the protocol makes new for each answer is no change: identifiers, times, and the state of a call that is continued.
"""

from collections.abc import Sequence
from itertools import islice

from server_core.protocol.envelope import RELATED_TASK, SUBSCRIPTION_ID
from workbench.model.difference import ChangeKind, ValueChange, differences
from workbench.model.traffic.entry import parse_object

MAX_CHANGES = 200

_OF_THE_MESSAGE = ("jsonrpc", "id")
_OF_TASKS = ("taskId", "createdAt", "lastUpdatedAt")
_EACH = "*"
# The paths of the values that are new in each answer; only where the protocol has them, so not in what a tool returned.
_NEW_IN_EACH: tuple[tuple[str, ...], ...] = (
    ("result", "requestState"),
    *(("result", name) for name in _OF_TASKS),
    *(("result", "task", name) for name in _OF_TASKS),
    *(("result", "_meta", name) for name in (RELATED_TASK, SUBSCRIPTION_ID)),
    ("result", "inputRequests", _EACH, "params", "elicitationId"),
    ("error", "data", "elicitations", _EACH, "elicitationId"),
)
# Stands for such a value, so that a difference still shows one that only one of the answers has.
_NEW = "(new in each answer)"


def answer_difference(before: bytes, after: bytes) -> list[str]:
    """Return the changes from one response to another, at most :data:`MAX_CHANGES`; each text is safe to show."""
    changes = differences(_body(before), _body(after))
    return [_text(change) for change in islice(changes, MAX_CHANGES)]


def message_difference(before: bytes, after: bytes) -> list[str]:
    """Return all changes from one message to another, at most :data:`MAX_CHANGES`; each text is safe to show."""
    values = parse_object(before), parse_object(after)
    return [_text(change) for change in islice(differences(*values), MAX_CHANGES)]


def _body(data: bytes) -> object:
    body: object = {key: value for key, value in (parse_object(data) or {}).items() if key not in _OF_THE_MESSAGE}
    for path in _NEW_IN_EACH:
        body = _without_value(body, path)
    return body


def _without_value(value: object, path: Sequence[str]) -> object:
    """Return a copy with what is at a path replaced; the value itself if it has nothing there."""
    if not path:
        return _NEW
    name, *rest = path
    if isinstance(value, dict):
        return {key: _without_value(item, rest) if name in (key, _EACH) else item for key, item in value.items()}
    if isinstance(value, list) and name == _EACH:
        return [_without_value(item, rest) for item in value]
    return value


def _text(change: ValueChange) -> str:
    """Return the path and, below it, the values."""
    values = change.before or change.after
    if change.kind is ChangeKind.CHANGED:
        values = f"{change.before} → {change.after}"
    return f"{change.kind} {change.path}\n  {values}"
