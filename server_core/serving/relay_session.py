"""A session of a relay: one client, and its own connection to the other server.

Rule 1: every message is passed on unchanged, byte for byte, in both directions and in order; malformed messages are
recorded and not passed on, and the request that one answers fails. Only the requests of clients without a session get a
new id, since these clients share a connection and may use the same ids; and the messages of a batch are passed on one
by one.
Rule 2: the connection to the other server is made when the session opens.
Rule 3: when the other server refuses a message, only that message fails.
Rule 4: when the connection to the other server is lost, pending requests fail with an error that explains this, the
requests of the other server are cancelled, and the session is closed where its transport can do that. The next session
gets a new connection.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from server_core.errors import RemoteError
from server_core.protocol import jsonrpc
from server_core.protocol.batches import is_batch, parse_batch
from server_core.protocol.codes import INTERNAL_ERROR, PARSE_ERROR
from server_core.protocol.envelope import (
    CLIENT_CAPABILITIES,
    CLIENT_INFO,
    PROTOCOL_VERSION,
    is_stateless,
)
from server_core.protocol.framing import OversizedLine, TruncatedMessage
from server_core.protocol.jsonrpc import (
    ErrorResponse,
    MalformedMessage,
    Message,
    Notification,
    Request,
    RequestId,
    Response,
    id_text,
)
from server_core.protocol.revisions import REVISIONS
from server_core.protocol.unreadable_responses import find_request_id
from server_core.records.interception import Passage
from server_core.records.tap import KINDS, Direction, Kind
from server_core.serving.batch_responses import BatchResponses
from server_core.serving.intercepted_request import InterceptedRequest
from server_core.serving.relay_connection import Dial, RelayConnection
from server_core.serving.relayed_request import RelayedRequest, RelayedRequests, SharedRequest
from server_core.serving.session_info import SessionInfo, refuse_oversized
from server_core.transports.channel import LastMessagesOutlet, Outlet
from server_core.transports.open_questions import ANSWERED, Answer, OpenQuestion
from server_core.transports.source import RunningRequest

MAX_IN_BATCH = 1000
MAX_SERVER_REQUESTS = 1000
"""How many open requests of the other server are stored, to be cancelled when the connection is lost."""


class ClientRoute(NamedTuple):
    """Where a message to the client goes; `call` is that of its record."""

    related: RequestId | None
    outlet: Outlet
    call: str
    is_response: bool
    is_shared: bool = False


class RelaySession:
    """One client, as a :class:`ServingSession`, and its own connection to the other server, which `dial` makes."""

    def __init__(self, dial: Dial, info: SessionInfo, outlet: Outlet, on_closed: Callable[[str], None]) -> None:
        self.key, self.id = info.key, info.id
        self._info = info
        self._outlet = outlet
        self._on_closed = on_closed
        self._requests = RelayedRequests()
        self._batches = BatchResponses(lambda responses: self._outlet.send(responses, None, is_response=True))
        self._count = 0
        self.closed = False
        self._end_reason = ""
        self._post_mortem = ""
        # The open requests of the other server to the client.
        self._server_requests: dict[RequestId, OpenQuestion] = {}
        self._connection = RelayConnection(self, self.key)
        self._connection.open(dial)

    @property
    def negotiated(self) -> str:
        return self._info.negotiated

    @property
    def upstream_lost(self) -> str:
        """Why the connection to the other server was lost; empty while it is not."""
        return self._end_reason

    @property
    def busy(self) -> bool:
        return self._requests.busy or self._info.has_held

    @property
    def full(self) -> bool:
        return self._connection.full

    async def wait_for_room(self) -> None:
        await self._connection.wait_for_room()

    def receive(self, data: bytes, message: Message | None = None) -> None:
        if self.closed:
            return
        if message is None:
            message = jsonrpc.parse(data)
            if self._is_batch(data, message):
                self._batches.receive_array(data, MAX_IN_BATCH, self.receive)
                return
        record = self._info.record(KINDS[type(message)], Direction.IN, data)
        if isinstance(message, MalformedMessage):
            refusal = jsonrpc.error(message.id, message.code, message.message)
            self._send(Kind.ERROR, refusal, message.id, is_response=True)
            return
        if (interceptor := self._info.tap.interceptor) is not None and interceptor.take(
            record, data, partial(self._incoming, message), message
        ):
            return
        self._process(data, message)

    def _process(self, data: bytes, message: Message) -> None:
        if isinstance(message, Request):
            self._register(message)
        elif isinstance(message, Notification) and message.method == "notifications/cancelled":
            if (request_id := jsonrpc.readable_id(message.params, "requestId")) is not None:
                self._requests.remove(request_id)
                self._batches.withdraw(request_id)
        elif isinstance(message, Response | ErrorResponse) and message.id is not None:
            self._server_requests.pop(message.id, None)
        elif isinstance(message, Notification) and message.method == "notifications/initialized":
            self._info.emit("session_initialized", client=self._info.client, revision=self.negotiated)
        self._pass(data, message.id if isinstance(message, Request) else None)

    def serve_stateless(self, data: bytes, request: Request, outlet: Outlet) -> RunningRequest:
        record = self._info.record(Kind.REQUEST, Direction.IN, data)
        if (interceptor := self._info.tap.interceptor) is not None:
            return InterceptedRequest(self._info, record, data, request, outlet, self._serve_shared).offer(interceptor)
        return self._serve_shared(request, record.seq, outlet)

    def _serve_shared(self, request: Request, seq: int, outlet: Outlet) -> RunningRequest:
        self._count += 1
        shared = SharedRequest(request, seq, f"relayed-{self._count}")
        relayed_request = self._register(shared.sent, outlet, shared)
        self._pass(jsonrpc.request(shared.sent.id, request.method, shared.sent.params), shared.sent.id)
        return relayed_request

    def _is_batch(self, data: bytes, message: Message) -> bool:
        revision = REVISIONS.get(self.negotiated)
        return type(message) is MalformedMessage and revision is not None and revision.batches and is_batch(data)

    def _pass(self, data: bytes, request_id: RequestId | None = None) -> None:
        if self._end_reason:
            self._fail_all()
        else:
            self._connection.send(data, request_id)

    def receive_oversized(self, line: OversizedLine) -> None:
        if not self.closed:
            self._info.record(Kind.MALFORMED, Direction.IN, line.start)
            self._send(Kind.ERROR, refuse_oversized(line.limit), None, is_response=True)

    async def settle(self, grace: float) -> None:
        self._info.release_held()
        try:
            async with asyncio.timeout(grace):
                await self._requests.wait_idle()
        except TimeoutError:
            self._info.emit("session_cut_off", waiting=len(self._requests))

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        self._connection.close()
        self._info.close()
        self._on_closed(self.key)

    def export_state(self) -> None:
        """Return None: the other server's session ends with our connection to it."""

    def restore_state(self, state: dict[str, Any]) -> None:
        """Do nothing; see :meth:`export_state`."""

    async def wait_closed(self) -> None:
        """Wait until the connection to the other server is closed."""
        await self._connection.wait_closed()

    def describe(self) -> dict[str, Any]:
        in_flight = [] if self.closed else [request.in_flight for request in self._requests]
        return self._info.describe(in_flight) | {"upstream_lost": self._info.masked(self._post_mortem) or None}

    def questions(self) -> list[OpenQuestion]:
        return [] if self.closed else [*self._server_requests.values()]

    def _answer_elsewhere(self, request_id: RequestId, answer: Answer) -> bool:
        if self._server_requests.pop(request_id, None) is None or self._end_reason:
            return False
        if isinstance(answer, RemoteError):
            self._pass(jsonrpc.error(request_id, answer.code, answer.message, answer.data))
        else:
            self._pass(jsonrpc.response(request_id, answer))
        cancelled = {"requestId": request_id, "reason": ANSWERED}
        self._send(Kind.NOTIFICATION, jsonrpc.notification("notifications/cancelled", cancelled), None)
        return True

    # From the client to the server.

    def _register(
        self, request: Request, outlet: Outlet | None = None, shared: SharedRequest | None = None
    ) -> RelayedRequest:
        in_flight = self._info.begin(request) if shared is None else self._info.begin(shared.original, shared.name)
        relayed_request = RelayedRequest(self, request, in_flight, outlet or self._outlet, shared)
        self._requests.add(relayed_request)
        if is_stateless(request.params):
            meta = _object(request.params["_meta"])
            self._info.set_client(
                _object(meta.get(CLIENT_INFO)),
                _object(meta.get(CLIENT_CAPABILITIES)),
                str(meta.get(PROTOCOL_VERSION, "")),
            )
        if request.method == "initialize":
            self._info.client = _object(request.params.get("clientInfo"))
            self._info.capabilities = _object(request.params.get("capabilities"))
        return relayed_request

    def abandon(self, request_id: RequestId, call: str) -> None:
        """Cancel a request at the other server, because its client has disconnected; `call` is its name in records."""
        self._info.expire_held(call)
        if (relayed_request := self._requests.find(request_id)) is not None:
            if (shared := relayed_request.shared) is not None:
                # Recorded here, since there is no message: the client has closed the connection of this request.
                original = shared.original
                self._info.emit("call_abandoned", call=shared.name, id=original.id, method=original.method)
            self._requests.remove(request_id)
            reason = {"requestId": request_id, "reason": "the client has disconnected"}
            self._pass(jsonrpc.notification("notifications/cancelled", reason))

    def send_failed(self, request_id: RequestId | None, reason: str) -> None:
        if request_id is not None and self._requests.find(request_id) is not None:
            self._fail(request_id, reason)
        else:
            self._info.emit("message_failed", reason=reason)

    # From the server to the client.

    async def drain(self) -> None:
        await self._outlet.drain()

    def receive_from_server(self, data: bytes) -> None:
        message = jsonrpc.parse(data)
        if self._is_batch(data, message) and isinstance(pieces := parse_batch(data, MAX_IN_BATCH), list):
            for piece in pieces:
                self.receive_from_server(piece.data)
            return
        kind = KINDS[type(message)]
        if isinstance(message, MalformedMessage) and message.code == PARSE_ERROR:
            # Output that a server prints by mistake is recorded for people, and not sent to the client.
            self._info.record(kind, Direction.OUT, data)
            self._fail_unreadable(data, message.message)
        elif not isinstance(message, Request | Notification) and message.id is not None:
            self._send(kind, data, message.id, is_response=True)
            self._note_revision(message)
            self._requests.remove(message.id)
        else:
            self._note_server_request(message)
            self._send(kind, data, self._requests.call_of(message))

    def _fail_unreadable(self, data: bytes, reason: str) -> None:
        """Fail the request that unreadable data answers, if it does, since nothing else will."""
        request_id = find_request_id(data, [relayed_request.request.id for relayed_request in self._requests])
        if request_id is not None:
            if isinstance(data, TruncatedMessage):
                reason = "it is longer than the limit for a message"
            self._fail(request_id, f"The relayed server sent a response that cannot be read: {reason}.")

    def _note_server_request(self, message: Message) -> None:
        if isinstance(message, Request) and len(self._server_requests) < MAX_SERVER_REQUESTS:
            self._server_requests[message.id] = OpenQuestion(
                message.id, "", "", message.method, message.params, partial(self._answer_elsewhere, message.id)
            )
        elif isinstance(message, Notification) and message.method == "notifications/cancelled":
            request_id = jsonrpc.readable_id(message.params, "requestId")
            if request_id is not None:
                self._server_requests.pop(request_id, None)

    def _note_revision(self, response: Message) -> None:
        if not isinstance(response, Response):
            return
        relayed_request = self._requests.find(response.id)
        if relayed_request is not None and relayed_request.request.method == "initialize":
            self._info.negotiated = str(response.result.get("protocolVersion", ""))

    def record_stderr(self, line: bytes) -> None:
        self._info.record(Kind.STDERR, Direction.NONE, line)

    # The end of the other server.

    def lost(self, post_mortem: str) -> None:
        if self._end_reason or self.closed:
            return
        self._post_mortem = post_mortem
        self._end_reason, *stderr = post_mortem.splitlines()
        self._info.emit("upstream_lost", reason=self._end_reason, stderr=stderr)
        self._connection.stop_sending()
        self._cancel_server_requests()
        self._fail_all()
        if isinstance(self._outlet, LastMessagesOutlet):
            self._outlet.end()

    def _cancel_server_requests(self) -> None:
        for request_id in self._server_requests:
            cancelled = {"requestId": request_id, "reason": "the relayed server has disconnected"}
            self._send(Kind.NOTIFICATION, jsonrpc.notification("notifications/cancelled", cancelled), None)
        self._server_requests.clear()

    def _fail_all(self) -> None:
        for relayed_request in list(self._requests):
            self._fail(relayed_request.request.id, f"The relayed server has disconnected: {self._end_reason}")

    def _fail(self, request_id: RequestId, reason: str) -> None:
        self._send(Kind.ERROR, jsonrpc.error(request_id, INTERNAL_ERROR, reason), request_id, is_response=True)
        self._requests.remove(request_id)

    def _send(self, kind: Kind, data: bytes, related: RequestId | None, *, is_response: bool = False) -> None:
        relayed_request = self._requests.find(related) if related is not None else None
        if relayed_request is not None and (shared := relayed_request.shared) is not None:
            data, original_id, name = shared.restore(data), shared.original.id, shared.name
            route = ClientRoute(original_id, relayed_request.outlet, name, is_response, is_shared=True)
        else:
            only = not is_response and len(self._requests) == 1
            outlet = self._outlet if relayed_request is None else relayed_request.outlet
            route = ClientRoute(related, outlet, id_text(related) if only else "", is_response)
        record = self._info.record(kind, Direction.OUT, data, route.call)
        if (interceptor := self._info.tap.interceptor) is None or not interceptor.take(
            record, data, partial(self._outgoing, route, kind is Kind.REQUEST), None, route.related
        ):
            self._deliver(route, data)

    def _deliver(self, route: ClientRoute, data: bytes) -> None:
        if route.is_response and not route.is_shared and self._batches.collect(data, route.related):
            return
        route.outlet.send(data, route.related, is_response=route.is_response)

    # Messages that wait for an operator.

    @property
    def _has_progress_messages(self) -> bool:
        revision = REVISIONS.get(self.negotiated)
        return revision is not None and revision.progress_messages

    def _incoming(self, message: Message) -> Passage:
        """Return what can be done with a message of the client."""
        request_id = message.id if isinstance(message, Request) else None
        response = ClientRoute(request_id, self._outlet, "", True)
        return Passage(
            deliver=lambda data: self._process(data, jsonrpc.parse(data)),
            answer=None if request_id is None else partial(self._record_and_deliver, response),
            notify=partial(self._record_and_deliver, ClientRoute(request_id, self._outlet, id_text(request_id), False)),
            drop=partial(self._withdraw, request_id),
            is_terminal=self._info.is_terminal,
            has_progress_messages=self._has_progress_messages,
        )

    def _outgoing(self, route: ClientRoute, is_request: bool) -> Passage:
        """Return what can be done with a message to the client."""
        return Passage(
            deliver=partial(self._deliver, route),
            answer=self._receive_answer if is_request else None,
            notify=partial(self._record_and_deliver, route._replace(is_response=False)),
            drop=partial(self._withdraw, route.related if route.is_response else None),
            is_last=route.is_response and self._info.transport == "http",
            is_terminal=self._info.is_terminal,
            has_progress_messages=self._has_progress_messages,
        )

    def _record_and_deliver(self, route: ClientRoute, data: bytes) -> None:
        self._info.record(KINDS[type(jsonrpc.parse(data))], Direction.OUT, data, route.call)
        self._deliver(route, data)

    def _withdraw(self, request_id: RequestId | None) -> None:
        """Send the other responses of a batch without that to this request, which was dropped."""
        if request_id is not None:
            self._batches.withdraw(request_id)

    def _receive_answer(self, data: bytes) -> None:
        message = jsonrpc.parse(data)
        self._info.record(KINDS[type(message)], Direction.IN, data)
        self._process(data, message)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
