"""The stateless requests of one client: each names its client and its revision.

On a connection with a single client, an id may be in use only once. Where each request has its own outlet (HTTP),
clients are independent and may use the same ids.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_REQUEST
from server_core.protocol.envelope import read_envelope
from server_core.protocol.jsonrpc import Request, RequestId
from server_core.serving.request_scheduler import RequestScheduler
from server_core.serving.session_info import SessionInfo
from server_core.serving.stateless_call import RequestRound, StatelessCall, input_responses
from server_core.transports.channel import Outlet
from server_core.transports.source import RunningRequest

if TYPE_CHECKING:
    from server_core.serving.server import Server


class StatelessRequests:
    """The stateless requests of one client.

    Args:
        server: the server.
        facts: the data of its session.
        work: runs its calls.
        outlet: its outlet, where the client has its own connection.
        principal: the authenticated user.
    """

    def __init__(
        self, server: "Server", facts: SessionInfo, work: RequestScheduler, outlet: Outlet, principal: str
    ) -> None:
        self._server = server
        self._facts = facts
        self._work = work
        self._outlet = outlet
        self._principal = principal
        self._rounds: dict[RequestId, RequestRound] = {}

    def take(self, request: Request, seq: int) -> None:
        """Serve a request from the client's own connection.

        Args:
            request: the request.
            seq: the number of its record.
        """
        if request.id in self._rounds:
            refusal = f"Invalid request: id {request.id!r} is in use already"
            RequestRound(request, seq, self._facts, self._outlet).refuse(ProtocolError(INVALID_REQUEST, refusal))
            return
        self.serve(request, seq, self._outlet, self._forget)

    def cancel(self, request_id: RequestId) -> None:
        """Cancel a request from the client's own connection, if it is still open."""
        if (request_round := self._rounds.get(request_id)) is not None:
            request_round.cancel()

    def serve(
        self, request: Request, seq: int, outlet: Outlet, on_closed: Callable[[RequestRound], None] | None = None
    ) -> RunningRequest:
        """Serve a request.

        Args:
            request: the request.
            seq: the number of its record.
            outlet: where all messages that belong to it are sent.
            on_closed: called when the request is closed.
        """
        request_round = RequestRound(request, seq, self._facts, outlet, on_closed)
        if on_closed is not None:
            self._rounds[request.id] = request_round
        try:
            envelope = request_round.envelope = read_envelope(request.params)
            has_state = "requestState" in request.params
            state, waiting = self._server.suspended_calls.find(request, self._principal) if has_state else (None, None)
        except ProtocolError as error:
            request_round.refuse(error)
            return request_round
        self._facts.met(envelope.client, envelope.capabilities, envelope.revision.date)
        if waiting is not None:
            waiting.resume(request_round)
            return request_round
        answers = input_responses(request.params)
        if state is not None:
            answers = {**state.answers, **answers}
        StatelessCall(self._server, self._facts, self._work, request_round, answers, self._principal).begin()
        return request_round

    def _forget(self, request_round: RequestRound) -> None:
        self._rounds.pop(request_round.request.id, None)
