"""A session: one client of the server, on one connection, from its first message until it is closed.

A client performs the handshake and then sends requests of the session, or sends stateless requests, each of which names
its client and its revision; on one connection it may do both. Each message shows which kind it is.

Rule 1: everything here runs on the event loop's thread, and only `request`, `drain` and `settle` wait.
Rule 2: no message of a client ends the session; failures are answered with errors.
Rule 3: every message is recorded: an incoming message before it is processed, an outgoing message before it is sent.
"""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from server_core.errors import ContextError
from server_core.execution.context.client_port import CallingClient, ClientPort
from server_core.execution.running_calls import InFlight
from server_core.protocol import jsonrpc
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.protocol.envelope import is_stateless
from server_core.protocol.framing import OversizedLine
from server_core.protocol.jsonrpc import MalformedMessage, Message, Notification, Params, Request, RequestId, id_text
from server_core.protocol.methods import LOG_LEVELS, Side, served_methods
from server_core.protocol.peer import AnswerReceived, CancelReceived, NotificationReceived, Peer, Phase, RequestReceived
from server_core.protocol.revisions import LATEST, Revision, negotiate
from server_core.records.tap import KINDS, Direction, Kind, call_name
from server_core.serving.list_changed import Change, covers
from server_core.serving.method_table import SESSION_METHODS
from server_core.serving.request_scheduler import Ended, RequestScheduler, Result
from server_core.serving.server_requests import ServerRequests
from server_core.serving.session_info import SessionInfo, refuse_oversized
from server_core.transports.channel import Outlet, PollingOutlet
from server_core.transports.open_questions import OpenQuestion
from server_core.transports.source import RunningRequest

if TYPE_CHECKING:
    from server_core.records.interception import Passage
    from server_core.serving.batch_responses import BatchResponses
    from server_core.serving.server import Server
    from server_core.serving.stateless import StatelessRequests


class Session(ClientPort):
    """One client: a :class:`ServingSession` for its transport, and the port of running tools.

    `info` emits its records; `on_closed` is called with its key. The principal is the authenticated user, if any.
    """

    methods = SESSION_METHODS

    def __init__(
        self,
        server: "Server",
        info: SessionInfo,
        outlet: Outlet,
        on_closed: Callable[[str], None],
        principal: str = "",
    ) -> None:
        self.key, self.id = info.key, info.id
        self.client = CallingClient(info.key, info.id, principal, info.is_local, LATEST, {}, {}, LOG_LEVELS[0])
        """The client; its log level is the lowest until it sets another."""
        self.subscriptions: set[str] = set()
        self._server = server
        self._info = info
        self._outlet = outlet
        self._on_closed = on_closed
        self._peer = Peer(Side.SERVER)
        self._initialized = False
        self._scheduler = RequestScheduler(server.settings.max_calls)
        self._server_requests = ServerRequests(self._peer, self._send)
        self._batches: BatchResponses | None = None
        # Identifies the owner of its tasks: unlike the key and the id, the token is never shown or sent.
        self._token = os.urandom(16).hex()

    @cached_property
    def _stateless(self) -> "StatelessRequests":
        # Imported with the first stateless request, since most clients send none.
        from server_core.serving.stateless import StatelessRequests

        return StatelessRequests(self._server, self._info, self._scheduler, self._outlet, self.client.principal)

    # For the transport.

    @property
    def negotiated(self) -> str:
        return self._info.negotiated

    @property
    def busy(self) -> bool:
        return self._scheduler.busy or self._server.runs_tasks_of(self) or self._info.has_held

    @property
    def calls(self) -> "tuple[asyncio.Task[None], ...]":
        """The tasks of the running requests."""
        return self._scheduler.tasks

    @property
    def full(self) -> bool:
        return self._scheduler.full

    async def wait_for_room(self) -> None:
        await self._scheduler.wait_for_room()

    def receive(self, data: bytes, message: Message | None = None) -> None:
        if self._peer.phase is Phase.CLOSED:
            return
        if message is None:
            message = jsonrpc.parse(data)
            if type(message) is MalformedMessage and self.client.revision.batches and self._receive_batch(data):
                return
        call = "" if type(message) is Request else self._server_requests.call_of(message)
        record = self._info.record(KINDS[type(message)], Direction.IN, data, call)
        if (interceptor := self._info.tap.interceptor) is not None and interceptor.take(
            record, data, partial(self._incoming, message, record.seq), message
        ):
            return
        self._process(message, record.seq)

    def _process(self, message: Message, seq: int) -> None:
        """Act on a message; `seq` is the number of its record."""
        if (
            type(message) is Request
            and "_meta" in message.params  # Most requests of a session have none.
            and message.method != "initialize"  # It begins a session, whatever its `_meta` holds.
            and is_stateless(message.params)
        ):
            self._stateless.receive(message, seq)
            return
        event = self._peer.receive(message)
        if isinstance(event, RequestReceived):
            self._serve(event.request)
        elif isinstance(event, AnswerReceived):
            self._server_requests.receive(event)
        elif isinstance(event, NotificationReceived):
            self._on_notification(event.notification)
        elif isinstance(event, CancelReceived):
            self._cancel(event.id)
        elif event.reply is not None:
            # Named by its record as well: it may be refused because another request has the same id.
            name = call_name(message.id, seq) if type(message) is Request else ""
            self._send(Kind.ERROR, event.reply, getattr(message, "id", None), is_response=True, name=name)
        if type(message) is Notification and (chain := self._server.chain) is not None:
            chain.receive(self, message)

    def serve_stateless(self, data: bytes, request: Request, outlet: Outlet) -> RunningRequest:
        record = self._info.record(Kind.REQUEST, Direction.IN, data)
        if (interceptor := self._info.tap.interceptor) is not None:
            from server_core.serving.intercepted_request import InterceptedRequest

            intercepted = InterceptedRequest(self._info, record, data, request, outlet, self._stateless.serve)
            return intercepted.offer(interceptor)
        return self._stateless.serve(request, record.seq, outlet)

    def receive_oversized(self, line: OversizedLine) -> None:
        if self._peer.phase is not Phase.CLOSED:
            self._info.record(Kind.MALFORMED, Direction.IN, line.start)
            self._send(Kind.ERROR, refuse_oversized(line.limit), None, is_response=True)

    async def settle(self, grace: float) -> None:
        # Calls that wait for a response of the client would wait for the whole grace period.
        self._server_requests.fail_all("the session ended before the client responded")
        self._server.suspended_calls.drop(self._info)
        self._info.release_held()
        await self._scheduler.settle(grace)
        # After the calls, since these may report changes to the subscribers.
        self._server.listeners.end(self._info)

    def close(self) -> None:
        if self._peer.phase is Phase.CLOSED:
            return
        # First, while the answers that end the subscriptions can still be sent.
        self._server.listeners.end(self._info)
        self._server.list_changes.remove(self)
        self._server_requests.fail_all("the client has disconnected")
        self._peer.close()
        self._server.suspended_calls.drop(self._info)
        self._scheduler.close()
        self._server.leave_tasks_of(self)
        self._info.close()
        self._on_closed(self.key)

    def export_state(self) -> dict[str, Any] | None:
        if not self.negotiated:
            return None
        return {
            "revision": self.negotiated,
            "client": self.client.info,
            "capabilities": self.client.capabilities,
            "initialized": self._initialized,
            "logLevel": self.client.log_level,
            "subscriptions": sorted(self.subscriptions),
            "token": self._token,
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        self.agree(negotiate(state["revision"]), state["client"], state["capabilities"])
        self._peer.phase = Phase.READY
        self._initialized = state["initialized"]
        if self._initialized:
            self._server_requests.begin()
        self.client.log_level = state["logLevel"]
        self.subscriptions.update(state["subscriptions"])
        if self.subscriptions:
            self._server.watch_files()
        self._token = state["token"]
        self._info.emit("session_recalled", client=self.client.info, revision=self.negotiated)

    def describe(self) -> dict[str, Any]:
        return self._info.describe(self._scheduler.requests)

    def questions(self) -> list[OpenQuestion]:
        asked = []
        for question in self._server_requests.questions():
            in_flight = self._scheduler.find(id_text(question.call))
            asked.append(question if in_flight is None else replace(question, name=in_flight.name))
        for call in self._server.suspended_calls.calls_of(self._info):
            asked += call.questions()
        return asked

    # For running tools.

    def answer_now(self, result: Result, ended: Ended, *, related: RequestId) -> Callable[[], None]:
        """Answer a call before it has ended; `ended` gets the final outcome, and what is returned stops the call."""
        in_flight = self._scheduler.find(id_text(related))
        assert in_flight is not None, related
        stop = self._scheduler.release(in_flight, ended)
        self._ended(related, result)
        return stop

    async def request(
        self, method: str, params: Params, *, related: RequestId, timeout: float, key: str = ""
    ) -> dict[str, Any]:
        if self._peer.phase is Phase.CLOSED:
            raise ContextError(f"{method} was not sent: the client has disconnected.")
        return await self._server_requests.ask(method, params, related, timeout)

    def notify(self, method: str, params: Params, *, related: RequestId | None = None) -> None:
        if self._peer.phase is Phase.CLOSED:
            return
        if method == "notifications/message" and not self.client.wants_log(params.get("level")):
            return
        if (chain := self._server.chain) is not None:
            chain.notify(self, method, params, related, self._notify)
        else:
            self._notify(method, params, related)

    @property
    def is_full(self) -> bool:
        return self._outlet.full

    async def drain(self) -> None:
        await self._outlet.drain()

    def close_stream(self, *, related: RequestId, retry_ms: int) -> None:
        if isinstance(self._outlet, PollingOutlet):
            self._outlet.close_stream(related, retry_ms)

    def report(self, event: str, fields: dict[str, Any]) -> None:
        """Record an event of a call for the author; it is not sent to the client."""
        self._info.emit(event, **fields)

    # For the server.

    @property
    def is_closed(self) -> bool:
        """Whether the session is closed."""
        return self._peer.phase is Phase.CLOSED

    @property
    def owner(self) -> str:
        """The owner of the tasks that this session creates."""
        from server_core.tasks.task import session_owner

        durable = self._server.tasks.durable
        return session_owner(self.client.principal, self._info.transport, self._token, durable=durable)

    def agree(self, revision: Revision, client: dict[str, Any], capabilities: dict[str, Any]) -> None:
        """Apply the outcome of the handshake."""
        self.client.revision = revision
        self._peer.methods = served_methods(Side.SERVER, revision)
        self.client.info = self._info.client = client
        self.client.capabilities = self._info.capabilities = capabilities
        self._info.negotiated = revision.date
        self._server.list_changes.add(self)

    def wants(self, change: Change) -> bool:
        return covers(self.subscriptions, change.uri) if change.uri else self._initialized

    def notify_change(self, change: Change) -> None:
        self.notify(change.method, {"uri": change.uri} if change.uri else {})

    # Requests of the session.

    def _serve(self, request: Request) -> None:
        # A ping checks the connection, so it does not wait for room.
        if self._scheduler.has_room or request.method == "ping":
            self._begin(request)
            return
        in_flight = self._info.begin(request)
        self._scheduler.wait(in_flight, lambda: self._begin(request, in_flight))

    def _begin(self, request: Request, in_flight: InFlight | None = None) -> None:
        try:
            answer = self._server.answer(self, request)
        except Exception as error:
            if request.method == "initialize":
                # After a failed handshake the client may try again on the same connection.
                self._peer.phase = Phase.NEW
            self._ended(request.id, error)
            return
        if isinstance(answer, dict | bytes):
            self._ended(request.id, answer)
            return
        in_flight = in_flight or self._info.begin(request)
        self._scheduler.run(in_flight, answer, partial(self._ended, request.id))

    def _ended(self, request_id: RequestId, outcome: Result | BaseException) -> None:
        if isinstance(outcome, BaseException):
            self._fail(request_id, outcome)
        else:
            self._respond(request_id, outcome)

    def _cancel(self, request_id: RequestId) -> None:
        if (in_flight := self._scheduler.find(id_text(request_id))) is not None:
            self._scheduler.stop(in_flight)
        if self._batches is not None:
            self._batches.withdraw(request_id)

    def _respond(self, request_id: RequestId, result: dict[str, Any] | bytes) -> None:
        try:
            data = (
                self._peer.respond(request_id, result)
                if isinstance(result, dict)
                else self._peer.respond_encoded(request_id, result)
            )
        except ValueError as error:
            data = jsonrpc.error(request_id, INTERNAL_ERROR, f"The result cannot be written as JSON: {error}")
        if data is not None:
            self._send(Kind.RESPONSE, data, request_id, is_response=True)

    def _fail(self, request_id: RequestId, error: BaseException) -> None:
        from server_core.execution.wire_errors import request_report, rpc_error

        if (report := request_report(error)) is not None:
            self._info.emit("request_failed", id=request_id, method=self._peer.requests_in.get(request_id), **report)
        refusal = rpc_error(error, self.client.revision)
        data = self._peer.fail(request_id, refusal.code, refusal.message, refusal.data)
        if data is not None:
            self._send(Kind.ERROR, data, request_id, is_response=True)

    # Batches.

    def _receive_batch(self, data: bytes) -> bool:
        """Receive a batch; return false for any other data."""
        from server_core.protocol.batches import is_batch
        from server_core.serving.batch_responses import BatchResponses

        if not is_batch(data):
            return False
        if self._batches is None:
            self._batches = BatchResponses(lambda responses: self._outlet.send(responses, None, is_response=True))
        self._batches.receive_array(data, self._server.settings.max_batch, self.receive)
        return True

    # Everything else from the client.

    def _on_notification(self, notification: Notification) -> None:
        if notification.method == "notifications/cancelled":
            # Not a request of the session, so it may be a stateless request.
            request_id = jsonrpc.readable_id(notification.params, "requestId")
            if request_id is not None and "_stateless" in self.__dict__:
                self._stateless.cancel(request_id)
        if notification.method == "notifications/initialized" and not self._initialized:
            self._initialized = True
            self._server_requests.begin()
            self._info.emit("session_initialized", client=self.client.info, revision=self.negotiated)

    # Everything else to the client.

    def _notify(self, method: str, params: Params, related: RequestId | None) -> None:
        if self._peer.phase is not Phase.CLOSED:
            self._send(Kind.NOTIFICATION, jsonrpc.notification(method, params), related)

    def _send(
        self, kind: Kind, data: bytes, related: RequestId | None, *, is_response: bool = False, name: str = ""
    ) -> None:
        record = self._info.record(kind, Direction.OUT, data, name if is_response else id_text(related))
        if (interceptor := self._info.tap.interceptor) is not None and interceptor.take(
            record, data, partial(self._outgoing, related, is_response, kind is Kind.REQUEST), None, related
        ):
            return
        self._deliver(related, is_response, data)

    def _deliver(self, related: RequestId | None, is_response: bool, data: bytes) -> None:
        if is_response and self._batches is not None and self._batches.collect(data, related):
            return
        self._outlet.send(data, related, is_response=is_response)

    # Messages that wait for an operator.

    def _incoming(self, message: Message, seq: int) -> "Passage":
        """Return what can be done with a message of the client."""
        from server_core.records.interception import Passage

        return Passage(
            deliver=lambda data: self._process(jsonrpc.parse(data), seq),
            answer=partial(self._record_and_deliver, message.id, True) if isinstance(message, Request) else None,
            notify=partial(self._record_and_deliver, getattr(message, "id", None), False),
            drop=partial(self._withdraw, getattr(message, "id", None)),
            is_terminal=self._info.is_terminal,
            has_progress_messages=self.client.revision.progress_messages,
        )

    def _outgoing(self, related: RequestId | None, is_response: bool, is_request: bool) -> "Passage":
        """Return what can be done with a message to the client."""
        from server_core.records.interception import Passage

        return Passage(
            deliver=partial(self._deliver, related, is_response),
            answer=self._receive_answer if is_request else None,
            notify=partial(self._record_and_deliver, related, False),
            drop=partial(self._withdraw, related if is_response else None),
            is_last=is_response and self._info.transport == "http",
            is_terminal=self._info.is_terminal,
            has_progress_messages=self.client.revision.progress_messages,
        )

    def _record_and_deliver(self, related: RequestId | None, is_response: bool, data: bytes) -> None:
        self._info.record(
            KINDS[type(jsonrpc.parse(data))], Direction.OUT, data, "" if is_response else id_text(related)
        )
        self._deliver(related, is_response, data)

    def _withdraw(self, request_id: RequestId | None) -> None:
        """Send the other responses of a batch without that to this request, which was dropped."""
        if self._batches is not None and request_id is not None:
            self._batches.withdraw(request_id)

    def _receive_answer(self, data: bytes) -> None:
        message = jsonrpc.parse(data)
        record = self._info.record(KINDS[type(message)], Direction.IN, data, self._server_requests.call_of(message))
        self._process(message, record.seq)
