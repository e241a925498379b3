"""One stateless call: its request rounds, and the port through which a running tool reaches its client.

A round is one request of the client. When the tool needs input, the round is answered with `input_required`, and the
tool waits. The client sends a new request with its input responses, which is the next round, and the tool continues.
Where the tool is no longer running by then, it runs again from the start, with the responses so far.

Rule 1: everything here runs on the event loop's thread, and only `request` and `drain` wait.
Rule 2: between two rounds nothing is sent to the client; a result that is ready then is stored for the next round.
Rule 3: each round is answered once.

Source: 2026-07-28, basic/patterns, multi round-trip requests.
"""

import asyncio
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from server_core.errors import ContextError, ProtocolError
from server_core.execution.context.client_port import CallingClient, InputRequestKeys
from server_core.execution.running_calls import InFlight, RequestState
from server_core.protocol import jsonrpc
from server_core.protocol.codes import INTERNAL_ERROR, METHOD_NOT_FOUND
from server_core.protocol.envelope import SERVER_INFO, Envelope
from server_core.protocol.jsonrpc import Params, Request, RequestId
from server_core.protocol.methods import METHODS, Side, served_methods
from server_core.protocol.revisions import STATELESS_REVISIONS
from server_core.records.tap import Direction, Kind, call_name
from server_core.serving.method_table import STATELESS_METHODS
from server_core.serving.request_scheduler import Ended, RequestScheduler, Result
from server_core.serving.session_info import SessionInfo
from server_core.transports.channel import Outlet

if TYPE_CHECKING:
    from server_core.serving.server import Server

PROGRESS = "notifications/progress"
LOG = "notifications/message"
_SERVED = {date: served_methods(Side.SERVER, revision) for date, revision in STATELESS_REVISIONS.items()}


class RequestRound:
    """One request of a call, and where all messages that belong to it are sent.

    Args:
        request: the request, as received.
        seq: the number of its record.
        facts: the data of its session, which emits the records.
        outlet: its outlet.
        on_closed: called when the round is closed; only given where other requests of the client share the outlet.
    """

    envelope: Envelope

    def __init__(
        self,
        request: Request,
        seq: int,
        facts: SessionInfo,
        outlet: Outlet,
        on_closed: Callable[["RequestRound"], None] | None = None,
    ) -> None:
        self.request = request
        self.facts = facts
        self.name = call_name(request.id, seq)
        """Its name in records, since its id need not be unique."""
        self.outlet = outlet
        self.is_open = True
        """Whether it is not answered yet."""
        self.call: StatelessCall | None = None
        """The call that it belongs to."""
        self._on_closed = on_closed

    @property
    def shares_its_outlet(self) -> bool:
        """Whether other requests of the client use the same outlet."""
        return self._on_closed is not None

    def close(self) -> None:
        """Send no more messages that belong to it; safe to call twice."""
        if self.is_open:
            self.is_open = False
            # Break the reference cycle with the call, so that both are freed at once.
            self.call = None
            if self._on_closed is not None:
                self._on_closed(self)

    def refuse(self, error: ProtocolError) -> None:
        """Respond with an error."""
        self.send(Kind.ERROR, jsonrpc.error(self.request.id, error.code, error.message, error.data), answer=True)

    def send(self, kind: Kind, data: bytes, *, answer: bool = False) -> None:
        """Record and send one message; the response is the last."""
        self.facts.record(kind, Direction.OUT, data, self.name)
        self.outlet.send(data, self.request.id, answer=answer)
        if answer:
            self.close()

    def cancel(self) -> None:
        """Cancel the call if this round is open: the client has disconnected or cancelled it."""
        if self.is_open and (call := self.call) is not None:
            if not self.shares_its_outlet:
                # Recorded here, since there is no message: the client has closed the connection of this round.
                self.emit("call_abandoned")
            call.cancel()

    def emit(self, event: str, **facts: Any) -> None:
        """Record an event that belongs to it."""
        self.facts.emit(event, call=self.name, id=self.request.id, method=self.request.method, **facts)

    @property
    def progress_token(self) -> str | int | None:
        """The progress token; None when the client wants no progress."""
        token = self.request.params["_meta"].get("progressToken")
        return token if type(token) is str or type(token) is int else None


class StatelessCall:
    """One stateless call.

    Args:
        server: the server.
        facts: the data of the client's session, which emits the records.
        work: runs it.
        request_round: the first round.
        answers: the earlier input responses of the client, by key.
        principal: the authenticated user.
    """

    methods = STATELESS_METHODS

    def __init__(
        self,
        server: "Server",
        facts: SessionInfo,
        work: RequestScheduler,
        request_round: RequestRound,
        answers: dict[str, Any],
        principal: str = "",
    ) -> None:
        self._principal = principal
        self.answers: dict[str, Any] = {}
        """The input responses so far, by key."""
        self.request_id = request_round.request.id
        self._server = server
        self._facts = facts
        self._work = work
        self._in_flight: InFlight | None = None
        self._enter(request_round)
        self._given = answers
        self._asked: dict[str, tuple[Params, asyncio.Future[dict[str, Any]]]] = {}
        self._flushing = False
        self._unsent_logs = 0
        self._outcome: Result | BaseException | None = None

    @cached_property
    def _keys(self) -> InputRequestKeys:
        return InputRequestKeys()

    # Its life cycle.

    def begin(self) -> None:
        """Start the call, or queue it until there is room."""
        if self._work.has_room or self._stays_open:
            self._begin_now()
            return
        self._in_flight = self._facts.begin(self._round.request, self._round.name)
        self._work.wait(self._in_flight, self._begin_now)

    def resume(self, request_round: RequestRound) -> None:
        """Continue with the client's next request, which holds input responses."""
        self._emit_unsent_logs()
        self._enter(request_round)
        if self._outcome is not None:
            self._end(self._outcome)
            return
        if self._in_flight is not None:
            self._work.resume(self._in_flight)
        responses = input_responses(request_round.request.params)
        for key, (question, future) in self._asked.items():
            if not future.done() and (response := fitting(question, responses.get(key))) is not None:
                self.answers[key] = response
                future.set_result(response)
        # Input requests that are still open are sent again, after the tool has run.
        self._flush_soon()

    def answer_now(self, result: Result, ended: Ended, *, related: RequestId) -> Callable[[], None]:
        """Answer before the call has ended, in this round or the next; the call continues in the background.

        Args:
            result: the result for the client.
            ended: called with the final result or exception of the call.
            related: the id of the call.

        Returns:
            A function that stops the call.

        Raises:
            ContextError: while an input request is open, since its response could not be delivered; or when the call
                was stopped.
        """
        if self._asked:
            raise ContextError("The call cannot become a task while it waits for input from its client.")
        if self._in_flight is None or self._in_flight.state is RequestState.STOPPED:
            raise ContextError("The call is over.")
        stop = self._work.release(self._in_flight, ended)
        self._end(result)
        return stop

    def end_open_request(self, result: Result) -> None:
        """End a request that stays open until either side ends it.

        Args:
            result: shows the client that the end is intended.

        Source: 2026-07-28, basic/patterns, subscriptions and cancellation: a result, and also a cancellation on a
        channel that stays open after it.
        """
        request_round = self._round
        self._end(result)
        if request_round.shares_its_outlet:
            cancelled = {"requestId": request_round.request.id, "reason": "the server has ended it"}
            request_round.send(Kind.NOTIFICATION, jsonrpc.notification("notifications/cancelled", cancelled))
        if self._in_flight is not None:
            self._work.stop(self._in_flight)

    def cancel(self) -> None:
        """Cancel the call: the client has disconnected or cancelled it."""
        self._round.close()
        self._emit_unsent_logs()
        if self._in_flight is not None:
            self._work.stop(self._in_flight)

    @property
    def facts(self) -> SessionInfo:
        """The data of the client's session."""
        return self._facts

    @property
    def owner(self) -> str:
        """The owner of the tasks that the call creates."""
        from server_core.tasks.owners import stateless_owner

        return stateless_owner(self._principal)

    @property
    def can_resume(self) -> bool:
        """Whether it is still running, or its outcome is stored for the next round."""
        return self._in_flight is not None and self._in_flight.state is not RequestState.STOPPED

    # For running tools.

    def report(self, event: str, facts: dict[str, Any]) -> None:
        """Record an event of the call for the author; it is not sent to the client."""
        self._round.facts.emit(event, call=self._round.name, **facts)

    async def request(
        self, method: str, params: Params, *, related: RequestId, timeout: float, key: str = ""
    ) -> dict[str, Any]:
        """Send an input request to the client and return its response; see :meth:`ClientPort.request`."""
        called = METHODS[self._round.request.method]
        if not called.multi_round:
            raise ContextError(f"{method} cannot be sent while {called.name} is served.")
        question: Params = {"method": method, "params": params}
        key = self._keys.new(method, key)
        if (known := fitting(question, self._given.get(key))) is not None:
            self.answers[key] = known
            return known
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[key] = question, future
        self._flush_soon()
        try:
            async with asyncio.timeout(timeout):
                return await future
        except TimeoutError:
            raise ContextError(f"The client did not answer {method} within {timeout:g} s.") from None
        finally:
            del self._asked[key]

    def notify(self, method: str, params: Params, *, related: RequestId | None = None) -> None:
        """Send a notification if a round is open, except log messages below the client's level."""
        if not self._round.is_open:
            self._unsent_logs += method == LOG and self.client.wants_log(params.get("level"))
            return
        if method == PROGRESS:
            if (token := self._round.progress_token) is None:
                return
            params = {**params, "progressToken": token}
        if method == LOG and not self.client.wants_log(params.get("level")):
            return
        if (chain := self._server.chain) is not None:
            chain.notify(self, method, params, related, self._notify)
        else:
            self._notify(method, params, related)

    @property
    def is_full(self) -> bool:
        """Whether the send buffer is full, so that the caller should drain it first."""
        return self._round.is_open and self._round.outlet.full

    async def drain(self) -> None:
        """Wait until more may be sent."""
        if self._round.is_open:
            await self._round.outlet.drain()

    def close_stream(self, *, related: RequestId, retry_ms: int) -> None:
        """Do nothing: without a session, a closed stream cannot be resumed."""

    # Internals.

    def _notify(self, method: str, params: Params, related: RequestId | None) -> None:
        if self._round.is_open:
            self._round.send(Kind.NOTIFICATION, jsonrpc.notification(method, params))

    def _enter(self, request_round: RequestRound) -> None:
        self._round = request_round
        envelope, facts = request_round.envelope, self._facts
        self.client = CallingClient(
            facts.key,
            None,
            self._principal,
            facts.is_local,
            envelope.revision,
            envelope.capabilities,
            envelope.client,
            envelope.log_level,
        )
        """The client, as its latest request describes it."""
        request_round.call = self
        if self._in_flight is not None:
            # Later output belongs to this request; the id of the previous request may be reused.
            self._in_flight.session, self._in_flight.call = request_round.facts.key, request_round.name

    def _begin_now(self) -> None:
        request = self._round.request
        try:
            if request.method not in _SERVED[self.client.revision.date]:
                raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {request.method}")
            answer = self._server.answer(self, request)
        except Exception as error:
            self._end(error)
            return
        if isinstance(answer, dict | bytes):
            self._end(answer)
            return
        self._in_flight = self._in_flight or self._facts.begin(request, self._round.name)
        self._work.run(self._in_flight, answer, self._end, stays_open=self._stays_open)

    @property
    def _stays_open(self) -> bool:
        method = METHODS.get(self._round.request.method)
        return method is not None and method.long_lived

    def _end(self, outcome: Result | BaseException) -> None:
        """Answer the open round, or store the outcome for the next."""
        if not self._round.is_open:
            self._outcome = outcome
        elif isinstance(outcome, BaseException):
            self._fail(outcome)
        else:
            self._reply(outcome)
        self._emit_unsent_logs()

    def _reply(self, result: Result) -> None:
        if not self._round.is_open:
            return
        request_id = self._round.request.id
        try:
            data = jsonrpc.response_encoded(request_id, self._stamped(result) if isinstance(result, dict) else result)
        except ValueError as error:
            self._fail(ProtocolError(INTERNAL_ERROR, f"The result cannot be written as JSON: {error}"))
            return
        self._round.send(Kind.RESPONSE, data, answer=True)

    def _stamped(self, result: dict[str, Any]) -> bytes:
        """Return the JSON text of a result with the members common to all results; its own take precedence."""
        if result and "resultType" not in result and "_meta" not in result:
            return b'{"resultType":"complete",%b,"_meta":%b}' % (
                jsonrpc.encode_result(result)[1:-1],
                self._server.result_meta(self.client.revision),
            )
        info = {SERVER_INFO: self._server.info(self.client.revision)}
        return jsonrpc.encode({"resultType": "complete", **result, "_meta": {**info, **result.get("_meta", {})}})

    def _fail(self, error: BaseException) -> None:
        from server_core.execution.wire_errors import request_report, rpc_error

        if (report := request_report(error)) is not None:
            self._round.emit("request_failed", **report)
        self._round.refuse(rpc_error(error, self.client.revision))

    def _emit_unsent_logs(self) -> None:
        """Record how many log messages were dropped because no round was open."""
        if self._unsent_logs:
            self._round.emit("logs_dropped", count=self._unsent_logs)
            self._unsent_logs = 0

    # Input requests.

    def _flush_soon(self) -> None:
        # After the tasks that are ready to run, so that concurrent input requests are sent together.
        if not self._flushing:
            self._flushing = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._flushing = False
        open_questions = {key: question for key, (question, future) in self._asked.items() if not future.done()}
        if not self._round.is_open or not open_questions:
            return
        try:
            state = self._server.suspended_calls.suspend(self, self._round.request)
        except Exception as error:
            self._end(error)
            if self._in_flight is not None:
                self._work.stop(self._in_flight)
            return
        self._reply({"resultType": "input_required", "inputRequests": open_questions, "requestState": state})
        if self._in_flight is not None:
            self._work.pause(self._in_flight)


def input_responses(params: Params) -> dict[str, Any]:
    """Return the input responses of a request, by key."""
    responses = params.get("inputResponses")
    return responses if isinstance(responses, dict) else {}


def fitting(question: Params, response: Any) -> dict[str, Any] | None:
    """Return the response if it has the shape that the input request needs, else None.

    Args:
        question: the `method` and `params` of the input request.
        response: the response of the client.
    """
    if isinstance(response, dict) and _SHAPES[question["method"]](question["params"], response):
        return response
    return None


def _is_elicited(params: Params, response: dict[str, Any]) -> bool:
    action, content = response.get("action"), response.get("content")
    if action != "accept" or params.get("mode") == "url":
        return action in ("accept", "decline", "cancel")
    schema = params.get("requestedSchema", {})
    return isinstance(content, dict) and all(name in content for name in schema.get("required", ()))


def _is_message(params: Params, response: dict[str, Any]) -> bool:
    return isinstance(response.get("content"), dict | list)


def _is_roots(params: Params, response: dict[str, Any]) -> bool:
    return isinstance(response.get("roots"), list)


_SHAPES = {
    "elicitation/create": _is_elicited,
    "sampling/createMessage": _is_message,
    "roots/list": _is_roots,
}
