"""Which messages wait, and what happens to them: decisions without I/O; timers and deliveries are given by callers.

Rule 1: nothing is held without an operator: when one leaves, the messages that its filters hold are released, in
their order; when the last one leaves, all are.
Rule 2: the first verb on a message decides; a later verb gets an error that names the first.
Rule 3: messages and bytes are limited; beyond a limit messages pass, and an event states it once.
Rule 4: a message whose client has gone expires: it is not delivered.
Rule 5: what arrived and what was passed on are separate records, and the event of the change names both.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, TypeAlias

from server_core.errors import ConfigurationError
from server_core.holding.edits import edited_bytes
from server_core.holding.held_message import HeldMessage, Holder, HoldState
from server_core.holding.matcher import Matcher
from server_core.holding.pending_requests import PendingRequest, PendingRequests
from server_core.protocol import jsonrpc
from server_core.protocol.jsonrpc import Message, Notification, Request, RequestId
from server_core.records.interception import Passage
from server_core.records.tap import KINDS, Direction, Kind, Record, Tap

MAX_HELD = 200
MAX_HELD_BYTES = 32 * 1024 * 1024
MAX_RESOLVED = 500
"""How many decisions are stored, for the errors of later verbs on the same messages."""
MAX_COPIES = 100
MAX_DELAY_MS = 3_600_000
CLIENT_TIMEOUT = 60.0
"""The seconds after which a client is expected to give up: the default of the official TypeScript SDK."""
PROGRESS_INTERVALS = 3
"""How often a client is sent progress within its timeout."""
PROGRESS_STEP = 0.0001
"""What the progress increases by while the tool may still report its own, which must exceed it (see the specification,
basic/utilities/progress). A tool that counts from 0.1 can be held for hours, and one that counts from 1 for days."""
KEPT_ALIVE = "kept alive"
"""The message of such progress."""

Later: TypeAlias = Callable[[float, Callable[[], None]], Callable[[], object]]
"""Calls a function after so many seconds; returns what cancels that."""
Operator: TypeAlias = object
"""Who may decide; compared by identity."""

_HOLDABLE = frozenset({Kind.REQUEST, Kind.RESPONSE, Kind.NOTIFICATION, Kind.ERROR})


class Holds:
    """The hold of one core and its held messages; the :class:`Interceptor` of its tap while it is in use."""

    def __init__(self, tap: Tap, later: Later, clock: Callable[[], float] = time.time) -> None:
        self.filter: str | None = None
        """The text of the filter; None while no messages are to be held."""
        self.client_timeout = CLIENT_TIMEOUT
        self._tap = tap
        self._later = later
        self._clock = clock
        self._matcher: Matcher | None = None
        self._holder: Holder | None = None
        self._operators: set[Operator] = set()
        self._requests = PendingRequests()
        self._held: dict[int, HeldMessage] = {}
        self._bytes = 0
        self._is_limit_reported = False
        self._resolved: OrderedDict[int, tuple[str, float]] = OrderedDict()

    # Operators.

    def attach(self, operator: Operator) -> None:
        """Register an operator."""
        self._operators.add(operator)

    def detach(self, operator: Operator) -> None:
        """Unregister an operator: its filter is cleared, and the messages that its filters hold are released."""
        self._operators.discard(operator)
        if not self._operators:
            self.clear("the last operator has left")
            return
        reason = "its operator has left"
        if self._holder is not None and operator is self._holder.operator:
            self._set_filter(None, None, None)
            self._tap.emit_event("hold_cleared", reason=reason)
        self._release_all([held for held in self._held.values() if held.holder.operator is operator], reason)

    def set(
        self,
        operator: Operator,
        text: str,
        matcher: Matcher,
        records: Iterable[Record],
        client_timeout: float = CLIENT_TIMEOUT,
        name: str = "",
    ) -> None:
        """Hold the messages that match from now on, instead of those of an earlier filter.

        Args:
            operator: whose filter it is.
            text: the filter.
            matcher: its test.
            records: the newest records, whose requests later messages refer to.
            client_timeout: the seconds after which clients are expected to give up.
            name: what the operator is called in lists of held messages.
        """
        self._requests = PendingRequests()
        self._requests.read(records)
        self.client_timeout = client_timeout
        self._set_filter(Holder(operator, name), text, matcher)
        self._tap.emit_event("hold_set", filter=text, client_timeout=client_timeout)

    def clear(self, reason: str = "") -> None:
        """Hold no more messages, and release those that wait."""
        was_set = self.filter is not None
        self._set_filter(None, None, None)
        if was_set:
            self._tap.emit_event("hold_cleared", **({"reason": reason} if reason else {}))
        self._release_all(list(self._held.values()), reason)

    def describe(self) -> dict[str, Any]:
        """Return the number of the newest record, the filter, and the messages that wait, oldest first, as JSON."""
        now = self._clock()
        return {
            "seq": self._tap.last_seq,
            "filter": self.filter,
            "held_by": "" if self._holder is None else self._holder.name,
            "client_timeout": self.client_timeout,
            "held": [held.describe(self.client_timeout, now) for held in self._held.values()],
        }

    # The verbs. Each raises ConfigurationError if the message no longer waits, or the verb does not apply to it.

    def release(self, id: int) -> None:
        """Deliver a message as it is."""
        self._release(self._find(id))

    def edit(self, id: int, text: str, *, on_purpose: bool = False) -> Record:
        """Deliver a text instead of a message, and return its record; see :func:`edited_bytes`."""
        held = self._find(id)
        data = edited_bytes(text, is_masked=held.record.data != held.data, on_purpose=on_purpose)
        self._remove(held, HoldState.EDITED)
        passed = self._record_copy(held, data)
        self._emit("message_edited", held, passed=[passed.seq])
        held.passage.deliver(data)
        return passed

    def drop(self, id: int) -> None:
        """Deliver nothing."""
        held = self._find(id)
        self._remove(held, HoldState.DROPPED)
        self._emit("message_dropped", held)
        held.passage.drop()

    def duplicate(self, id: int, copies: int = 1) -> list[Record]:
        """Deliver a message, and so many copies of it; return the records of the copies."""
        held = self._find(id)
        if not 1 <= copies <= MAX_COPIES:
            raise ConfigurationError(f"A message can be sent with 1 to {MAX_COPIES} copies, not {copies}.")
        if held.passage.is_last:
            raise ConfigurationError(
                f"Message {id} is a response over HTTP, which a client can receive only once; release or edit it."
            )
        self._remove(held, HoldState.DUPLICATED)
        passed = [self._record_copy(held, held.data) for _ in range(copies)]
        self._emit("message_duplicated", held, passed=[record.seq for record in passed])
        for _ in range(copies + 1):
            held.passage.deliver(held.data)
        return passed

    def delay(self, id: int, milliseconds: float) -> None:
        """Deliver a message as it is after so many milliseconds from now."""
        held = self._find(id)
        if not 0 <= milliseconds <= MAX_DELAY_MS:
            raise ConfigurationError(f"A message can be delayed by 0 to {MAX_DELAY_MS} ms, not {milliseconds:g}.")
        held.move(HoldState.DELAYED)
        held.release_at = self._clock() + milliseconds / 1000
        self._emit("message_delayed", held, ms=milliseconds)
        held.set_timer("delay", self._later(milliseconds / 1000, lambda: self._release(held, "its delay is over")))

    def answer(self, id: int, *, result: dict[str, Any] | None = None, error: dict[str, Any] | None = None) -> None:
        """Respond to a request in place of its receiver, which does not get it; give a result or an error."""
        held = self._find(id)
        if held.passage.answer is None or held.request is None:
            raise ConfigurationError(f"Message {id} is a {held.record.kind}; only requests can be answered.")
        request_id = held.request.request.id
        if error is not None:
            response = jsonrpc.error(request_id, error["code"], error["message"], error.get("data"))
        else:
            response = jsonrpc.response(request_id, result or {})
        self._remove(held, HoldState.ANSWERED)
        self._emit("message_answered", held, ok=error is None)
        held.passage.answer(response)

    # For sessions: see :class:`Interceptor`.

    def take(
        self,
        record: Record,
        data: bytes,
        passage: Callable[[], Passage],
        message: Message | None = None,
        related: RequestId | None = None,
    ) -> bool:
        if self._held and record.kind is Kind.NOTIFICATION and record.direction is Direction.IN:
            self._note_cancelled(record, message)
        if self._matcher is None or self._holder is None or record.kind not in _HOLDABLE:
            return False
        request = self._requests.note(record, message, related)
        if not self._matcher(record, request, self._requests.related_to):
            return False
        if len(self._held) >= MAX_HELD or self._bytes + len(data) > MAX_HELD_BYTES:
            self._report_limit()
            return False
        self._hold(HeldMessage(record, data, passage(), request, _method_of(record, request), self._holder))
        return True

    def has_taken(self, session: str) -> bool:
        return any(held.record.session == session for held in self._held.values())

    def release_session(self, session: str) -> None:
        for held in self._held_of(session):
            self._release(held, "the client sends nothing more")

    def expire_session(self, session: str) -> None:
        for held in self._held_of(session):
            self._expire(held, "the session is closed")

    def expire_call(self, session: str, call: str) -> None:
        for held in self._held_of(session):
            if held.call == call:
                self._expire(held, "the client has disconnected")

    # Internals.

    def _set_filter(self, holder: Holder | None, text: str | None, matcher: Matcher | None) -> None:
        self._holder, self.filter, self._matcher = holder, text, matcher
        self._update_tap()

    def _update_tap(self) -> None:
        """Be the interceptor while there is anything to decide, so that other messages cost nothing."""
        self._tap.interceptor = self if self._matcher is not None or self._held else None

    def _hold(self, held: HeldMessage) -> None:
        self._held[held.id] = held
        self._bytes += len(held.data)
        self._emit("message_held", held, kind=held.record.kind.value, direction=held.record.direction.value)
        if held.request is not None and held.request.token is not None and held.client_waits:
            self._keep_alive_later(held)

    def _keep_alive_later(self, held: HeldMessage) -> None:
        seconds = self.client_timeout / PROGRESS_INTERVALS
        held.set_timer("keep alive", self._later(seconds, lambda: self._keep_alive(held)))

    def _keep_alive(self, held: HeldMessage) -> None:
        """Send the client progress, so that it does not give up."""
        request, notify = held.request, held.passage.notify
        if request is None or notify is None or held.is_given_up:
            return
        request.progress = _next_progress(request.progress, is_last=held.record.kind in (Kind.RESPONSE, Kind.ERROR))
        request.alive_at = self._clock()
        held.progress_sent += 1
        params: dict[str, Any] = {"progressToken": request.token, "progress": request.progress}
        if held.passage.has_progress_messages:
            params["message"] = KEPT_ALIVE
        notify(jsonrpc.notification("notifications/progress", params))
        self._keep_alive_later(held)

    def _find(self, id: int) -> HeldMessage:
        if (held := self._held.get(id)) is not None:
            return held
        if (resolved := self._resolved.get(id)) is not None:
            outcome, when = resolved
            ago = max(0.0, self._clock() - when)
            raise ConfigurationError(f"Message {id} no longer waits: it was {outcome} {ago:.1f} s ago.")
        raise ConfigurationError(f"No message with the number {id} is held.")

    def _held_of(self, session: str) -> list[HeldMessage]:
        return [held for held in self._held.values() if held.record.session == session]

    def _remove(self, held: HeldMessage, state: HoldState) -> None:
        held.move(state)
        del self._held[held.id]
        self._bytes -= len(held.data)
        self._is_limit_reported = False
        self._resolved[held.id] = state.value, self._clock()
        if len(self._resolved) > MAX_RESOLVED:
            self._resolved.popitem(last=False)
        self._update_tap()

    def _release(self, held: HeldMessage, reason: str = "") -> None:
        self._remove(held, HoldState.RELEASED)
        self._emit("message_released", held, **({"reason": reason} if reason else {}))
        held.passage.deliver(held.data)

    def _release_all(self, messages: list[HeldMessage], reason: str) -> None:
        # The failure of a delivery must not leave the others waiting: without an operator, none would release them.
        with ExitStack() as releases:
            for held in reversed(messages):
                releases.callback(self._release, held, reason)

    def _expire(self, held: HeldMessage, reason: str) -> None:
        self._remove(held, HoldState.EXPIRED)
        self._emit("message_expired", held, reason=reason)

    def _record_copy(self, held: HeldMessage, data: bytes) -> Record:
        """Record what is delivered in place of a message; a client's request that names a call is such a record."""
        record = held.record
        kind = KINDS[type(jsonrpc.parse(data))]
        return self._tap.emit(kind, data, session=record.session, direction=record.direction, call=held.call)

    def _emit(self, event: str, held: HeldMessage, **facts: Any) -> None:
        self._tap.emit_event(event, held.record.session, call=held.call, message=held.id, **facts)

    def _report_limit(self) -> None:
        if not self._is_limit_reported:
            self._is_limit_reported = True
            self._tap.emit_event(
                "hold_limit_reached",
                messages=len(self._held),
                bytes=self._bytes,
                most=MAX_HELD,
                most_bytes=MAX_HELD_BYTES,
            )

    def _note_cancelled(self, record: Record, message: Message | None) -> None:
        """Mark the messages of a request that the client has cancelled; an operator still decides about them."""
        notification = jsonrpc.parse(record.data) if message is None else message
        if not isinstance(notification, Notification) or notification.method != "notifications/cancelled":
            return
        request_id = jsonrpc.readable_id(notification.params, "requestId")
        for held in self._held_of(record.session):
            if request_id is not None and held.client_waits and held.request_id == request_id and not held.is_given_up:
                held.is_given_up = True
                self._emit("held_message_cancelled", held)


def _next_progress(progress: float, *, is_last: bool) -> float:
    """Return a short number above the last progress, -inf for none; a whole one if the tool reports no more."""
    if progress < 0:
        return 0
    following = math.floor(progress) + 1 if is_last else round(progress + PROGRESS_STEP, 4)
    # Beside a very large number, the step is nothing.
    return following if following > progress else math.nextafter(progress, math.inf)


def _method_of(record: Record, request: PendingRequest | None) -> str:
    if record.kind is Kind.NOTIFICATION or (record.kind is Kind.REQUEST and request is None):
        message = jsonrpc.parse(record.data)
        return message.method if isinstance(message, Notification | Request) else ""
    return "" if request is None else request.request.method
