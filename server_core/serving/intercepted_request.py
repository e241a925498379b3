"""A stateless request with an outlet of its own, which may wait for an operator before it is served."""

from collections.abc import Callable

from server_core.protocol import jsonrpc
from server_core.protocol.codes import INVALID_REQUEST
from server_core.protocol.jsonrpc import MalformedMessage, Request
from server_core.records.interception import Interceptor, Passage
from server_core.records.tap import KINDS, Direction, Record, call_name
from server_core.serving.session_info import SessionInfo
from server_core.transports.channel import Outlet
from server_core.transports.source import RunningRequest

Serve = Callable[[Request, int, Outlet], RunningRequest]
"""Serves a request, given the number of its record and its outlet."""


class InterceptedRequest:
    """A request that was offered to an interceptor; a :class:`RunningRequest` whether it is served already or not."""

    def __init__(
        self, info: SessionInfo, record: Record, data: bytes, request: Request, outlet: Outlet, serve: Serve
    ) -> None:
        self._info = info
        self._record = record
        self._data = data
        self._request = request
        self._outlet = outlet
        self._serve = serve
        self._name = call_name(request.id, record.seq)
        self._running: list[RunningRequest] = []

    def offer(self, interceptor: Interceptor) -> RunningRequest:
        """Serve it, unless the interceptor takes it; return what cancels it."""
        if not interceptor.take(self._record, self._data, self._passage, self._request):
            return self._serve(self._request, self._record.seq, self._outlet)
        return self

    def cancel(self) -> None:
        """Cancel it: the client has disconnected."""
        self._info.expire_held(self._name)
        for running in self._running:
            running.cancel()

    def _passage(self) -> Passage:
        return Passage(
            deliver=self._deliver,
            answer=lambda data: self._send(data, is_response=True),
            notify=lambda data: self._send(data, is_response=False),
            is_terminal=self._info.is_terminal,
        )

    def _deliver(self, data: bytes) -> None:
        message = jsonrpc.parse(data)
        if isinstance(message, Request):
            # More than once if an operator has duplicated it.
            self._running.append(self._serve(message, self._record.seq, self._outlet))
            return
        # As the transport would answer it.
        code, reason = INVALID_REQUEST, "Invalid request: without a session only requests can be sent"
        if isinstance(message, MalformedMessage):
            code, reason = message.code, message.message
        self._send(jsonrpc.error(self._request.id, code, reason), is_response=True)

    def _send(self, data: bytes, *, is_response: bool) -> None:
        self._info.record(KINDS[type(jsonrpc.parse(data))], Direction.OUT, data, self._name)
        self._outlet.send(data, self._request.id, is_response=is_response)
