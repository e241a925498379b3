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
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from server_core.errors import ContextError, ProtocolError
from server_core.execution.context.client_port import CallingClient, ClientPort
from server_core.execution.running_calls import InFlight, RequestState
from server_core.protocol import jsonrpc
from server_core.protocol.codes import INTERNAL_ERROR, METHOD_NOT_FOUND
from server_core.protocol.envelope import SERVER_INFO
from server_core.protocol.jsonrpc import Params, RequestId
from server_core.protocol.methods import Side, served_methods
from server_core.protocol.revisions import STATELESS_REVISIONS
from server_core.records.tap import Kind
from server_core.serving.call_inputs import CallInputs, input_responses
from server_core.serving.method_table import STATELESS_METHODS
from server_core.serving.request_scheduler import Ended, RequestScheduler, Result
from server_core.serving.session_info import SessionInfo
from server_core.transports.open_questions import ANSWERED_EVENT, Answer, OpenQuestion

if TYPE_CHECKING:
    from server_core.serving.server import Server
    from server_core.serving.stateless import RequestRound

PROGRESS = "notifications/progress"
LOG = "notifications/message"
_SERVED = {date: served_methods(Side.SERVER, revision) for date, revision in STATELESS_REVISIONS.items()}


class StatelessCall(ClientPort):
    """One stateless call, and the port of its tool.

    `responses` are the input responses of the client so far, by key. The principal is the authenticated user, if any.
    """

    methods = STATELESS_METHODS

    def __init__(
        self,
        server: "Server",
        session_info: SessionInfo,
        scheduler: RequestScheduler,
        request_round: "RequestRound",
        responses: dict[str, Any],
        principal: str = "",
    ) -> None:
        self.session_info = session_info
        self.request_id = request_round.request.id
        """The id of its first request."""
        self._server = server
        self._scheduler = scheduler
        self._principal = principal
        self._in_flight: InFlight | None = None
        self._enter(request_round)
        # None where the revision has no such method. All rounds have the same method, since the state is bound to it.
        self._method = _SERVED[self.client.revision.date].get(request_round.request.method)
        self._stays_open = self._method is not None and self._method.long_lived
        self._earlier_responses = responses
        self._is_flush_scheduled = False
        self._unsent_logs = 0
        # Set when the call ends between two rounds.
        self._outcome: Result | BaseException | None = None

    @cached_property
    def _input_requests(self) -> CallInputs:
        # Created with the first of them, since most calls have none.
        return CallInputs(self._earlier_responses, self._report_expired)

    @property
    def used_responses(self) -> dict[str, Any]:
        """The input responses that the tool has used, by key."""
        return self._input_requests.used

    # Its life cycle.

    def begin(self) -> None:
        """Start the call, or queue it until there is room."""
        if self._scheduler.has_room or self._stays_open:
            self._begin_now()
            return
        self._in_flight = self.session_info.begin(self._round.request, self._round.name)
        self._scheduler.wait(self._in_flight, self._begin_now)

    def resume(self, request_round: "RequestRound") -> None:
        """Continue with the client's next request, which holds input responses."""
        self._emit_unsent_logs()
        self._enter(request_round)
        if self._outcome is not None:
            self._end(self._outcome)
            return
        if self._in_flight is not None:
            self._scheduler.resume(self._in_flight)
        self._input_requests.receive(input_responses(request_round.request.params))
        # Input requests that are still open are sent again, after the tool has run.
        self._flush_soon()

    def answer_now(self, result: Result, ended: Ended, *, related: RequestId) -> Callable[[], None]:
        """Answer before the end, in this round or the next; ContextError while an input request is open, or stopped."""
        if self._input_requests.are_open:
            raise ContextError("The call cannot become a task while it waits for input from its client.")
        if self._in_flight is None or self._in_flight.state is RequestState.STOPPED:
            raise ContextError("The call is over.")
        stop = self._scheduler.release(self._in_flight, ended)
        self._end(result)
        return stop

    def end_open_request(self, result: Result) -> None:
        """End a request that stays open until either side ends it; the result shows that the end is intended.

        Source: 2026-07-28, basic/patterns, subscriptions and cancellation: a result, and also a cancellation on a
        channel that stays open after it.
        """
        request_round = self._round
        self._end(result)
        if request_round.shares_its_outlet:
            cancelled = {"requestId": request_round.request.id, "reason": "the server has ended it"}
            request_round.send(Kind.NOTIFICATION, jsonrpc.notification("notifications/cancelled", cancelled))
        if self._in_flight is not None:
            self._scheduler.stop(self._in_flight)

    def cancel(self) -> None:
        """Cancel the call: the client has disconnected or cancelled it."""
        self._round.close()
        self._emit_unsent_logs()
        if self._in_flight is not None:
            self._scheduler.stop(self._in_flight)

    @property
    def owner(self) -> str:
        """The owner of the tasks that the call creates."""
        from server_core.tasks.task import stateless_owner

        return stateless_owner(self._principal)

    @property
    def can_resume(self) -> bool:
        """Whether it is still running, or its outcome is stored for the next round."""
        return self._in_flight is not None and self._in_flight.state is not RequestState.STOPPED

    # For running tools.

    def report(self, event: str, fields: dict[str, Any]) -> None:
        """Record an event of the call for the author; it is not sent to the client."""
        self._round.session_info.emit(event, call=self._round.name, **fields)

    async def request(
        self, method: str, params: Params, *, related: RequestId, timeout: float, key: str = ""
    ) -> dict[str, Any]:
        if self._method is None or not self._method.multi_round:
            raise ContextError(f"{method} cannot be sent while {self._round.request.method} is served.")
        return await self._input_requests.send(method, params, key, timeout, self._flush_soon)

    def notify(self, method: str, params: Params, *, related: RequestId | None = None) -> None:
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
    def is_reachable(self) -> bool:
        return self._round.is_open

    @property
    def is_full(self) -> bool:
        return self._round.is_open and self._round.outlet.full

    async def drain(self) -> None:
        if self._round.is_open:
            await self._round.outlet.drain()

    # Internals.

    def _notify(self, method: str, params: Params, related: RequestId | None) -> None:
        # Middleware may pass a notification on after the round is answered.
        if self._round.is_open:
            self._round.send(Kind.NOTIFICATION, jsonrpc.notification(method, params))

    def _enter(self, request_round: "RequestRound") -> None:
        self._round = request_round
        envelope, session_info = request_round.envelope, self.session_info
        self.client = CallingClient(
            session_info.key,
            None,
            self._principal,
            session_info.is_local,
            envelope.revision,
            envelope.capabilities,
            envelope.client,
            envelope.log_level,
        )
        """The client, as its latest request describes it."""
        request_round.call = self
        if self._in_flight is not None:
            # Later output belongs to this request; the id of the previous request may be reused.
            self._in_flight.session, self._in_flight.call = request_round.session_info.key, request_round.name

    def _begin_now(self) -> None:
        request = self._round.request
        try:
            if self._method is None:
                raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {request.method}")
            answer = self._server.answer(self, request)
        except Exception as error:
            self._end(error)
            return
        if isinstance(answer, dict | bytes):
            self._end(answer)
            return
        self._in_flight = self._in_flight or self.session_info.begin(request, self._round.name)
        self._scheduler.run(self._in_flight, answer, self._end, stays_open=self._stays_open)

    def _end(self, outcome: Result | BaseException) -> None:
        """Answer the open round, or store the outcome for the next."""
        if not self._round.is_open:
            self._outcome = outcome
            self._emit_unsent_logs()
        elif isinstance(outcome, BaseException):
            self._fail(outcome)
        else:
            self._respond(outcome)

    def _respond(self, result: Result) -> None:
        try:
            text = self._encode(result) if isinstance(result, dict) else result
        except ValueError as error:
            self._fail(ProtocolError(INTERNAL_ERROR, f"The result cannot be written as JSON: {error}"))
            return
        self._round.send(Kind.RESPONSE, jsonrpc.response_encoded(self._round.request.id, text), is_response=True)

    def _encode(self, result: dict[str, Any]) -> bytes:
        """Return the JSON text of a result with the members common to all results; its own take precedence."""
        if result and "resultType" not in result and "_meta" not in result:
            return b'{"resultType":"complete",%b,"_meta":%b}' % (
                jsonrpc.encode_result(result)[1:-1],
                self._server.result_metas[self.client.revision.date],
            )
        info = {SERVER_INFO: self._server.info(self.client.revision)}
        return jsonrpc.encode({"resultType": "complete", **result, "_meta": {**info, **result.get("_meta", {})}})

    def _fail(self, error: BaseException) -> None:
        # Imported with the first failure, since the answer to the first request must not wait for it.
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

    def questions(self) -> Iterator[OpenQuestion]:
        """Yield the input requests that its client was asked, which another may answer."""
        name = "" if self._in_flight is None else self._in_flight.name
        for key, request in self._input_requests.unprepared.items():
            yield OpenQuestion(
                key,
                self.request_id,
                name,
                request.wire["method"],
                request.wire["params"],
                answer=partial(self._answer_elsewhere, key),
                asked=request.sent,
                end=partial(self._give_up, key),
                set_aside=partial(self._set_aside, key),
            )

    def _answer_elsewhere(self, key: str, answer: Answer) -> bool:
        if not self._input_requests.answer(key, answer):
            return False
        # Between two rounds nothing is sent; a terminal reads the event, and sends the next round.
        self.session_info.emit(ANSWERED_EVENT, call=self._round.name, id=self.request_id, key=key)
        return True

    def _set_aside(self, key: str) -> None:
        """Note that the client has a response, and sends it once it has those to the other requests."""
        if self._input_requests.prepare(key):
            self.session_info.emit("input_response_prepared", call=self._round.name, id=self.request_id, key=key)

    def _give_up(self, key: str) -> None:
        """Stop the call: its client has refused an input request, or cancelled the call between two rounds."""
        self._server.suspended_calls.stop(self)
        self._emit_expired(key)

    def _report_expired(self, key: str) -> None:
        """Record that the tool no longer waits for input that its client was asked for, which cannot be notified."""
        # A stopped call runs again from its start, so that a late response has an effect.
        if self.can_resume and not self._round.is_open:
            self._emit_expired(key)

    def _emit_expired(self, key: str) -> None:
        self.session_info.emit("input_request_expired", call=self._round.name, id=self.request_id, key=key)

    def _flush_soon(self) -> None:
        # After the tasks that are ready to run, so that concurrent input requests are sent together.
        if not self._is_flush_scheduled:
            self._is_flush_scheduled = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._is_flush_scheduled = False
        unanswered = self._input_requests.unanswered
        if not self._round.is_open or not unanswered:
            return
        try:
            state = self._server.suspended_calls.suspend(self, self._round.request)
        except Exception as error:
            self._end(error)
            if self._in_flight is not None:
                self._scheduler.stop(self._in_flight)
            return
        self._respond({"resultType": "input_required", "inputRequests": unanswered, "requestState": state})
        if self._in_flight is not None:
            self._scheduler.pause(self._in_flight)
