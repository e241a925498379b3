"""A session: one client of the server, from `initialize` to the end of its connection.

Rule 1: everything here runs on the event loop's thread, and nothing but `request`, `drain` and `settle` waits.
Rule 2: no message of a client ends the session: what fails is answered.
Rule 3: every message is recorded, an incoming one before it is acted on, an outgoing one before it is sent.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from server_core import calls
from server_core.answering import ANSWERS
from server_core.background import spawn
from server_core.errors import INTERNAL_ERROR, ContextError, ProtocolError, RemoteError
from server_core.protocol import jsonrpc
from server_core.protocol.framing import Oversized
from server_core.protocol.jsonrpc import ErrorResponse, Message, Notification, Params, Request, RequestId
from server_core.protocol.methods import LOG_LEVELS, Side
from server_core.protocol.peer import AnswerReceived, CancelReceived, NotificationReceived, Peer, Phase, RequestReceived
from server_core.protocol.revisions import LATEST, Revision
from server_core.queueing import RequestQueue
from server_core.serving import KINDS, InFlight, SessionFacts, id_text, refuse_oversized
from server_core.tap import Direction, Kind
from server_core.transports.channel import Outlet

if TYPE_CHECKING:
    from server_core.server import Server

Running: TypeAlias = Coroutine[Any, Any, dict[str, Any] | bytes]
Waiting: TypeAlias = tuple[asyncio.Future[dict[str, Any]], RequestId]


class Session:
    """One client; also what a running tool reaches it through.

    Args:
        server: whose session this is.
        facts: what is known of it.
        outlet: where its messages go.
        on_closed: told the session's key when it ends.
    """

    def __init__(self, server: "Server", facts: SessionFacts, outlet: Outlet, on_closed: Callable[[str], None]) -> None:
        self.key = facts.key
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
        self._tasks: dict[RequestId, asyncio.Task[None]] = {}
        self._waiting: dict[RequestId, Waiting] = {}
        self._queue = RequestQueue(server.settings.max_calls)

    # What a transport sees.

    @property
    def negotiated(self) -> str:
        """The revision that the handshake agreed on; empty before it is done."""
        return self._facts.negotiated

    @property
    def busy(self) -> bool:
        """Whether a request of the client is still being worked on."""
        return bool(self._tasks)

    @property
    def full(self) -> bool:
        """Whether requests have to be answered before more should be handed on."""
        return self._queue.full

    async def room(self) -> None:
        """Wait until more requests may be handed on."""
        await self._queue.room()

    def receive(self, data: bytes, message: Message | None = None) -> None:
        """Take one message of the client; never raises.

        Args:
            data: the message as it came.
            message: what it parsed to, when the transport had to look already.
        """
        if self._peer.phase is Phase.CLOSED:
            return
        if message is None:
            message = jsonrpc.parse(data)
        self._facts.record(KINDS[type(message)], Direction.IN, data, self._call_of_answer(message))
        event = self._peer.receive(message)
        if isinstance(event, RequestReceived):
            self._serve(event.request)
        elif isinstance(event, AnswerReceived):
            self._answered(event)
        elif isinstance(event, NotificationReceived):
            self._told(event.notification)
        elif isinstance(event, CancelReceived):
            self._cancel(event.id)
        elif event.reply is not None:
            self._send(Kind.ERROR, event.reply, getattr(message, "id", None), answer=True)

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
        self._give_up_waiting("the client closed its side of the connection before it answered")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
                # As long as there are tasks: each that ends makes room for one that waits.
                while self._tasks:
                    await asyncio.wait(list(self._tasks.values()))

    def close(self) -> None:
        """End the session and what runs for it; safe to call twice."""
        if self._peer.phase is Phase.CLOSED:
            return
        self._peer.close()
        self._give_up_waiting("the client has gone")
        self._queue.clear()
        for task in list(self._tasks.values()):
            task.cancel()
        self._facts.close()
        self._on_closed(self.key)

    def describe(self) -> dict[str, Any]:
        """Return what people are shown of the session, JSON-safe."""
        return self._facts.describe()

    # What a running tool sees.

    @property
    def session_id(self) -> str:
        """The session's key."""
        return self.key

    @property
    def capabilities(self) -> dict[str, Any]:
        """What the client declared that it can do."""
        return self._facts.capabilities

    @property
    def client_info(self) -> dict[str, Any]:
        """What the client says of itself."""
        return self._facts.client

    async def request(self, method: str, params: Params, *, related: RequestId, timeout: float) -> dict[str, Any]:
        """Ask the client something during one of its calls, and return the result.

        Args:
            method: the method.
            params: its params.
            related: the id of the client's request that this belongs to.
            timeout: how long to wait, in seconds.

        Raises:
            RemoteError: when the client answers with an error.
            ContextError: when it does not answer in time, or has gone.
        """
        if self._peer.phase is Phase.CLOSED:
            raise ContextError(f"{method} cannot be asked: the client has gone.")
        id, data = self._peer.request(method, params)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[id] = future, related
        self._send(Kind.REQUEST, data, related)
        try:
            async with asyncio.timeout(timeout):
                return await future
        except TimeoutError:
            self._abandon(id, related, f"no answer within {timeout:g} s")
            raise ContextError(f"The client did not answer {method} within {timeout:g} s.") from None
        except asyncio.CancelledError:
            self._abandon(id, related, "the call that asked was cancelled")
            raise
        finally:
            self._waiting.pop(id, None)

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
        self._send(Kind.NOTIFICATION, jsonrpc.notification(method, params), related)

    async def drain(self) -> None:
        """Wait until the client has taken enough that more may be sent."""
        await self._outlet.drain()

    def report(self, failure: dict[str, Any]) -> None:
        """Record for the author what the client is not told of a tool that failed."""
        self._facts.tell("tool_failed", **failure)

    # What the server sees.

    def agree(self, revision: Revision, client: dict[str, Any], capabilities: dict[str, Any]) -> None:
        """Take over what the handshake agreed on."""
        self.revision = revision
        self._facts.negotiated = revision.date
        self._facts.client = client
        self._facts.capabilities = capabilities

    def tell_changed(self, kinds: list[str]) -> None:
        """Say that lists have changed, once the client is ready to hear it.

        Args:
            kinds: which of tools, resources and prompts.
        """
        if self._initialized:
            for kind in kinds:
                self.notify(f"notifications/{kind}/list_changed", {})

    def tell_updated(self, uri: str) -> None:
        """Say that a resource has new contents, if the client subscribed to it."""
        if uri in self.subscriptions:
            self.notify("notifications/resources/updated", {"uri": uri})

    # Requests of the client.

    def _serve(self, request: Request) -> None:
        # A ping asks whether we are there, not whether there is time.
        if self._is_at_work and request.method != "ping":
            self._queue.add(request)
        else:
            self._begin(request)

    @property
    def _is_at_work(self) -> bool:
        return len(self._tasks) >= self._server.settings.max_calls

    def _begin(self, request: Request) -> None:
        try:
            answer = ANSWERS[request.method](self._server, self, request)
        except Exception as error:
            if request.method == "initialize":
                # A handshake that failed leaves the connection as it was, so that the client can try another.
                self._peer.phase = Phase.NEW
            self._fail(request.id, error)
            return
        if isinstance(answer, dict | bytes):
            self._respond(request.id, answer)
            return
        one = self._facts.started(request)
        task = spawn(self._run(one, answer), f"{self.key} {request.method} {request.id}")
        self._tasks[request.id] = task
        task.add_done_callback(partial(self._ended, one, answer))

    async def _run(self, one: InFlight, answer: Running) -> None:
        try:
            with calls.running(self.key, id_text(one.id)):
                result = await answer
        except asyncio.CancelledError:
            # The client or our end asked for it, then nobody waits for an answer; or it was the author's own doing.
            if self._is_wanted(one):
                self._fail(one.id, ProtocolError(INTERNAL_ERROR, "The call was cancelled from within"))
            raise
        except (Exception, SystemExit) as error:
            if self._is_wanted(one):
                self._fail(one.id, error)
        else:
            if self._is_wanted(one):
                self._respond(one.id, result)

    def _is_wanted(self, one: InFlight) -> bool:
        # An id is free again once it is cancelled, so a newer request may hold it by now.
        return self._facts.in_flight.get(one.id) is one

    def _ended(self, one: InFlight, answer: Running, task: asyncio.Task[None]) -> None:
        # A task that is cancelled before its first step leaves its coroutine behind, never started.
        answer.close()
        if self._tasks.get(one.id) is task:
            del self._tasks[one.id]
        if self._is_wanted(one):
            self._facts.ended(one.id)
        while len(self._queue) and not self._is_at_work:
            self._begin(self._queue.take())

    def _cancel(self, id: RequestId) -> None:
        task = self._tasks.pop(id, None)
        self._queue.discard(id)
        self._facts.ended(id)
        if task is not None:
            task.cancel()

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
        refusal = error if isinstance(error, ProtocolError) else _refusal(error)
        data = self._peer.fail(id, refusal.code, refusal.message, refusal.data)
        if data is not None:
            self._send(Kind.ERROR, data, id, answer=True)

    # Everything else that comes from the client.

    def _told(self, notification: Notification) -> None:
        if notification.method == "notifications/initialized" and not self._initialized:
            self._initialized = True
            self._facts.tell("session_initialized", client=self.client_info, revision=self.negotiated)

    def _answered(self, event: AnswerReceived) -> None:
        future, _ = self._waiting[event.id]
        if future.done():
            return
        answer = event.answer
        if isinstance(answer, ErrorResponse):
            future.set_exception(RemoteError(answer.code, answer.message, answer.data))
        else:
            future.set_result(answer.result)

    def _call_of_answer(self, message: Message) -> str:
        if self._waiting and not isinstance(message, Request | Notification) and message.id in self._waiting:
            return id_text(self._waiting[message.id][1])
        return ""

    # Everything else that goes to the client.

    def _send(self, kind: Kind, data: bytes, related: RequestId | None, *, answer: bool = False) -> None:
        self._facts.record(kind, Direction.OUT, data, "" if answer else id_text(related))
        self._outlet.send(data, related, answer=answer)

    def _wants(self, log: Params) -> bool:
        level = log.get("level")
        return level not in LOG_LEVELS or LOG_LEVELS.index(level) >= LOG_LEVELS.index(self.log_level)

    def _abandon(self, id: RequestId, related: RequestId, reason: str) -> None:
        if (data := self._peer.abandon(id, reason)) is not None:
            self._send(Kind.NOTIFICATION, data, related)

    def _give_up_waiting(self, reason: str) -> None:
        for future, _ in self._waiting.values():
            if not future.done():
                future.set_exception(ContextError(f"No answer: {reason}."))
                # Whoever waits may be cancelled before it looks; then nobody has to hear of it.
                future.exception()


def _refusal(error: BaseException) -> ProtocolError:
    from server_core.wire_errors import rpc_error

    return rpc_error(error)
