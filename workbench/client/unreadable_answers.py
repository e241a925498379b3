"""Answers that are no messages: which request they were meant for, so that nobody waits for them without end."""

import json
import re
from collections.abc import Collection

from server_core.protocol.framing import Truncated
from server_core.protocol.jsonrpc import RequestId, readable_id

# Where the answer itself is beyond reading, its id is looked for beside it: before, or behind it at the very end.
_ID = r'"id"\s*:\s*("[^"\\]{0,256}"|-?\d{1,20})'
_VERSION = r'"jsonrpc"\s*:\s*"2\.0"'
_BEFORE = re.compile(rf'\s*\{{\s*(?:{_VERSION}\s*,\s*)?{_ID}\s*,\s*(?:{_VERSION}\s*,\s*)?"(?:result|error)"\s*:')
_BEHIND = re.compile(rf",\s*{_ID}\s*(?:,\s*{_VERSION}\s*)?\}}\s*$")
_ANSWER = re.compile(rf'\s*\{{\s*(?:{_VERSION}\s*,\s*)?"(?:result|error)"\s*:')
_LONGEST_PLACE = 1024


def answered_id(data: bytes, in_flight: Collection[RequestId]) -> RequestId | None:
    """Return the id of the request that was answered with something that is no message; None where it is no answer.

    Args:
        data: what was received, or its start.
        in_flight: the requests that wait for an answer.
    """
    id = _readable_id(data)
    return id if id in in_flight else _sole_request(data, in_flight) if id is None else None


def _readable_id(data: bytes) -> RequestId | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return _id_beside(data)
    if not isinstance(value, dict) or "method" in value or value.keys().isdisjoint(("result", "error")):
        return None
    return readable_id(value)


def _sole_request(data: bytes, in_flight: Collection[RequestId]) -> RequestId | None:
    """The one request in flight, where an answer was cut off before its id."""
    is_cut = isinstance(data, Truncated) and _ANSWER.match(data[:_LONGEST_PLACE].decode("utf-8", "replace"))
    return next(iter(in_flight)) if is_cut and len(in_flight) == 1 else None


def _id_beside(data: bytes) -> RequestId | None:
    start = data[:_LONGEST_PLACE].decode("utf-8", "replace")
    found = _BEFORE.match(start)
    if found is None and _ANSWER.match(start):
        found = _BEHIND.search(data[-_LONGEST_PLACE:].decode("utf-8", "replace"))
    if found is None:
        return None
    id = found[1]
    return id[1:-1] if id.startswith('"') else int(id)
