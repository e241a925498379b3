"""One end of one connection, sans-I/O: ids, lifecycle, and what is in flight in both directions.

Rule 1: everything that decides whether a message may come now lives in this file and in the tables it reads.
Rule 2: a peer is told its side once and is otherwise the same for client and server.
Rule 3: it returns events and bytes; carrying them out is the caller's work.

The lifecycle (basic/lifecycle), as both sides walk it:

    NEW --initialize received or sent--> READY --close--> CLOSED

A server takes requests as soon as it has answered `initialize`: clients that pipeline the handshake and
their first call are served, and `notifications/initialized` only opens the way for requests of its own.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from server_core.protocol import jsonrpc
from server_core.protocol.codes import INVALID_REQUEST, METHOD_NOT_FOUND
from server_core.protocol.encoding import encode_result
from server_core.protocol.jsonrpc import ErrorResponse, Malformed, Notification, Params, Request, RequestId, Response
from server_core.protocol.methods import Side, find_method
from server_core.protocol.revisions import Revision


class Phase(Enum):
    """Where the connection is in its life."""

    NEW = "new"
    READY = "ready"
    CLOSED = "closed"


@dataclass(slots=True)
class RequestReceived:
    """The other side asks; answer with :meth:`Peer.respond` or :meth:`Peer.fail`."""

    request: Request


@dataclass(slots=True)
class NotificationReceived:
    """The other side tells something that is no matter of the peer's own."""

    notification: Notification


@dataclass(slots=True)
class CancelReceived:
    """The other side no longer wants the answer to this request of its own, which is still in flight."""

    id: RequestId
    reason: str


@dataclass(slots=True)
class AnswerReceived:
    """The other side answered a request of ours."""

    id: RequestId
    method: str
    answer: Response | ErrorResponse


@dataclass(slots=True)
class Rejected:
    """The message cannot be served; `reply` goes back where there is one, and `reason` is for people."""

    reason: str
    reply: bytes | None


Event: TypeAlias = RequestReceived | NotificationReceived | CancelReceived | AnswerReceived | Rejected


class Peer:
    """One end of one connection.

    Args:
        side: which end this is.
    """

    def __init__(self, side: Side) -> None:
        self.side = side
        self.phase = Phase.NEW
        self.revision: Revision | None = None
        """What the handshake agreed on; None before, when any method of theirs may come."""
        self.requests_in: dict[RequestId, str] = {}
        """The method of each request that we still owe an answer."""
        self.requests_out: dict[RequestId, str] = {}
        """The method of each request whose answer we still wait for."""
        self._next_id = 1

    def receive(self, message: jsonrpc.Message) -> Event:
        """Take one message of the other side and say what it means now.

        Args:
            message: what :func:`jsonrpc.parse` made of the bytes.

        Returns:
            The event that the caller has to act on.
        """
        if type(message) is Request:
            return self._request(message)
        if type(message) is Notification:
            return self._notification(message)
        if type(message) is Malformed:
            return self._malformed(message)
        assert isinstance(message, Response | ErrorResponse)
        return self._answer(message)

    def request(self, method: str, params: Params | None = None) -> tuple[RequestId, bytes]:
        """Return a fresh id and the bytes of a request of ours, and expect its answer.

        Raises:
            TypeError, ValueError: when the params have no JSON form; then nothing is expected.
        """
        id = self._next_id
        data = jsonrpc.request(id, method, params)
        self._next_id += 1
        self.requests_out[id] = method
        if method == "initialize":
            self.phase = Phase.READY
        return id, data

    def abandon(self, id: RequestId, reason: str) -> bytes | None:
        """Stop waiting for an answer.

        Args:
            id: a request of ours.
            reason: told to the other side.

        Returns:
            The bytes of `notifications/cancelled`; None when the answer is there already, or when the request is
            `initialize`, which must not be cancelled (basic/utilities/cancellation).
        """
        method = self.requests_out.pop(id, None)
        if method is None or method == "initialize":
            return None
        return jsonrpc.notification("notifications/cancelled", {"requestId": id, "reason": reason})

    def respond(self, id: RequestId, result: dict[str, Any]) -> bytes | None:
        """Return the bytes of an answer; None when nobody waits for it any more (it was cancelled)."""
        if self.requests_in.pop(id, None) is None:
            return None
        return jsonrpc.response_encoded(id, encode_result(result))

    def respond_encoded(self, id: RequestId, result: bytes) -> bytes | None:
        """Return the bytes of an answer whose result is JSON text already; None when nobody waits for it any more."""
        if self.requests_in.pop(id, None) is None:
            return None
        return jsonrpc.response_encoded(id, result)

    def fail(self, id: RequestId, code: int, message: str, data: Any = None) -> bytes | None:
        """Return the bytes of an error answer; None when nobody waits for it any more."""
        if self.requests_in.pop(id, None) is None:
            return None
        return jsonrpc.error(id, code, message, data)

    def close(self) -> list[RequestId]:
        """End the connection and return the requests of ours that will never be answered."""
        self.phase = Phase.CLOSED
        lost = list(self.requests_out)
        self.requests_out.clear()
        self.requests_in.clear()
        return lost

    def _request(self, request: Request) -> Event:
        method = find_method(request.method, self.side, self.revision)
        if method is None:
            return _refused(request, METHOD_NOT_FOUND, f"Method not found: {request.method}")
        if request.id in self.requests_in:
            return _refused(request, INVALID_REQUEST, f"Invalid request: id {request.id!r} is in use already")
        if self.side is Side.SERVER:
            if self.phase is Phase.NEW and not method.before_initialize:
                return _refused(request, INVALID_REQUEST, "Not initialized: send initialize first")
            if request.method == "initialize":
                if self.phase is not Phase.NEW:
                    return _refused(request, INVALID_REQUEST, "Already initialized: this connection has its session")
                self.phase = Phase.READY
        self.requests_in[request.id] = request.method
        return RequestReceived(request)

    def _notification(self, notification: Notification) -> Event:
        if notification.method != "notifications/cancelled":
            return NotificationReceived(notification)
        id = jsonrpc.readable_id(notification.params, "requestId")
        if id is None or self.requests_in.get(id, "initialize") == "initialize":
            # Unknown, answered already, or initialize, which must not be cancelled: ignored, as the specification says.
            return NotificationReceived(notification)
        del self.requests_in[id]
        return CancelReceived(id, str(notification.params.get("reason", "")))

    def _malformed(self, message: Malformed) -> Rejected:
        # A client does not answer noise: what a server prints by mistake is no request.
        if self.side is Side.CLIENT and message.id is None:
            return Rejected(message.message, None)
        return Rejected(message.message, jsonrpc.error(message.id, message.code, message.message))

    def _answer(self, answer: Response | ErrorResponse) -> Event:
        method = None if answer.id is None else self.requests_out.pop(answer.id, None)
        if method is None or answer.id is None:
            return Rejected(f"an answer to nothing: no request of ours with id {answer.id!r} is in flight", None)
        return AnswerReceived(answer.id, method, answer)


def _refused(request: Request, code: int, message: str) -> Rejected:
    return Rejected(message, jsonrpc.error(request.id, code, message))
