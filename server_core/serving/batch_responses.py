"""The answers to the batches of one session: those of one batch go out together, as one array.

Rule 1: an answer belongs to the batch that is being received, or to that which its request came in.
Rule 2: an array goes out when its last answer is there; where none is due, none goes out.
Rule 3: only answers are gathered; whatever else a call sends goes out by itself.

Source: 2025-03-26, basic, batching; JSON-RPC 2.0 section 6.
"""

from collections.abc import Callable, Iterable

from server_core.protocol.batches import Piece, parse_batch
from server_core.protocol.jsonrpc import Malformed, Message, Request, RequestId

Receive = Callable[[bytes, Message], None]


class BatchResponses:
    """The batches that wait for answers.

    Args:
        send: takes each array.
    """

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._receiving: _Batch | None = None
        self._open: dict[RequestId, _Batch] = {}

    def receive_array(self, data: bytes, most: int, receive: Receive) -> None:
        """Hand on the messages of an array, or the whole of it where it cannot be served.

        Args:
            data: the array as it came.
            most: how many messages may be in it.
            receive: takes one message.
        """
        pieces = parse_batch(data, most)
        if isinstance(pieces, Malformed):
            receive(data, pieces)
        else:
            self.receive(pieces, receive)

    def receive(self, pieces: Iterable[Piece], receive: Receive) -> None:
        """Hand on the messages of a batch, each as if it had come alone.

        Args:
            pieces: the messages.
            receive: takes one of them.
        """
        batch = self._receiving = _Batch()
        for data, message in pieces:
            answered = len(batch.answers)
            receive(data, message)
            if type(message) is Request and len(batch.answers) == answered:
                self._open[message.id] = batch
                batch.due += 1
        self._receiving = None
        self._finish(batch)

    def take(self, answer: bytes, id: RequestId | None) -> bool:
        """Keep an answer, if it belongs to a batch, and return whether it does.

        Args:
            answer: the whole message.
            id: of the request that it answers, where that could be read.
        """
        if self._receiving is not None:
            self._receiving.answers.append(answer)
            return True
        batch = None if id is None else self._open.pop(id, None)
        if batch is None:
            return False
        batch.answers.append(answer)
        batch.due -= 1
        self._finish(batch)
        return True

    def withdraw(self, id: RequestId) -> None:
        """Expect no answer to this request any more."""
        if (batch := self._open.pop(id, None)) is not None:
            batch.due -= 1
            self._finish(batch)

    def _finish(self, batch: "_Batch") -> None:
        if batch is not self._receiving and batch.due == 0 and batch.answers:
            self._send(b"[" + b",".join(batch.answers) + b"]")


class _Batch:
    """The answers of one array that are there, and how many are still due."""

    def __init__(self) -> None:
        self.answers: list[bytes] = []
        self.due = 0
