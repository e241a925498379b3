"""One stateless call: its rounds, and what a running tool reaches its client through.

A round is one request of the client. When the tool asks something, the round is answered with `input_required`, and the
tool waits; the client comes back with a new request that holds the answers, which is the next round, and the tool
continues. Where the tool is gone by then it runs again from the start, and finds the answers that were given before.

Rule 1: everything here runs on the event loop's thread, and nothing but `request` and `drain` waits.
Rule 2: between two rounds nothing reaches the client; what the call comes to then is kept for the next round.
Rule 3: each round is answered once.

Source: 2026-07-28, basic/patterns, multi round-trip requests.
"""

import asyncio
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from server_core.errors import ContextError, ProtocolError
from server_core.execution.context.input_request_keys import InputRequestKeys
from server_core.protocol import jsonrpc
from server_core.protocol.codes import INTERNAL_ERROR, METHOD_NOT_FOUND
from server_core.protocol.encoding import encode_result
from server_core.protocol.envelope import SERVER_INFO, Envelope
from server_core.protocol.jsonrpc import Params, Request, RequestId
from server_core.protocol.methods import LOG_LEVELS, METHODS, Side, find_method
from server_core.protocol.revisions import Revision
from server_core.records.tap import Direction, Kind, call_name
from server_core.serving.method_table import STATELESS_ANSWERS, Answer
from server_core.serving.request_scheduler import Ended, RequestScheduler, Result
from server_core.serving.session_info import InFlight, SessionInfo
from server_core.transports.channel import Outlet

if TYPE_CHECKING:
    from server_core.serving.server import Server

PROGRESS = "notifications/progress"
LOG = "notifications/message"


class Round:
    """One request of a call, and where everything goes that belongs to it.

    Args:
        request: as it came.
        seq: the number of its record.
        facts: what is known of the session that it came in; they make the records.
        outlet: leads to its client.
        on_closed: called when nothing more belongs to it; only given where the client's other requests, too, are
            answered on this outlet.
    """

    envelope: Envelope

    def __init__(
        self,
        request: Request,
        seq: int,
        facts: SessionInfo,
        outlet: Outlet,
        on_closed: Callable[["Round"], None] | None = None,
    ) -> None:
        self.request = request
        self.facts = facts
        self.name = call_name(request.id, seq)
        """Names it in records: its id alone need not be the only one."""
        self.outlet = outlet
        self.is_open = True
        """It is still to be answered."""
        self.exchange: Exchange | None = None
        """The call that it belongs to."""
        self._on_closed = on_closed

    @property
    def shares_its_outlet(self) -> bool:
        """Whether other requests of the client are answered there as well."""
        return self._on_closed is not None

    def close(self) -> None:
        """Send nothing more that belongs to it; safe to call twice."""
        if self.is_open:
            self.is_open = False
            # The call knows its round: knowing each other, both would stay until the garbage collector comes.
            self.exchange = None
            if self._on_closed is not None:
                self._on_closed(self)

    def refuse(self, error: ProtocolError) -> None:
        """Answer with an error, because no call can be made of the request."""
        self.send(Kind.ERROR, jsonrpc.error(self.request.id, error.code, error.message, error.data), answer=True)

    def send(self, kind: Kind, data: bytes, *, answer: bool = False) -> None:
        """Record and send one message; the answer is the last one."""
        self.facts.record(kind, Direction.OUT, data, self.name)
        self.outlet.send(data, self.request.id, answer=answer)
        if answer:
            self.close()

    def cancel(self) -> None:
        """Stop the call, if the client still waits for this round: it has gone, or wants no answer any more."""
        if self.is_open and (exchange := self.exchange) is not None:
            if not self.shares_its_outlet:
                # No message says so: the client has closed the connection that was this round's alone.
                self.emit("call_abandoned")
            exchange.cancel()

    def emit(self, event: str, **facts: Any) -> None:
        """Record an event that belongs to it."""
        self.facts.emit(event, call=self.name, id=self.request.id, method=self.request.method, **facts)

    @property
    def progress_token(self) -> str | int | None:
        """The token for progress, if the client wants some."""
        token = self.request.params["_meta"].get("progressToken")
        return token if type(token) is str or type(token) is int else None


class Exchange:
    """One stateless call.

    Args:
        server: what serves it.
        facts: what is known of the client's session; they make the records.
        work: keeps its task.
        round: the first request.
        answers: what the client has answered before, by the key of each question.
        principal: who the client has proved to be.
    """

    answers_to = STATELESS_ANSWERS

    def __init__(
        self,
        server: "Server",
        facts: SessionInfo,
        work: RequestScheduler,
        round: Round,
        answers: dict[str, Any],
        principal: str = "",
    ) -> None:
        self.principal = principal
        self.answers: dict[str, Any] = {}
        """What the client has answered so far, by the key of each question."""
        self.request_id = round.request.id
        self._server = server
        self._facts = facts
        self._work = work
        self._in_flight: InFlight | None = None
        self._enter(round)
        self._given = answers
        self._asked: dict[str, tuple[Params, asyncio.Future[dict[str, Any]]]] = {}
        self._flushing = False
        self._unsent_logs = 0
        self._outcome: Result | BaseException | None = None

    @cached_property
    def _keys(self) -> InputRequestKeys:
        return InputRequestKeys()

    # From its beginning to its end.

    def begin(self) -> None:
        """Answer the first round, or begin to, when there is room for it."""
        if self._work.has_room or self._stays_open:
            self._begin_now()
            return
        self._in_flight = self._facts.started(self._round.request, self._round.name)
        self._work.wait(self._in_flight, self._begin_now)

    def resume(self, round: Round) -> None:
        """Take the client's next request, which holds answers."""
        self._emit_unsent_logs()
        self._enter(round)
        if self._outcome is not None:
            self._end(self._outcome)
            return
        if self._in_flight is not None:
            self._work.resume(self._in_flight)
        responses = input_responses(round.request.params)
        for key, (question, future) in self._asked.items():
            if not future.done() and (response := fitting(question, responses.get(key))) is not None:
                self.answers[key] = response
                future.set_result(response)
        # What is still open is asked again, once the tool has had its turn.
        self._flush_soon()

    def answer_now(self, result: Result, ended: Ended, *, related: RequestId) -> Callable[[], None]:
        """Answer before the call has ended, in this round or the next, and let the call go on for itself.

        Args:
            result: the answer.
            ended: told how the call ends.
            related: the id of the call.

        Returns:
            What stops the call.

        Raises:
            ContextError: while the client is asked something, since nobody would hear what it answers; or when the
                call was stopped.
        """
        if self._asked:
            raise ContextError("The call cannot go on for itself while its client is asked something.")
        if self._in_flight is None or self._in_flight.stopped:
            raise ContextError("The call is over.")
        stop = self._work.release(self._in_flight, ended)
        self._end(result)
        return stop

    def end_open_request(self, result: Result) -> None:
        """End a request of our own accord that stays open until either side ends it.

        Args:
            result: tells the client that this is no accident.

        Source: 2026-07-28, basic/patterns, subscriptions and cancellation: a result, and on a channel that the client
        cannot see the end of, a cancellation.
        """
        round = self._round
        self._end(result)
        if round.shares_its_outlet:
            told = {"requestId": round.request.id, "reason": "the server has ended it"}
            round.send(Kind.NOTIFICATION, jsonrpc.notification("notifications/cancelled", told))
        if self._in_flight is not None:
            self._work.stop(self._in_flight)

    def cancel(self) -> None:
        """Stop: the client has gone, or does not want the answer any more."""
        self._round.close()
        self._leave()
        if self._in_flight is not None:
            self._work.stop(self._in_flight)

    @property
    def facts(self) -> SessionInfo:
        """What is known of the client's session."""
        return self._facts

    @property
    def owner(self) -> str:
        """Who may see the tasks that the call makes."""
        from server_core.tasks.owners import stateless_owner

        return stateless_owner(self.principal)

    @property
    def can_resume(self) -> bool:
        """Whether it was not stopped meanwhile."""
        return self._in_flight is not None and self._in_flight.wanted

    # What a running tool sees.

    @property
    def capabilities(self) -> dict[str, Any]:
        """What the client said in its latest request that it can do."""
        return self._round.envelope.capabilities

    @property
    def client_info(self) -> dict[str, Any]:
        """How the client named itself in its latest request."""
        return self._round.envelope.client

    @property
    def session_key(self) -> str:
        """The key under which people find the call's client."""
        return self._facts.key

    @property
    def session_id(self) -> None:
        """None: there is no session."""
        return None

    @property
    def is_local(self) -> bool:
        """Whether whoever started the server has started the client as well, on the same machine."""
        return self._facts.is_local

    @property
    def log_level(self) -> str | None:
        """The least severe level that the latest request wants; None for no log messages."""
        return self._round.envelope.log_level

    def report(self, event: str, facts: dict[str, Any]) -> None:
        """Record for the author what the client is not told of a call."""
        self._round.facts.emit(event, call=self._round.name, **facts)

    async def request(
        self, method: str, params: Params, *, related: RequestId, timeout: float, key: str = ""
    ) -> dict[str, Any]:
        """Ask the client, and return its answer; see :meth:`ClientPort.request`."""
        called = METHODS[self._round.request.method]
        if not called.multi_round:
            raise ContextError(f"{method} cannot be asked while {called.name} is answered.")
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
        """Tell the client something, if one of its requests is open; log messages only from its level on."""
        if not self._round.is_open:
            self._unsent_logs += method == LOG and self._wants(params)
            return
        if method == PROGRESS:
            if (token := self._round.progress_token) is None:
                return
            params = {**params, "progressToken": token}
        if method == LOG and not self._wants(params):
            return
        if (chain := self._server.chain) is not None:
            chain.notify(self, method, params, related, self._notify)
        else:
            self._notify(method, params, related)

    @property
    def is_full(self) -> bool:
        """Whether the client has to take something before more should be sent."""
        return self._round.is_open and self._round.outlet.full

    async def drain(self) -> None:
        """Wait until the client has taken enough that more may be sent."""
        if self._round.is_open:
            await self._round.outlet.drain()

    def close_stream(self, *, related: RequestId, retry_ms: int) -> None:
        """Do nothing: without a session there is nothing to come back to."""

    # How.

    def _notify(self, method: str, params: Params, related: RequestId | None) -> None:
        if self._round.is_open:
            self._round.send(Kind.NOTIFICATION, jsonrpc.notification(method, params))

    def _enter(self, round: Round) -> None:
        self._round = round
        self.revision: Revision = round.envelope.revision
        """The revision of the latest request."""
        round.exchange = self
        if self._in_flight is not None:
            # What it prints from now on belongs to this request; the id of the last one is free again.
            self._in_flight.running.session, self._in_flight.running.name = round.facts.key, round.name

    def _begin_now(self) -> None:
        request = self._round.request
        try:
            answer = self._start(request)
        except Exception as error:
            self._end(error)
            return
        if isinstance(answer, dict | bytes):
            self._end(answer)
            return
        self._in_flight = self._in_flight or self._facts.started(request, self._round.name)
        self._work.run(self._in_flight, answer, self._end, standing=self._stays_open)

    @property
    def _stays_open(self) -> bool:
        method = METHODS.get(self._round.request.method)
        return method is not None and method.long_lived

    def _start(self, request: Request) -> Answer:
        if find_method(request.method, Side.SERVER, self.revision) is None:
            raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {request.method}")
        return self._server.answer(self, request)

    def _end(self, outcome: Result | BaseException) -> None:
        """Answer the round, or keep the answer for the next."""
        if not self._round.is_open:
            self._outcome = outcome
        elif isinstance(outcome, BaseException):
            self._fail(outcome)
        else:
            self._reply(outcome)
        self._leave()

    def _reply(self, result: Result) -> None:
        if not self._round.is_open:
            return
        id = self._round.request.id
        try:
            data = jsonrpc.response_encoded(id, self._stamped(result) if isinstance(result, dict) else result)
        except (TypeError, ValueError, RecursionError) as error:
            self._fail(ProtocolError(INTERNAL_ERROR, f"The result cannot be written as JSON: {error}"))
            return
        self._round.send(Kind.RESPONSE, data, answer=True)

    def _stamped(self, result: dict[str, Any]) -> bytes:
        """Return the JSON text of a result with what every one has in this revision; what it has itself wins."""
        if result and "resultType" not in result and "_meta" not in result:
            return b'{"resultType":"complete",%b,"_meta":%b}' % (
                encode_result(result)[1:-1],
                self._server.result_meta(self.revision),
            )
        info = {SERVER_INFO: self._server.info(self.revision)}
        return jsonrpc.encode({"resultType": "complete", **result, "_meta": {**info, **result.get("_meta", {})}})

    def _fail(self, error: BaseException) -> None:
        from server_core.execution.wire_errors import request_report, rpc_error

        if (report := request_report(error)) is not None:
            self._round.emit("request_failed", **report)
        self._round.refuse(rpc_error(error, self.revision))

    def _leave(self) -> None:
        self._emit_unsent_logs()
        if self._in_flight is not None:
            self._facts.ended(self._in_flight)

    def _emit_unsent_logs(self) -> None:
        """Record how many log messages no request was open for."""
        if self._unsent_logs:
            self._round.emit("logs_dropped", count=self._unsent_logs)
            self._unsent_logs = 0

    def _wants(self, log: Params) -> bool:
        if self.log_level is None:
            return False
        level = log.get("level")
        return level not in LOG_LEVELS or LOG_LEVELS.index(level) >= LOG_LEVELS.index(self.log_level)

    # Asking.

    def _flush_soon(self) -> None:
        # Behind what else is ready to run: questions that are asked at the same time go out together.
        if not self._flushing:
            self._flushing = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._flushing = False
        open_questions = {key: question for key, (question, future) in self._asked.items() if not future.done()}
        if not self._round.is_open or not open_questions:
            return
        try:
            state = self._server.rounds.suspend(self, self._round.request)
        except Exception as error:
            self._end(error)
            if self._in_flight is not None:
                self._work.stop(self._in_flight)
            return
        self._reply({"resultType": "input_required", "inputRequests": open_questions, "requestState": state})
        if self._in_flight is not None:
            self._work.pause(self._in_flight)


def input_responses(params: Params) -> dict[str, Any]:
    """Return the answers that a request holds, by the key of each question."""
    responses = params.get("inputResponses")
    return responses if isinstance(responses, dict) else {}


def fitting(question: Params, response: Any) -> dict[str, Any] | None:
    """Return what came back for a question; None when it can be no answer to it, and has to be asked for again.

    Args:
        question: its `method` and `params`, as they were sent.
        response: what came back.
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
