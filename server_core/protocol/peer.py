"""One end of a connection, sans-I/O: request ids, lifecycle, and the requests in flight in both directions.

Rule 1: everything that decides whether a message is allowed now is in this file and in the tables it reads.
Rule 2: a peer is constructed for one side and is otherwise the same for client and server.
Rule 3: it returns events and bytes; acting on them and sending them is up to the caller.

The lifecycle (basic/lifecycle), the same for both sides:

    NEW --initialize received or sent--> READY --close--> CLOSED

A server accepts requests as soon as it has answered `initialize`, so clients may pipeline the handshake and
their first call; `notifications/initialized` only allows the server to send requests.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from server_core.protocol import jsonrpc
from server_core.protocol.codes import INVALID_REQUEST, METHOD_NOT_FOUND
from server_core.protocol.jsonrpc import (
    ErrorResponse,
    MalformedMessage,
    Notification,
    Params,
    Request,
    RequestId,
    Response,
)
from server_core.protocol.methods import Side, served_methods


class Phase(Enum):
    NEW = "new"
    READY = "ready"
    CLOSED = "closed"


@dataclass(slots=True)
class RequestReceived:
    """The other side sent a request; answer with :meth:`Peer.respond` or :meth:`Peer.fail`."""

    request: Request


@dataclass(slots=True)
class NotificationReceived:
    """The other side sent a notification that the peer does not handle itself."""

    notification: Notification


@dataclass(slots=True)
class CancelReceived:
    """The other side cancelled its request, which was still in flight."""

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
    """The message cannot be served; `reply`, if any, is to be sent back, and `reason` explains why."""

    reason: str
    reply: bytes | None


Event: TypeAlias = RequestReceived | NotificationReceived | CancelReceived | AnswerReceived | Rejected


class Peer:
    def __init__(self, side: Side) -> None:
        self.side = side
        self.phase = Phase.NEW
        self.methods = served_methods(side)
        """The methods that this side serves; before the handshake, those of all revisions that have one."""
        self.requests_in: dict[RequestId, str] = {}
        """The method of each received request that has not been answered."""
        self.requests_out: dict[RequestId, str] = {}
        """The method of each sent request that has not been answered."""
        self._next_id = 1

    def receive(self, message: jsonrpc.Message) -> Event:
        """Process a message from the other side, and return the event that the caller has to act on."""
        if type(message) is Request:
            return self._receive_request(message)
        if type(message) is Notification:
            return self._receive_notification(message)
        if type(message) is MalformedMessage:
            return self._reject_malformed(message)
        assert isinstance(message, Response | ErrorResponse)
        return self._receive_answer(message)

    def unused_id(self) -> RequestId:
        """Return an id that no request of ours has had, and that none will get: for a request sent by other means."""
        request_id = self._next_id
        self._next_id += 1
        return request_id

    def request(self, method: str, params: Params | None = None) -> tuple[RequestId, bytes]:
        """Register a request of ours; return its new id and its bytes."""
        # Encoded first: nothing is registered if the params have no JSON form.
        request_id = self._next_id
        data = jsonrpc.request(request_id, method, params)
        self._next_id += 1
        self.requests_out[request_id] = method
        if method == "initialize":
            self.phase = Phase.READY
        return request_id, data

    def abandon(self, id: RequestId, reason: str) -> bytes | None:
        """Stop waiting for the response to a request of ours, and return the cancellation to send.

        None after the response, and for `initialize`, which must not be cancelled (basic/utilities/cancellation).
        """
        method = self.requests_out.pop(id, None)
        if method is None or method == "initialize":
            return None
        return jsonrpc.notification("notifications/cancelled", {"requestId": id, "reason": reason})

    def respond(self, id: RequestId, result: dict[str, Any]) -> bytes | None:
        """Return the bytes of a response; None when the request is no longer in flight (it was cancelled)."""
        if self.requests_in.pop(id, None) is None:
            return None
        return jsonrpc.response_encoded(id, jsonrpc.encode_result(result))

    def respond_encoded(self, id: RequestId, result: bytes) -> bytes | None:
        """Return the bytes of a response from the JSON text of its result; None when it is no longer in flight."""
        if self.requests_in.pop(id, None) is None:
            return None
        return jsonrpc.response_encoded(id, result)

    def fail(self, id: RequestId, code: int, message: str, data: Any = None) -> bytes | None:
        """Return the bytes of an error response; None when the request is no longer in flight."""
        if self.requests_in.pop(id, None) is None:
            return None
        return jsonrpc.error(id, code, message, data)

    def close(self) -> list[RequestId]:
        """Close the connection and return the ids of our requests that will never be answered."""
        self.phase = Phase.CLOSED
        lost = list(self.requests_out)
        self.requests_out.clear()
        self.requests_in.clear()
        return lost

    def _receive_request(self, request: Request) -> Event:
        method = self.methods.get(request.method)
        if method is None:
            return _refused(request, METHOD_NOT_FOUND, f"Method not found: {request.method}")
        if request.id in self.requests_in:
            return _refused(request, INVALID_REQUEST, f"Invalid request: id {request.id!r} is already in use")
        if self.side is Side.SERVER:
            if self.phase is Phase.NEW and not method.before_initialize:
                return _refused(request, INVALID_REQUEST, "Not initialized: send initialize first")
            if request.method == "initialize":
                if self.phase is not Phase.NEW:
                    return _refused(request, INVALID_REQUEST, "Already initialized: this connection has a session")
                self.phase = Phase.READY
        self.requests_in[request.id] = request.method
        return RequestReceived(request)

    def _receive_notification(self, notification: Notification) -> Event:
        if notification.method != "notifications/cancelled":
            return NotificationReceived(notification)
        request_id = jsonrpc.readable_id(notification.params, "requestId")
        if request_id is None or self.requests_in.get(request_id, "initialize") == "initialize":
            # Unknown, answered already, or `initialize`, which must not be cancelled: ignored, as specified.
            return NotificationReceived(notification)
        del self.requests_in[request_id]
        return CancelReceived(request_id, str(notification.params.get("reason", "")))

    def _reject_malformed(self, message: MalformedMessage) -> Rejected:
        # A client does not answer invalid lines without an id: a server may have printed them by mistake.
        if self.side is Side.CLIENT and message.id is None:
            return Rejected(message.message, None)
        return Rejected(message.message, jsonrpc.error(message.id, message.code, message.message))

    def _receive_answer(self, answer: Response | ErrorResponse) -> Event:
        method = None if answer.id is None else self.requests_out.pop(answer.id, None)
        if method is None or answer.id is None:
            return Rejected(f"a response without a request: no request with id {answer.id!r} is in flight", None)
        return AnswerReceived(answer.id, method, answer)


def _refused(request: Request, code: int, message: str) -> Rejected:
    return Rejected(message, jsonrpc.error(request.id, code, message))
