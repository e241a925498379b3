"""The responses to the batches of one session: the responses to one batch are sent together, as one array.

Rule 1: a response belongs to the batch that is being received, or else to the batch of its request.
Rule 2: an array is sent when its last response is there; where no response is due, none is sent.
Rule 3: only responses are collected; other messages of a call are sent separately.

Source: 2025-03-26, basic, batching; JSON-RPC 2.0 section 6.
"""

from collections.abc import Callable

from server_core.protocol.batches import parse_batch
from server_core.protocol.jsonrpc import MalformedMessage, Message, Request, RequestId

Receive = Callable[[bytes, Message], None]


class BatchResponses:
    """The batches that wait for responses; `send` sends an array."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._receiving: _Batch | None = None
        self._open: dict[RequestId, _Batch] = {}

    def receive_array(self, data: bytes, most: int, receive: Receive) -> None:
        """Pass each of at most so many messages to `receive`, as if it were sent alone; an invalid array as a whole."""
        pieces = parse_batch(data, most)
        if isinstance(pieces, MalformedMessage):
            receive(data, pieces)
            return
        batch = self._receiving = _Batch()
        for piece, message in pieces:
            count = len(batch.answers)
            receive(piece, message)
            # No response was collected, so the request is still running.
            if type(message) is Request and len(batch.answers) == count:
                self._open[message.id] = batch
                batch.due += 1
        self._receiving = None
        self._finish(batch)

    def collect(self, answer: bytes, request_id: RequestId | None) -> bool:
        """Collect a response if it belongs to a batch, and return whether it does."""
        if self._receiving is not None:
            self._receiving.answers.append(answer)
            return True
        batch = None if request_id is None else self._open.pop(request_id, None)
        if batch is None:
            return False
        batch.answers.append(answer)
        batch.due -= 1
        self._finish(batch)
        return True

    def withdraw(self, request_id: RequestId) -> None:
        """No longer expect a response to this request."""
        if (batch := self._open.pop(request_id, None)) is not None:
            batch.due -= 1
            self._finish(batch)

    def _finish(self, batch: "_Batch") -> None:
        if batch is not self._receiving and batch.due == 0 and batch.answers:
            self._send(b"[" + b",".join(batch.answers) + b"]")


class _Batch:
    """The collected responses of one array, and the number that is still due."""

    def __init__(self) -> None:
        self.answers: list[bytes] = []
        self.due = 0
