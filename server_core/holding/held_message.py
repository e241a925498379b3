"""One message that waits for an operator, and the states that it can reach.

    HELD -> DELAYED -> RELEASED | EDITED | DROPPED | DUPLICATED | ANSWERED | EXPIRED

A delayed message is released by itself after its time; until then everything can be done with it. The last six states
are final.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from server_core.holding.pending_requests import PendingRequest
from server_core.protocol.jsonrpc import RequestId
from server_core.records.interception import Passage
from server_core.records.tap import Direction, Record, call_name


class HoldState(StrEnum):
    """The state of a message that was held."""

    HELD = "held"
    DELAYED = "delayed"
    RELEASED = "released"
    EDITED = "edited"
    DROPPED = "dropped"
    DUPLICATED = "duplicated"
    ANSWERED = "answered"
    EXPIRED = "expired"


FINAL = frozenset(HoldState) - {HoldState.HELD, HoldState.DELAYED}
NEXT_STATES: dict[HoldState, frozenset[HoldState]] = {
    HoldState.HELD: FINAL | {HoldState.DELAYED},
    HoldState.DELAYED: FINAL | {HoldState.DELAYED},
    **{state: frozenset[HoldState]() for state in FINAL},
}
"""The states that can follow each state."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has set a filter: the operator, compared by identity, and what it is called; perhaps nothing."""

    operator: object
    name: str


@dataclass(slots=True, eq=False)
class HeldMessage:
    """A message that waits. Times are in seconds since the epoch."""

    record: Record
    data: bytes  # Not masked, unlike its record.
    passage: Passage
    request: PendingRequest | None  # The request that it is, that it answers, or during which it was sent.
    method: str  # Of that request, or of a notification; empty if unknown.
    holder: Holder
    state: HoldState = HoldState.HELD
    release_at: float | None = None  # If it is delayed.
    progress_sent: int = 0
    is_given_up: bool = False  # Whether the client has cancelled the request meanwhile.
    timers: dict[str, Callable[[], object]] = field(default_factory=dict)  # By purpose, what cancels each.

    @property
    def id(self) -> int:
        """What operators call it: the number of its record."""
        return self.record.seq

    @property
    def request_id(self) -> RequestId | None:
        """The id of the request that it is, or that it answers."""
        return None if self.request is None else self.request.request.id

    @property
    def client_waits(self) -> bool:
        """Whether the client waits for what it causes: it belongs to a request of the client."""
        return self.request is not None and self.request.record.direction is Direction.IN

    @property
    def call(self) -> str:
        """What records of the same call refer to it by: the name of the client's request; empty without one."""
        if self.record.call or self.request is None or not self.client_waits:
            return self.record.call
        return call_name(self.request.request.id, self.request.record.seq)

    def move(self, state: HoldState) -> None:
        """Enter the next state; the timers of a message that no longer waits are cancelled."""
        assert state in NEXT_STATES[self.state], (self.state, state)
        self.state = state
        if state in FINAL:
            for cancel in self.timers.values():
                cancel()
            self.timers.clear()

    def set_timer(self, purpose: str, cancel: Callable[[], object]) -> None:
        """Store what cancels a timer, and cancel the earlier timer for this purpose."""
        self.timers.pop(purpose, lambda: None)()
        self.timers[purpose] = cancel

    def describe(self, client_timeout: float, now: float) -> dict[str, Any]:
        """Return what operators see of it, as JSON; its text is in its record."""
        return {
            "id": self.id,
            "session": self.record.session,
            "direction": self.record.direction.value,
            "kind": self.record.kind.value,
            "method": self.method,
            "name": "" if self.request is None else self.request.name,
            "request_id": self.request_id,
            "size": len(self.data),
            "since": self.record.time,
            "state": self.state.value,
            "release_at": self.release_at,
            "seconds_left": self._seconds_left(client_timeout, now),
            "progress_sent": self.progress_sent,
            "cancelled": self.is_given_up,
            "answerable": self.passage.answer is not None,
            "held_by": self.holder.name,
        }

    def _seconds_left(self, client_timeout: float, now: float) -> float | None:
        """Return when the client is expected to give up, in seconds from now; None if it does not wait for this."""
        if self.request is None or not self.client_waits:
            return None
        if self.passage.is_terminal and self.request.request.method == "tools/call":
            return None
        return round(self.request.alive_at + client_timeout - now, 3)
