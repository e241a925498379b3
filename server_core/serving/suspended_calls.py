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
    from server_core.serving.request_state import RequestStates, WaitingCall
    from server_core.serving.stateless_call import StatelessCall

MAX_BYTES = 32 * 1024 * 1024
"""The maximum total size of the requests of all suspended calls, as JSON."""


class _Waiting(NamedTuple):
    call: "StatelessCall"
    timer: asyncio.TimerHandle
    size: int


class SuspendedCalls:
    """The suspended calls of one server.

    Args:
        settings: how many calls may be suspended, and for how long.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._most = settings.max_waiting_calls
        self._seconds = settings.input_seconds
        self._waiting: dict[str, _Waiting] = {}
        self._size = 0

    @cached_property
    def _states(self) -> "RequestStates":
        """Signs and verifies states; imported for the first suspended call, since few servers have one."""
        from server_core.serving.request_state import RequestStates

        return RequestStates(self._settings)

    def __len__(self) -> int:
        return len(self._waiting)

    def suspend(self, call: "StatelessCall", request: Request) -> str:
        """Suspend a call until its client retries, and return the `requestState` for it.

        Args:
            call: the call.
            request: the request that is answered with the state.
        """
        from server_core.serving.request_state import WaitingCall

        size = len(json.dumps(request.params))
        while self._waiting and (len(self._waiting) >= self._most or self._size + size > MAX_BYTES):
            self._give_up(next(iter(self._waiting)))
        call_id = os.urandom(16).hex()
        state = self._states.seal(request, call.client.principal, WaitingCall(call_id, call.answers))
        timer = asyncio.get_running_loop().call_later(self._seconds, self._give_up, call_id)
        self._waiting[call_id] = _Waiting(call, timer, size)
        self._size += size
        return state

    def find(self, request: Request, principal: str) -> "tuple[WaitingCall | None, StatelessCall | None]":
        """Return the contents of a request's state, and the call that waits for it, if it is still suspended.

        Raises:
            ProtocolError: when the state is not valid.
        """
        state = self._states.open(request, principal)
        if state is None:
            return None, None
        if state.id not in self._waiting:
            return state, None
        call = self._take(state.id)
        return state, call if call.can_resume else None

    def drop(self, facts: SessionInfo) -> None:
        """Stop the suspended calls of this session."""
        for call_id in [call_id for call_id, waiting in self._waiting.items() if waiting.call.facts is facts]:
            self._give_up(call_id)

    def _give_up(self, call_id: str) -> None:
        self._take(call_id).cancel()

    def _take(self, call_id: str) -> "StatelessCall":
        call, timer, size = self._waiting.pop(call_id)
        timer.cancel()
        self._size -= size
        return call
