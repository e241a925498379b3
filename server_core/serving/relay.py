"""The relay: any other MCP server, behind our tap.

Rule 1: every message passes as it came, byte for byte, in both directions and in order; what is no message is
recorded, and stays here. Only the requests of clients without a session are named anew on their way, since these do not
know of each other and share a connection; and the messages of a batch pass one by one.
Rule 2: for each session of a client there is one connection to the other server, made when the session opens.
Rule 3: a message that the other server does not take fails alone.
Rule 4: when the other server goes away, whoever waits for it gets an error that says so, its questions are cancelled,
and the session ends where its transport can end it: the next one gets a new connection.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from server_core.errors import ConfigurationError, ConnectionFailed, MessageFailed
from server_core.protocol import jsonrpc
from server_core.protocol.batches import is_batch, parse_batch
from server_core.protocol.codes import INTERNAL_ERROR, PARSE_ERROR
from server_core.protocol.envelope import (
    CLIENT_CAPABILITIES,
    CLIENT_INFO,
    PROTOCOL_VERSION,
    SUBSCRIPTION_ID,
    is_stateless,
)
from server_core.protocol.framing import Oversized
from server_core.protocol.headers import HeaderParameters
from server_core.protocol.jsonrpc import (
    ErrorResponse,
    Malformed,
    Message,
    Notification,
    Params,
    Request,
    RequestId,
    Response,
    id_text,
)
from server_core.protocol.revisions import REVISIONS
from server_core.records.tap import KINDS, Direction, Kind, Tap
from server_core.runtime.background import spawn
from server_core.serving.batch_responses import BatchResponses
from server_core.serving.session_info import InFlight, SessionInfo, SessionRegistry, refuse_oversized
from server_core.serving.shared_request import SharedRequest
from server_core.transports.channel import Channel, DescribesEnd, LastMessagesOutlet, Outlet
from server_core.transports.child import ChildChannel
from server_core.transports.source import Ongoing

Dial = Callable[[], Awaitable[Channel]]

MOST_SENDING = 1000
"""How many messages may wait for the other server to take them before the client has to wait as well."""
MOST_IN_BATCH = 1000
MOST_QUESTIONS = 1000
"""How many open requests of the other server are remembered, to be cancelled when it goes away."""


class Relay:
    """Serve what another server serves.

    Args:
        tap: where every message and event is recorded.
        dial: makes a connection to the other server.
    """

    def __init__(self, tap: Tap, dial: Dial) -> None:
        self.tap = tap
        self._dial = dial
        self._sessions: SessionRegistry[RelaySession] = SessionRegistry()

    @property
    def sessions(self) -> Mapping[str, "RelaySession"]:
        """The sessions by key: all that are open, and the last that were closed."""
        return self._sessions.sessions

    def open_session(
        self, outlet: Outlet, transport: str, *, peer_name: str = "", principal: str = "", id: str = ""
    ) -> "RelaySession":
        """Open a session that answers through the outlet, and connect it to the other server.

        Args:
            outlet: where the session puts its messages.
            transport: the name of the transport, shown to people.
            peer_name: who is at the other end, as far as the transport can tell.
            principal: who has proved to be there; the other server sees our own credentials.
            id: names the session and no other, where the transport names it.
        """
        facts = SessionInfo(self.tap, self._sessions.next_key(), transport, peer_name, id, principal=principal)
        session = RelaySession(self._dial, facts, outlet, self._sessions.closed)
        self._sessions.add(session)
        return session

    @property
    def may_ask_for_tokens(self) -> bool:
        """No: there is no app."""
        return False

    @property
    def is_relayed(self) -> bool:
        """Yes: a scope that the other server asks for need not be one of our authorization servers'."""
        return True

    async def gate(self) -> None:
        """Return nothing: the settings alone say who is let in."""

    @property
    def allowed_origins(self) -> frozenset[str]:
        """None: the other server has no say in it."""
        return frozenset()

    def header_parameters(self, tool: str) -> HeaderParameters:
        """Return none: what a call's headers have to say is the other server's business."""
        return {}

    async def wait_closed(self) -> None:
        """Wait until the connections of all closed sessions are gone, and with them the children behind them."""
        for session in list(self.sessions.values()):
            if session.closed:
                await session.wait_closed()


class RelaySession:
    """One client, and its own connection to the other server.

    Args:
        dial: makes the connection.
        facts: what is known of the session.
        outlet: where the messages for the client go.
        on_closed: told the session's key when it ends.
    """

    def __init__(self, dial: Dial, facts: SessionInfo, outlet: Outlet, on_closed: Callable[[str], None]) -> None:
        self.key = facts.key
        self._facts = facts
        self._outlet = outlet
        self._on_closed = on_closed
        self._requests: dict[RequestId, _Passed] = {}
        self._gathering = BatchResponses(lambda answers: self._outlet.send(answers, None, answer=True))
        self._count = 0
        self.closed = False
        self._end_reason = ""
        self._post_mortem = ""
        self._questions: dict[RequestId, None] = {}
        """The requests of the other server that the client has not answered yet."""
        self._is_leaving = False
        self._idle = asyncio.Event()
        self._idle.set()
        self._channel: asyncio.Future[Channel] = asyncio.get_running_loop().create_future()
        self._sending: set[asyncio.Task[None]] = set()
        self._relaying = spawn(self._relay(dial), f"{self.key} relay")

    @property
    def negotiated(self) -> str:
        """The revision that the handshake agreed on; empty before it is done."""
        return self._facts.negotiated

    @property
    def upstream_lost(self) -> str:
        """How the other server ended, when it did before the session; empty otherwise."""
        return self._end_reason

    @property
    def busy(self) -> bool:
        """Whether a request of the client waits for its answer."""
        return bool(self._requests)

    @property
    def full(self) -> bool:
        """Whether the other server has to take something before more should be handed on."""
        return len(self._sending) >= MOST_SENDING

    async def room(self) -> None:
        """Wait until the other server has taken enough that more may be handed on."""
        while self.full:
            await asyncio.wait(self._sending, return_when=asyncio.FIRST_COMPLETED)

    def receive(self, data: bytes, message: Message | None = None) -> None:
        """Take one message of the client, or a batch of them, and pass it on; never raises.

        Args:
            data: the message as it came.
            message: what it parsed to, when the transport had to look already.
        """
        if self.closed:
            return
        if message is None:
            message = jsonrpc.parse(data)
            if self._is_batch(data, message):
                self._gathering.receive_array(data, MOST_IN_BATCH, self.receive)
                return
        self._facts.record(KINDS[type(message)], Direction.IN, data)
        if isinstance(message, Malformed):
            refusal = jsonrpc.error(message.id, message.code, message.message)
            self._send(Kind.ERROR, refusal, message.id, answer=True)
            return
        if isinstance(message, Request):
            self._began(message)
        elif isinstance(message, Notification) and message.method == "notifications/cancelled":
            if (id := jsonrpc.readable_id(message.params, "requestId")) is not None:
                self._ended(id)
                self._gathering.withdraw(id)
        elif isinstance(message, Response | ErrorResponse) and message.id is not None:
            self._questions.pop(message.id, None)
        elif isinstance(message, Notification) and message.method == "notifications/initialized":
            self._facts.emit("session_initialized", client=self._facts.client, revision=self.negotiated)
        self._pass(data, message.id if isinstance(message, Request) else None)

    def exchange(self, data: bytes, request: Request, outlet: Outlet) -> Ongoing:
        """Pass on one stateless request whose client is reached by an outlet of its own; never raises.

        Args:
            data: the message as it came.
            request: what it parsed to.
            outlet: where everything goes that belongs to it.
        """
        record = self._facts.record(Kind.REQUEST, Direction.IN, data)
        self._count += 1
        shared = SharedRequest(request, record.seq, f"relayed-{self._count}")
        passed = self._began(shared.sent, outlet, shared)
        self._pass(jsonrpc.request(shared.sent.id, request.method, shared.sent.params), shared.sent.id)
        return passed

    def _is_batch(self, data: bytes, message: Message) -> bool:
        revision = REVISIONS.get(self.negotiated)
        return type(message) is Malformed and revision is not None and revision.batches and is_batch(data)

    def _pass(self, data: bytes, id: RequestId | None = None) -> None:
        if self._end_reason:
            self._fail_all()
            return
        sending = spawn(self._pass_on(data, id), f"{self.key} to the server")
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)

    def receive_oversized(self, line: Oversized) -> None:
        """Refuse a message that was too long; it cannot be passed on."""
        if not self.closed:
            self._facts.record(Kind.MALFORMED, Direction.IN, line.start)
            self._send(Kind.ERROR, refuse_oversized(line.limit), None, answer=True)

    async def settle(self, grace: float) -> None:
        """Wait until the other server has answered what the client asked for.

        Args:
            grace: at most so many seconds.
        """
        try:
            async with asyncio.timeout(grace):
                await self._idle.wait()
        except TimeoutError:
            self._facts.emit("session_cut_off", waiting=len(self._requests))

    def close(self) -> None:
        """End the session and its connection to the other server; safe to call twice."""
        if self.closed:
            return
        self.closed = True
        if not self._is_leaving:
            self._relaying.cancel()
        self._stop_sending()
        self._facts.close()
        self._on_closed(self.key)

    def remember(self) -> None:
        """Remember nothing: the other server's session ends with our connection to it."""

    def recall(self, facts: dict[str, Any]) -> None:
        """Go on with nothing; see :meth:`remember`."""

    async def wait_closed(self) -> None:
        """Wait until the connection to the other server is gone."""
        await asyncio.wait([self._relaying])

    def describe(self) -> dict[str, Any]:
        """Return what people are shown of the session, JSON-safe."""
        return self._facts.describe() | {"upstream_lost": self._facts.masked(self._post_mortem) or None}

    # From the client to the server.

    def _began(self, request: Request, outlet: Outlet | None = None, shared: SharedRequest | None = None) -> "_Passed":
        one = self._facts.started(request) if shared is None else self._facts.started(shared.own, shared.name)
        passed = _Passed(self, request, one, outlet or self._outlet, shared)
        self._requests[request.id] = passed
        self._idle.clear()
        if is_stateless(request.params):
            meta = _object(request.params["_meta"])
            self._facts.met(
                _object(meta.get(CLIENT_INFO)),
                _object(meta.get(CLIENT_CAPABILITIES)),
                str(meta.get(PROTOCOL_VERSION, "")),
            )
        if request.method == "initialize":
            self._facts.client = _object(request.params.get("clientInfo"))
            self._facts.capabilities = _object(request.params.get("capabilities"))
        return passed

    def give_up(self, id: RequestId) -> None:
        """Tell the other server that nobody waits for the answer to this request any more."""
        if id in self._requests:
            if (shared := self._requests[id].shared) is not None:
                # No message says so: the client has closed the connection that was this request's alone.
                own = shared.own
                self._facts.emit("call_abandoned", call=shared.name, id=own.id, method=own.method)
            self._ended(id)
            reason = {"requestId": id, "reason": "the client has gone"}
            self._pass(jsonrpc.notification("notifications/cancelled", reason))

    async def _pass_on(self, data: bytes, id: RequestId | None) -> None:
        try:
            await (await asyncio.shield(self._channel)).send(data)
        except MessageFailed as error:
            if id in self._requests:
                self._fail(id, str(error))
            else:
                self._facts.emit("message_failed", reason=str(error))
        except ConnectionFailed as error:
            channel = self._channel.result() if self._channel.done() else None
            self._lost(await _post_mortem(channel, str(error)))

    # From the server to the client.

    async def _relay(self, dial: Dial) -> None:
        channel: Channel | None = None
        try:
            channel = await dial()
            if isinstance(channel, ChildChannel):
                channel.listen_to_stderr(self._complained)
            self._channel.set_result(channel)
            while (data := await channel.receive()) is not None:
                self._came(data)
                await self._outlet.drain()
            self._lost(await _post_mortem(channel, "It has closed the connection."))
        except (ConnectionFailed, ConfigurationError) as error:
            self._lost(await _post_mortem(channel, str(error)))
        finally:
            # From here on the end of the session must not cut the end of the other server short.
            self._is_leaving = True
            if channel is not None:
                await channel.close()

    def _came(self, data: bytes) -> None:
        message = jsonrpc.parse(data)
        if self._is_batch(data, message) and isinstance(pieces := parse_batch(data, MOST_IN_BATCH), list):
            for piece in pieces:
                self._came(piece.data)
            return
        kind = KINDS[type(message)]
        if isinstance(message, Malformed) and message.code == PARSE_ERROR:
            # What a server prints by mistake is no message: people see it, the client does not.
            self._facts.record(kind, Direction.OUT, data)
        elif not isinstance(message, Request | Notification) and message.id is not None:
            self._send(kind, data, message.id, answer=True)
            self._learn(message)
            self._ended(message.id)
        else:
            self._note_question(message)
            self._send(kind, data, self._call_of(message))

    def _note_question(self, message: Message) -> None:
        if isinstance(message, Request) and len(self._questions) < MOST_QUESTIONS:
            self._questions[message.id] = None
        elif isinstance(message, Notification) and message.method == "notifications/cancelled":
            id = jsonrpc.readable_id(message.params, "requestId")
            self._questions = {asked: None for asked in self._questions if asked != id}

    def _learn(self, answer: Message) -> None:
        passed = self._requests.get(answer.id) if isinstance(answer, Response) else None
        if isinstance(answer, Response) and passed is not None and passed.request.method == "initialize":
            self._facts.negotiated = str(answer.result.get("protocolVersion", ""))

    def _ended(self, id: RequestId) -> None:
        passed = self._requests.pop(id, None)
        if passed is None:
            return
        self._facts.ended(passed.in_flight)
        if not self._requests:
            self._idle.set()

    def _call_of(self, message: Message) -> RequestId | None:
        """The call that a message belongs to: the one that it names, else the newest, since nothing else tells.

        Where clients share the connection only a log message goes to a call that it does not name, and only where no
        other call wants any: what is for one client must not reach another.
        """
        if isinstance(message, Notification):
            if (named := self._named_by(message.params)) is not None:
                return named
            if message.method.endswith(("/list_changed", "/updated")):
                return None
        newest = next(reversed(self._requests), None)
        if newest is None or self._requests[newest].shared is None:
            return newest
        is_log = isinstance(message, Notification) and message.method == "notifications/message"
        wanting = [id for id, passed in self._requests.items() if passed.shared and passed.shared.wants_logs]
        return wanting[0] if is_log and len(wanting) == 1 else None

    def _named_by(self, params: Params) -> RequestId | None:
        """The call that a notification names: by the token for its progress, or as what its client listens on."""
        listening = _object(params.get("_meta")).get(SUBSCRIPTION_ID)
        if isinstance(listening, str | int) and listening in self._requests:
            return listening
        if (token := params.get("progressToken")) is None:
            return None
        for id, passed in self._requests.items():
            if _object(passed.request.params.get("_meta")).get("progressToken") == token:
                return id
        return None

    def _complained(self, line: bytes) -> None:
        self._facts.record(Kind.STDERR, Direction.NONE, line)

    # The end of the other server.

    def _lost(self, post_mortem: str) -> None:
        if self._end_reason or self.closed:
            return
        self._post_mortem = post_mortem
        self._end_reason, *stderr = post_mortem.splitlines()
        self._facts.emit("upstream_lost", reason=self._end_reason, stderr=stderr)
        self._stop_sending()
        self._cancel_questions()
        self._fail_all()
        if isinstance(self._outlet, LastMessagesOutlet):
            self._outlet.end()

    def _cancel_questions(self) -> None:
        for id in self._questions:
            cancelled = {"requestId": id, "reason": "the server behind the relay is gone"}
            self._send(Kind.NOTIFICATION, jsonrpc.notification("notifications/cancelled", cancelled), None)
        self._questions.clear()

    def _stop_sending(self) -> None:
        for sending in list(self._sending):
            if sending is not asyncio.current_task():
                sending.cancel()

    def _fail_all(self) -> None:
        for id in list(self._requests):
            self._fail(id, f"The server behind the relay is gone: {self._end_reason}")

    def _fail(self, id: RequestId, reason: str) -> None:
        self._send(Kind.ERROR, jsonrpc.error(id, INTERNAL_ERROR, reason), id, answer=True)
        self._ended(id)

    def _send(self, kind: Kind, data: bytes, related: RequestId | None, *, answer: bool = False) -> None:
        passed = self._requests.get(related) if related is not None else None
        if passed is not None and (shared := passed.shared) is not None:
            data = shared.restored(data)
            self._facts.record(kind, Direction.OUT, data, shared.name)
            passed.outlet.send(data, shared.own.id, answer=answer)
            return
        only = not answer and len(self._requests) == 1
        self._facts.record(kind, Direction.OUT, data, id_text(related) if only else "")
        if answer and self._gathering.take(data, related):
            return
        (passed.outlet if passed is not None else self._outlet).send(data, related, answer=answer)


class _Passed:
    """A request that was passed on, and where its answer belongs.

    Args:
        session: passed it on.
        request: as the other server got it.
        one: the same as people see it.
        outlet: leads to its client.
        shared: as its client knows it, where that shares the connection with others.
    """

    def __init__(
        self, session: RelaySession, request: Request, one: InFlight, outlet: Outlet, shared: SharedRequest | None
    ) -> None:
        self.request = request
        self.in_flight = one
        self.outlet = outlet
        self.shared = shared
        self._session = session

    def cancel(self) -> None:
        """Stop: the client has gone."""
        self._session.give_up(self.request.id)


async def _post_mortem(channel: Channel | None, reason: str) -> str:
    """How the other server ended: a child process says more of that than its connection."""
    return await channel.post_mortem() if isinstance(channel, DescribesEnd) else reason


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
