"""The stateless calls that wait for their client to come back with input.

Rule 1: a call that waits is kept for as long as its state holds, and there is a bound to how many are, and to how much
they hold: the one that has waited longest is stopped first, and runs again from the start when its client comes back
after all.
Rule 2: what a call comes to while nobody asks is kept as well, for the retry that asks for it.
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
    from server_core.serving.stateless_call import Exchange

MOST_BYTES = 32 * 1024 * 1024
"""How long the requests of all calls that wait may be together, as JSON."""


class _Waiting(NamedTuple):
    exchange: "Exchange"
    timer: asyncio.TimerHandle
    size: int


class Rounds:
    """The waiting calls of one server.

    Args:
        settings: how many may wait, and for how long.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._most = settings.max_waiting_calls
        self._seconds = settings.input_seconds
        self._waiting: dict[str, _Waiting] = {}
        self._size = 0

    @cached_property
    def _states(self) -> "RequestStates":
        """Seals and opens what clients keep; loaded for the first call that waits, since few servers have one."""
        from server_core.serving.request_state import RequestStates

        return RequestStates(self._settings)

    def __len__(self) -> int:
        return len(self._waiting)

    def suspend(self, exchange: "Exchange", request: Request) -> str:
        """Keep a call until its client comes back, and return the `requestState` for it.

        Args:
            exchange: the call.
            request: the one that is answered with the state.
        """
        from server_core.serving.request_state import WaitingCall

        size = len(json.dumps(request.params))
        while self._waiting and (len(self._waiting) >= self._most or self._size + size > MOST_BYTES):
            self._give_up(next(iter(self._waiting)))
        id = os.urandom(16).hex()
        state = self._states.seal(request, exchange.principal, WaitingCall(id, exchange.answers))
        timer = asyncio.get_running_loop().call_later(self._seconds, self._give_up, id)
        self._waiting[id] = _Waiting(exchange, timer, size)
        self._size += size
        return state

    def find(self, request: Request, principal: str) -> "tuple[WaitingCall | None, Exchange | None]":
        """Return what a request brings back, and the call that waits for it, if that is still there.

        Raises:
            ProtocolError: when what it brings back cannot be used.
        """
        state = self._states.open(request, principal)
        if state is None:
            return None, None
        if state.id not in self._waiting:
            return state, None
        exchange = self._take(state.id)
        return state, exchange if exchange.can_resume else None

    def drop(self, facts: SessionInfo) -> None:
        """Stop what waits for the client of this session, which has gone."""
        for id in [id for id, one in self._waiting.items() if one.exchange.facts is facts]:
            self._give_up(id)

    def _give_up(self, id: str) -> None:
        self._take(id).cancel()

    def _take(self, id: str) -> "Exchange":
        exchange, timer, size = self._waiting.pop(id)
        timer.cancel()
        self._size -= size
        return exchange
