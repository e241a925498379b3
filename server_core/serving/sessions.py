"""A session: one client of the server, on one connection, from its first message to its end.

A client shakes hands and then sends requests of the session, or sends stateless requests that say for themselves who
asks and in which revision; on one connection it may do both. What tells them apart is in each message.

Rule 1: everything here runs on the event loop's thread, and nothing but `request`, `drain` and `settle` waits.
Rule 2: no message of a client ends the session: what fails is answered.
Rule 3: every message is recorded, an incoming one before it is acted on, an outgoing one before it is sent.
"""

import asyncio
import os
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from server_core.errors import ContextError
from server_core.protocol import jsonrpc
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.protocol.envelope import is_stateless
from server_core.protocol.framing import Oversized
from server_core.protocol.jsonrpc import Malformed, Message, Notification, Params, Request, RequestId, id_text
from server_core.protocol.methods import LOG_LEVELS, Side
from server_core.protocol.peer import AnswerReceived, CancelReceived, NotificationReceived, Peer, Phase, RequestReceived
from server_core.protocol.revisions import LATEST, Revision, negotiate
from server_core.records.tap import KINDS, Direction, Kind, call_name
from server_core.serving.list_changed import Change, covers
from server_core.serving.method_table import ANSWERS
from server_core.serving.request_scheduler import Ended, RequestScheduler, Result
from server_core.serving.server_requests import Questions
from server_core.serving.session_info import InFlight, SessionInfo, refuse_oversized
from server_core.transports.channel import Outlet, PollingOutlet
from server_core.transports.source import Ongoing

if TYPE_CHECKING:
    from server_core.serving.batch_responses import BatchResponses
    from server_core.serving.server import Server
    from server_core.serving.stateless import StatelessRequests


class Session:
    """One client; also what a running tool reaches it through.

    Args:
        server: whose session this is.
        facts: what is known of it.
        outlet: where its messages go.
        on_closed: told the session's key when it ends.
        principal: who the client has proved to be.
    """

    answers_to = ANSWERS

    def __init__(
        self,
        server: "Server",
        facts: SessionInfo,
        outlet: Outlet,
        on_closed: Callable[[str], None],
        principal: str = "",
    ) -> None:
        self.key = facts.key
        self.principal = principal
        self.revision: Revision = LATEST
        self.log_level = LOG_LEVELS[0]
        """The least severe level of what this client is sent; everything, until it asks for less."""
        self.subscriptions: set[str] = set()
        self._server = server
        self._facts = facts
        self._outlet = outlet
        self._on_closed = on_closed
        self._peer = Peer(Side.SERVER)
        self._initialized = False
        self._in_flight: dict[RequestId, InFlight] = {}
        self._work = RequestScheduler(server.settings.max_calls)
        self._questions = Questions(self._peer, self._send)
        self._gathering: BatchResponses | None = None
        self._token = os.urandom(16).hex()

    @cached_property
    def _stateless(self) -> "StatelessRequests":
        """What the client asks without a session; loaded with its first such request, since most send none."""
        from server_core.serving.stateless import StatelessRequests

        return StatelessRequests(self._server, self._facts, self._work, self._outlet, self.principal)

    # What a transport sees.

    @property
    def negotiated(self) -> str:
        """The revision that the handshake agreed on; empty before it is done."""
        return self._facts.negotiated

    @property
    def busy(self) -> bool:
        """Whether a request of the client is still being worked on, or one of its tasks."""
        return self._work.busy or self._server.runs_tasks_of(self)

    @property
    def calls(self) -> "tuple[asyncio.Task[None], ...]":
        """The tasks of the requests that are being worked on."""
        return self._work.tasks

    @property
    def full(self) -> bool:
        """Whether requests have to be answered before more should be handed on."""
        return self._work.full

    async def room(self) -> None:
        """Wait until more requests may be handed on."""
        await self._work.room()

    def receive(self, data: bytes, message: Message | None = None) -> None:
        """Take one message of the client, or a batch of them; never raises.

        Args:
            data: the message as it came.
            message: what it parsed to, when the transport had to look already.
        """
        if self._peer.phase is Phase.CLOSED:
            return
        if message is None:
            message = jsonrpc.parse(data)
            if type(message) is Malformed and self.revision.batches and self._receive_batch(data):
                return
        call = self._questions.call_of(message)
        record = self._facts.record(KINDS[type(message)], Direction.IN, data, call)
        # `initialize` begins a session, whatever else it carries.
        if type(message) is Request and message.method != "initialize" and is_stateless(message.params):
            self._stateless.take(message, record.seq)
            return
        event = self._peer.receive(message)
        if isinstance(event, RequestReceived):
            self._serve(event.request)
        elif isinstance(event, AnswerReceived):
            self._questions.answered(event)
        elif isinstance(event, NotificationReceived):
            self._on_notification(event.notification)
        elif isinstance(event, CancelReceived):
            self._cancel(event.id)
        elif event.reply is not None:
            # It may be refused because its id is that of another one.
            name = call_name(message.id, record.seq) if type(message) is Request else ""
            self._send(Kind.ERROR, event.reply, getattr(message, "id", None), answer=True, name=name)
        if type(message) is Notification and (chain := self._server.chain) is not None:
            chain.hear(self, message)

    def exchange(self, data: bytes, request: Request, outlet: Outlet) -> Ongoing:
        """Take one stateless request whose client is reached by an outlet of its own; never raises.

        Args:
            data: the message as it came.
            request: what it parsed to.
            outlet: where everything goes that belongs to it.
        """
        record = self._facts.record(Kind.REQUEST, Direction.IN, data)
        return self._stateless.serve(request, record.seq, outlet)

    def receive_oversized(self, line: Oversized) -> None:
        """Take what is left of a message that was too long."""
        if self._peer.phase is not Phase.CLOSED:
            self._facts.record(Kind.MALFORMED, Direction.IN, line.start)
            self._send(Kind.ERROR, refuse_oversized(line.limit), None, answer=True)

    async def settle(self, grace: float) -> None:
        """Wait until what the client asked for is answered, though it will send nothing more.

        Args:
            grace: at most so many seconds.
        """
        self._questions.give_up("the session ends, and the client has not answered")
        self._server.rounds.drop(self._facts)
        await self._work.settle(grace)
        self._server.listeners.end(self._facts)

    def close(self) -> None:
        """End the session and what runs for it; safe to call twice."""
        if self._peer.phase is Phase.CLOSED:
            return
        self._server.listeners.end(self._facts)
        self._server.list_changes.remove(self)
        self._questions.give_up("the client has gone")
        self._peer.close()
        self._server.rounds.drop(self._facts)
        self._work.close()
        self._server.leave_tasks_of(self)
        self._facts.close()
        self._on_closed(self.key)

    def remember(self) -> dict[str, Any] | None:
        """Return what another process needs to go on with this session; None before there is a handshake."""
        if not self.negotiated:
            return None
        return {
            "revision": self.negotiated,
            "client": self.client_info,
            "capabilities": self.capabilities,
            "initialized": self._initialized,
            "logLevel": self.log_level,
            "subscriptions": sorted(self.subscriptions),
            "token": self._token,
        }

    def recall(self, facts: dict[str, Any]) -> None:
        """Go on with a session that another process began.

        Args:
            facts: what :meth:`remember` returned there.
        """
        self.agree(negotiate(facts["revision"]), facts["client"], facts["capabilities"])
        self._peer.phase = Phase.READY
        self._initialized = facts["initialized"]
        if self._initialized:
            self._questions.begin()
        self.log_level = facts["logLevel"]
        self.subscriptions.update(facts["subscriptions"])
        if self.subscriptions:
            self._server.watch_files()
        self._token = facts["token"]
        self._facts.emit("session_recalled", client=self.client_info, revision=self.negotiated)

    def describe(self) -> dict[str, Any]:
        """Return what people are shown of the session, JSON-safe."""
        return self._facts.describe()

    # What a running tool sees.

    @property
    def session_key(self) -> str:
        """The session's name for people."""
        return self.key

    @property
    def session_id(self) -> str:
        """Names the session and no other; over HTTP its `Mcp-Session-Id`."""
        return self._facts.id

    @property
    def is_local(self) -> bool:
        """Whether whoever started the server has started the client as well, on the same machine."""
        return self._facts.is_local

    @property
    def capabilities(self) -> dict[str, Any]:
        """What the client declared that it can do."""
        return self._facts.capabilities

    @property
    def client_info(self) -> dict[str, Any]:
        """What the client says of itself."""
        return self._facts.client

    def answer_now(self, result: Result, ended: Ended, *, related: RequestId) -> Callable[[], None]:
        """Answer a call before it has ended, and let it go on for itself.

        Args:
            result: the answer.
            ended: told how the call ends.
            related: the id of the call.

        Returns:
            What stops the call.
        """
        stop = self._work.release(self._in_flight[related], ended)
        self._ended(related, result)
        return stop

    async def request(
        self, method: str, params: Params, *, related: RequestId, timeout: float, key: str = ""
    ) -> dict[str, Any]:
        """Ask the client something during one of its calls, and return the result.

        Args:
            method: the method.
            params: its params.
            related: the id of the client's request that this belongs to.
            timeout: how long to wait, in seconds.
            key: a name for the question; here each has an id anyway.

        Raises:
            RemoteError: when the client answers with an error.
            ContextError: when it does not answer in time, or has gone.
        """
        if self._peer.phase is Phase.CLOSED:
            raise ContextError(f"{method} cannot be asked: the client has gone.")
        return await self._questions.ask(method, params, related, timeout)

    def notify(self, method: str, params: Params, *, related: RequestId | None = None) -> None:
        """Tell the client something; log messages below its level are left out.

        Args:
            method: the method.
            params: its params.
            related: the id of the client's request that this belongs to, if any.
        """
        if self._peer.phase is Phase.CLOSED:
            return
        if method == "notifications/message" and not self._wants(params):
            return
        if (chain := self._server.chain) is not None:
            chain.notify(self, method, params, related, self._notify)
        else:
            self._notify(method, params, related)

    @property
    def is_full(self) -> bool:
        """Whether the client has to take something before more should be sent."""
        return self._outlet.full

    async def drain(self) -> None:
        """Wait until the client has taken enough that more may be sent."""
        await self._outlet.drain()

    def close_stream(self, *, related: RequestId, retry_ms: int) -> None:
        """Let go of the connection that waits for a call; see :meth:`ClientPort.close_stream`."""
        if isinstance(self._outlet, PollingOutlet):
            self._outlet.close_stream(related, retry_ms)

    def report(self, event: str, facts: dict[str, Any]) -> None:
        """Record for the author what the client is not told of a call."""
        self._facts.emit(event, **facts)

    # What the server sees.

    @property
    def is_closed(self) -> bool:
        """Whether the client has gone."""
        return self._peer.phase is Phase.CLOSED

    @property
    def owner(self) -> str:
        """Who may see the tasks that this session makes."""
        from server_core.tasks.owners import session_owner

        return session_owner(self.principal, self._facts.transport, self._token, durable=self._server.tasks.durable)

    def agree(self, revision: Revision, client: dict[str, Any], capabilities: dict[str, Any]) -> None:
        """Take over what the handshake agreed on."""
        self.revision = self._peer.revision = revision
        self._facts.negotiated = revision.date
        self._facts.client = client
        self._facts.capabilities = capabilities
        self._server.list_changes.add(self)

    def wants(self, change: Change) -> bool:
        """Whether the client shall be told: of lists once it is ready to hear it, of the resources it subscribed to."""
        return covers(self.subscriptions, change.uri) if change.uri else self._initialized

    def notify_change(self, change: Change) -> None:
        """Tell the client of a change."""
        self.notify(change.method, {"uri": change.uri} if change.uri else {})

    # Requests of the session.

    def _serve(self, request: Request) -> None:
        # A ping asks whether we are there, not whether there is time.
        if self._work.has_room or request.method == "ping":
            self._begin(request)
            return
        one = self._started(request)
        self._work.wait(one, lambda: self._begin(request, one))

    def _begin(self, request: Request, one: InFlight | None = None) -> None:
        try:
            answer = self._server.answer(self, request)
        except Exception as error:
            if request.method == "initialize":
                # A handshake that failed leaves the connection as it was, so that the client can try another.
                self._peer.phase = Phase.NEW
            self._ended(request.id, error)
            return
        if isinstance(answer, dict | bytes):
            self._ended(request.id, answer)
            return
        self._work.run(one or self._started(request), answer, lambda outcome: self._ended(request.id, outcome))

    def _started(self, request: Request) -> InFlight:
        one = self._in_flight[request.id] = self._facts.started(request)
        return one

    def _ended(self, id: RequestId, outcome: Result | BaseException) -> None:
        self._forget(id)
        if isinstance(outcome, BaseException):
            self._fail(id, outcome)
        else:
            self._respond(id, outcome)

    def _cancel(self, id: RequestId) -> None:
        if (one := self._forget(id)) is not None:
            self._work.stop(one)
        if self._gathering is not None:
            self._gathering.withdraw(id)

    def _forget(self, id: RequestId) -> InFlight | None:
        one = self._in_flight.pop(id, None)
        if one is not None:
            self._facts.ended(one)
        return one

    def _respond(self, id: RequestId, result: dict[str, Any] | bytes) -> None:
        try:
            data = (
                self._peer.respond(id, result) if isinstance(result, dict) else self._peer.respond_encoded(id, result)
            )
        except (TypeError, ValueError, RecursionError) as error:
            data = jsonrpc.error(id, INTERNAL_ERROR, f"The result cannot be written as JSON: {error}")
        if data is not None:
            self._send(Kind.RESPONSE, data, id, answer=True)

    def _fail(self, id: RequestId, error: BaseException) -> None:
        from server_core.execution.wire_errors import request_report, rpc_error

        if (report := request_report(error)) is not None:
            self._facts.emit("request_failed", id=id, method=self._peer.requests_in.get(id), **report)
        refusal = rpc_error(error, self.revision)
        data = self._peer.fail(id, refusal.code, refusal.message, refusal.data)
        if data is not None:
            self._send(Kind.ERROR, data, id, answer=True)

    # Batches.

    def _receive_batch(self, data: bytes) -> bool:
        """Take a batch; false when these bytes are none."""
        from server_core.protocol.batches import is_batch
        from server_core.serving.batch_responses import BatchResponses

        if not is_batch(data):
            return False
        if self._gathering is None:
            self._gathering = BatchResponses(lambda answers: self._outlet.send(answers, None, answer=True))
        self._gathering.receive_array(data, self._server.settings.max_batch, self.receive)
        return True

    # Everything else that comes from the client.

    def _on_notification(self, notification: Notification) -> None:
        if notification.method == "notifications/cancelled":
            # It is none of the session's requests; then it may be a stateless one.
            id = jsonrpc.readable_id(notification.params, "requestId")
            if id is not None and "_stateless" in self.__dict__:
                self._stateless.cancel(id)
        if notification.method == "notifications/initialized" and not self._initialized:
            self._initialized = True
            self._questions.begin()
            self._facts.emit("session_initialized", client=self.client_info, revision=self.negotiated)

    # Everything else that goes to the client.

    def _notify(self, method: str, params: Params, related: RequestId | None) -> None:
        if self._peer.phase is not Phase.CLOSED:
            self._send(Kind.NOTIFICATION, jsonrpc.notification(method, params), related)

    def _send(
        self, kind: Kind, data: bytes, related: RequestId | None, *, answer: bool = False, name: str = ""
    ) -> None:
        self._facts.record(kind, Direction.OUT, data, name if answer else id_text(related))
        if answer and self._gathering is not None and self._gathering.take(data, related):
            return
        self._outlet.send(data, related, answer=answer)

    def _wants(self, log: Params) -> bool:
        level = log.get("level")
        return level not in LOG_LEVELS or LOG_LEVELS.index(level) >= LOG_LEVELS.index(self.log_level)
