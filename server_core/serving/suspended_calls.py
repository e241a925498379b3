"""The stateless calls that wait for input from their client.

Rule 1: a call is suspended until its state expires. The number of suspended calls and their total size are limited:
beyond that, the oldest call is stopped, and runs again from the start when its client retries.
Rule 2: when a suspended call ends, its outcome is stored for the retry.
"""

import asyncio
import json
import os
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from server_core.protocol.jsonrpc import Request
from server_core.serving.session_info import SessionInfo
from server_core.settings import Settings

if TYPE_CHECKING:
    from server_core.serving.request_state import CallState, RequestStates
    from server_core.serving.stateless_call import StatelessCall

MAX_BYTES = 32 * 1024 * 1024
"""The maximum total size of the requests of all suspended calls, as JSON."""


class _Suspended(NamedTuple):
    call: "StatelessCall"
    expiry: asyncio.TimerHandle
    size: int


class SuspendedCalls:
    """The suspended calls of one server."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._calls: dict[str, _Suspended] = {}
        self._size = 0

    @cached_property
    def _states(self) -> "RequestStates":
        # Imported with the first suspended call, since few servers have one.
        from server_core.serving.request_state import RequestStates

        return RequestStates(self._settings)

    def __len__(self) -> int:
        return len(self._calls)

    def suspend(self, call: "StatelessCall", request: Request) -> str:
        """Suspend a call until its client retries, and return the `requestState` for the response to its request."""
        from server_core.serving.request_state import CallState

        size = len(json.dumps(request.params))
        most = self._settings.max_waiting_calls
        while self._calls and (len(self._calls) >= most or self._size + size > MAX_BYTES):
            self._stop(next(iter(self._calls)))
        call_id = os.urandom(16).hex()
        state = self._states.seal(request, call.client.principal, CallState(call_id, call.used_responses))
        expiry = asyncio.get_running_loop().call_later(self._settings.input_seconds, self._stop, call_id)
        self._calls[call_id] = _Suspended(call, expiry, size)
        self._size += size
        return state

    def find(self, request: Request, principal: str) -> "tuple[CallState | None, StatelessCall | None]":
        """Return the contents of a request's state, valid or ProtocolError, and the call to resume, if suspended."""
        state = self._states.open(request, principal)
        if state is None or state.id not in self._calls:
            return state, None
        call = self._remove(state.id)
        return state, call if call.can_resume else None

    def calls_of(self, session_info: SessionInfo) -> "list[StatelessCall]":
        """Return the suspended calls of this session, oldest first."""
        return [suspended.call for suspended in self._calls.values() if suspended.call.session_info is session_info]

    def drop(self, session_info: SessionInfo) -> None:
        """Stop the suspended calls of this session."""
        for call in self.calls_of(session_info):
            self.stop(call)

    def stop(self, call: "StatelessCall") -> None:
        """Stop a suspended call."""
        for call_id in [call_id for call_id, suspended in self._calls.items() if suspended.call is call]:
            self._stop(call_id)

    def _stop(self, call_id: str) -> None:
        self._remove(call_id).cancel()

    def _remove(self, call_id: str) -> "StatelessCall":
        call, expiry, size = self._calls.pop(call_id)
        expiry.cancel()
        self._size -= size
        return call
