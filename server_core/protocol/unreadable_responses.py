"""Responses that are no valid messages: find the request they belong to, so that its caller does not wait forever."""

import json
import re
from collections.abc import Collection

from server_core.protocol.framing import TruncatedMessage
from server_core.protocol.jsonrpc import RequestId, readable_id

# If the response itself cannot be parsed, its id is searched in the raw bytes: before the result, or at the very end.
_ID = r'"id"\s*:\s*("[^"\\]{0,256}"|-?\d{1,20})'
_VERSION = r'"jsonrpc"\s*:\s*"2\.0"'
_BEFORE = re.compile(rf'\s*\{{\s*(?:{_VERSION}\s*,\s*)?{_ID}\s*,\s*(?:{_VERSION}\s*,\s*)?"(?:result|error)"\s*:')
_BEHIND = re.compile(rf",\s*{_ID}\s*(?:,\s*{_VERSION}\s*)?\}}\s*$")
_ANSWER = re.compile(rf'\s*\{{\s*(?:{_VERSION}\s*,\s*)?"(?:result|error)"\s*:')
# Of a huge message only both ends are searched: it may be as long as the limit of the transport.
_LONGEST_PLACE = 1024


def find_request_id(data: bytes, in_flight: Collection[RequestId]) -> RequestId | None:
    """Return the id of the request that an invalid message, or its start, answers; None if it is no response."""
    request_id = _readable_id(data)
    return request_id if request_id in in_flight else _sole_request(data, in_flight) if request_id is None else None


def _readable_id(data: bytes) -> RequestId | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return _id_beside(data)
    if not isinstance(value, dict) or "method" in value or value.keys().isdisjoint(("result", "error")):
        return None
    return readable_id(value)


def _sole_request(data: bytes, in_flight: Collection[RequestId]) -> RequestId | None:
    """Return the only pending request, if the message is a response that was cut off before its id."""
    is_cut = isinstance(data, TruncatedMessage) and _ANSWER.match(data[:_LONGEST_PLACE].decode("utf-8", "replace"))
    return next(iter(in_flight)) if is_cut and len(in_flight) == 1 else None


def _id_beside(data: bytes) -> RequestId | None:
    start = data[:_LONGEST_PLACE].decode("utf-8", "replace")
    match = _BEFORE.match(start)
    if match is None and _ANSWER.match(start):
        match = _BEHIND.search(data[-_LONGEST_PLACE:].decode("utf-8", "replace"))
    if match is None:
        return None
    request_id = match[1]
    return request_id[1:-1] if request_id.startswith('"') else int(request_id)
