"""The stateless requests of one client: each names its client and its revision.

On a connection with a single client, an id may be in use only once. Where each request has its own outlet (HTTP),
clients are independent and may use the same ids.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from server_core.errors import ProtocolError
from server_core.protocol import jsonrpc
from server_core.protocol.codes import INVALID_REQUEST
from server_core.protocol.envelope import Envelope, read_envelope
from server_core.protocol.jsonrpc import Request, RequestId
from server_core.records.tap import Direction, Kind, call_name
from server_core.serving.call_inputs import input_responses
from server_core.serving.request_scheduler import RequestScheduler
from server_core.serving.session_info import SessionInfo
from server_core.serving.stateless_call import StatelessCall
from server_core.transports.channel import Outlet
from server_core.transports.source import RunningRequest

if TYPE_CHECKING:
    from server_core.records.interception import Passage
    from server_core.serving.server import Server


class RequestRound:
    """One request of a stateless call, and where all messages that belong to it are sent.

    `seq` is the number of its record. `on_closed` is called with its id when it is closed; it is only given where other
    requests of the client share the outlet.
    """

    envelope: Envelope

    def __init__(
        self,
        request: Request,
        seq: int,
        session_info: SessionInfo,
        outlet: Outlet,
        on_closed: Callable[[RequestId], object] | None = None,
    ) -> None:
        self.request = request
        self.session_info = session_info
        self.name = call_name(request.id, seq)
        """Its name in records, since its id need not be unique."""
        self.outlet = outlet
        self.is_open = True
        """Whether it is not answered yet."""
        self.call: StatelessCall | None = None
        self._on_closed = on_closed

    @property
    def shares_its_outlet(self) -> bool:
        """Whether other requests of the client use the same outlet."""
        return self._on_closed is not None

    @property
    def progress_token(self) -> str | int | None:
        """The progress token; None when the client wants no progress."""
        token = self.request.params["_meta"].get("progressToken")
        return token if type(token) is str or type(token) is int else None

    def send(self, kind: Kind, data: bytes, *, is_response: bool = False) -> None:
        """Record and send one message; the response is the last."""
        record = self.session_info.record(kind, Direction.OUT, data, self.name)
        if (interceptor := self.session_info.tap.interceptor) is None or not interceptor.take(
            record, data, partial(self._passage, is_response), None, self.request.id
        ):
            self._deliver(is_response, data)
        if is_response:
            self.close()

    def _deliver(self, is_response: bool, data: bytes) -> None:
        self.outlet.send(data, self.request.id, is_response=is_response)

    def _passage(self, is_response: bool) -> "Passage":
        """Return what can be done with a message that waits for an operator."""
        from server_core.records.interception import Passage

        return Passage(
            deliver=partial(self._deliver, is_response),
            notify=self._notify,
            is_last=is_response and self.session_info.transport == "http",
            is_terminal=self.session_info.is_terminal,
        )

    def _notify(self, data: bytes) -> None:
        self.session_info.record(Kind.NOTIFICATION, Direction.OUT, data, self.name)
        self._deliver(False, data)

    def refuse(self, error: ProtocolError) -> None:
        """Respond with an error."""
        self.send(Kind.ERROR, jsonrpc.error(self.request.id, error.code, error.message, error.data), is_response=True)

    def emit(self, event: str, **fields: Any) -> None:
        """Record an event that belongs to it."""
        self.session_info.emit(event, call=self.name, id=self.request.id, method=self.request.method, **fields)

    def cancel(self) -> None:
        """Cancel the call if this round is open: the client has disconnected or cancelled it."""
        if not self.shares_its_outlet:
            self.session_info.expire_held(self.name)
        if self.is_open and (call := self.call) is not None:
            if not self.shares_its_outlet:
                # Recorded here, since there is no message: the client has closed the connection of this round.
                self.emit("call_abandoned")
            call.cancel()

    def close(self) -> None:
        """Send no more messages that belong to it; safe to call twice."""
        if self.is_open:
            self.is_open = False
            # Break the reference cycle with the call, so that both are freed at once.
            self.call = None
            if self._on_closed is not None:
                self._on_closed(self.request.id)


class StatelessRequests:
    """The stateless requests of one client; the outlet is that of its own connection."""

    def __init__(
        self,
        server: "Server",
        session_info: SessionInfo,
        scheduler: RequestScheduler,
        outlet: Outlet,
        principal: str,
    ) -> None:
        self._server = server
        self._info = session_info
        self._scheduler = scheduler
        self._outlet = outlet
        self._principal = principal
        # The open requests from the client's own connection.
        self._rounds: dict[RequestId, RequestRound] = {}

    def receive(self, request: Request, seq: int) -> None:
        """Serve a request from the client's own connection; `seq` is the number of its record."""
        if request.id in self._rounds:
            refusal = f"Invalid request: id {request.id!r} is in use already"
            RequestRound(request, seq, self._info, self._outlet).refuse(ProtocolError(INVALID_REQUEST, refusal))
            return
        request_round = RequestRound(request, seq, self._info, self._outlet, self._rounds.pop)
        self._rounds[request.id] = request_round
        self._serve(request_round)

    def serve(self, request: Request, seq: int, outlet: Outlet) -> RunningRequest:
        """Serve a request that has its own outlet; `seq` is the number of its record."""
        request_round = RequestRound(request, seq, self._info, outlet)
        self._serve(request_round)
        return request_round

    def cancel(self, request_id: RequestId) -> None:
        """Cancel a request from the client's own connection, if it is still open."""
        if (request_round := self._rounds.get(request_id)) is not None:
            request_round.cancel()

    def _serve(self, request_round: RequestRound) -> None:
        params = request_round.request.params
        state, suspended = None, None
        try:
            envelope = request_round.envelope = read_envelope(params)
            if "requestState" in params:
                state, suspended = self._server.suspended_calls.find(request_round.request, self._principal)
        except ProtocolError as error:
            request_round.refuse(error)
            return
        self._info.set_client(envelope.client, envelope.capabilities, envelope.revision.date)
        if suspended is not None:
            suspended.resume(request_round)
            return
        responses = {} if state is None else state.responses
        if "inputResponses" in params:
            responses = {**responses, **input_responses(params)}
        StatelessCall(self._server, self._info, self._scheduler, request_round, responses, self._principal).begin()
