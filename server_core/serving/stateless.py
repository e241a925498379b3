"""The stateless requests of one client: each says for itself who asks, and in which revision.

On a connection that one client has to itself an id is in use once; where each request brings an outlet of its own
(HTTP), clients do not know of each other's ids.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_REQUEST
from server_core.protocol.envelope import read_envelope
from server_core.protocol.jsonrpc import Request, RequestId
from server_core.serving.request_scheduler import RequestScheduler
from server_core.serving.session_info import SessionInfo
from server_core.serving.stateless_call import Exchange, Round, input_responses
from server_core.transports.channel import Outlet
from server_core.transports.source import Ongoing

if TYPE_CHECKING:
    from server_core.serving.server import Server


class StatelessRequests:
    """What one client asks without a session.

    Args:
        server: what serves it.
        facts: what is known of the client.
        work: keeps the tasks of its calls.
        outlet: leads to the client, where the connection is its own.
        principal: who the client has proved to be.
    """

    def __init__(
        self, server: "Server", facts: SessionInfo, work: RequestScheduler, outlet: Outlet, principal: str
    ) -> None:
        self._server = server
        self._facts = facts
        self._work = work
        self._outlet = outlet
        self._principal = principal
        self._rounds: dict[RequestId, Round] = {}

    def take(self, request: Request, seq: int) -> None:
        """Serve a request that came on the client's own connection.

        Args:
            request: what is asked.
            seq: the number of its record.
        """
        if request.id in self._rounds:
            refusal = f"Invalid request: id {request.id!r} is in use already"
            Round(request, seq, self._facts, self._outlet).refuse(ProtocolError(INVALID_REQUEST, refusal))
            return
        self.serve(request, seq, self._outlet, self._forget)

    def cancel(self, id: RequestId) -> None:
        """Stop a request that came on the client's own connection, if it is still to be answered."""
        if (round := self._rounds.get(id)) is not None:
            round.cancel()

    def serve(
        self, request: Request, seq: int, outlet: Outlet, on_closed: Callable[[Round], None] | None = None
    ) -> Ongoing:
        """Serve a request.

        Args:
            request: what is asked.
            seq: the number of its record.
            outlet: where everything goes that belongs to it.
            on_closed: called when nothing more belongs to it.
        """
        round = Round(request, seq, self._facts, outlet, on_closed)
        if on_closed is not None:
            self._rounds[request.id] = round
        try:
            envelope = round.envelope = read_envelope(request.params)
            brings_back = "requestState" in request.params
            state, waiting = self._server.rounds.find(request, self._principal) if brings_back else (None, None)
        except ProtocolError as error:
            round.refuse(error)
            return round
        self._facts.met(envelope.client, envelope.capabilities, envelope.revision.date)
        if waiting is not None:
            waiting.resume(round)
            return round
        answers = input_responses(request.params)
        if state is not None:
            answers = {**state.answers, **answers}
        Exchange(self._server, self._facts, self._work, round, answers, self._principal).begin()
        return round

    def _forget(self, round: Round) -> None:
        self._rounds.pop(round.request.id, None)
