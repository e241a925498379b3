"""JSON-RPC batches: an array -> the messages in it, or the error that refuses it as a whole.

Rule 1: an invalid message gets a separate error response; the others are served.
Rule 2: no two requests of a batch have the same id, so that each response belongs to exactly one of them.

Source: 2025-03-26, basic, batching; JSON-RPC 2.0 section 6.
"""

from typing import Any, NamedTuple

from server_core.protocol import jsonrpc
from server_core.protocol.codes import INVALID_REQUEST
from server_core.protocol.envelope import is_stateless
from server_core.protocol.jsonrpc import MalformedMessage, Message, Request, RequestId


class BatchMessage(NamedTuple):
    data: bytes
    message: Message

    @property
    def expects_response(self) -> bool:
        return isinstance(self.message, Request | MalformedMessage)


def is_batch(data: bytes) -> bool:
    return data.lstrip()[:1] == b"["


def parse_batch(data: bytes, limit: int) -> list[BatchMessage] | MalformedMessage:
    """Return the messages of a batch, 1 to `limit`; :class:`MalformedMessage` when the batch as a whole is refused."""
    values = jsonrpc.decode(data)
    if isinstance(values, MalformedMessage):
        return values
    if not isinstance(values, list) or not values:
        return MalformedMessage(INVALID_REQUEST, "Invalid request: a batch is an array of at least one message")
    if len(values) > limit:
        return MalformedMessage(
            INVALID_REQUEST, f"Invalid request: a batch has at most {limit} messages; this batch has more"
        )
    ids: set[RequestId] = set()
    return [_batch_message(value, ids) for value in values]


def _batch_message(value: Any, ids: set[RequestId]) -> BatchMessage:
    # Encoded again, because the session and the tap handle the bytes of a single message.
    try:
        data = jsonrpc.encode(value)
    except ValueError:
        return BatchMessage(b"", MalformedMessage(INVALID_REQUEST, "Invalid request: nested too deeply"))
    message = jsonrpc.parse(data)
    if type(message) is not Request:
        return BatchMessage(data, message)
    if message.id in ids:
        # The error has no id: with one, it would look like the response to the first request.
        duplicate = MalformedMessage(INVALID_REQUEST, f"Invalid request: id {message.id!r} is in this batch twice")
        return BatchMessage(data, duplicate)
    ids.add(message.id)
    return BatchMessage(data, _check_batchable(message))


def _check_batchable(request: Request) -> Request | MalformedMessage:
    """Return the request, or the error for a request that cannot be part of a batch."""
    if request.method == "initialize":
        reason = "Invalid request: initialize cannot be part of a batch"
    elif is_stateless(request.params):
        reason = "Invalid request: the revision of this request has no batches; send it alone"
    else:
        return request
    return MalformedMessage(INVALID_REQUEST, reason, request.id)
