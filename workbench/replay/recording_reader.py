"""Read a capture as a conversation that can be replayed."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError
from server_core.protocol import jsonrpc
from server_core.protocol.jsonrpc import ErrorResponse, Notification, Request, RequestId, Response
from server_core.records.tap import Direction, Kind, Record, named_seq
from server_core.runtime.safe_json import parse_json_or_none
from workbench.model.traffic.explain import explain_dropped
from workbench.model.traffic.hold_times import HoldTimes
from workbench.replay.recording import Answered, RecordedExchange, Recording, Sent, SentNotification, SessionEnded

if TYPE_CHECKING:
    from server_core.records.capture.reader import Capture

_MESSAGES = frozenset({Kind.REQUEST, Kind.RESPONSE, Kind.NOTIFICATION, Kind.ERROR})
_NOT_DELIVERED = frozenset({"message_edited", "message_dropped", "message_expired"})
"""The events after which a held message was not delivered as it had arrived."""


def read_recording(path: Path) -> Recording:
    """Read a capture; ConfigurationError when it cannot be read, or contains no request."""
    from server_core.records.capture.reader import open_capture

    with open_capture(path) as capture:
        recording = recording_of(path, capture.records())
        if not any(isinstance(step, Sent) for step in recording.steps):
            raise ConfigurationError(f"There is nothing to replay. {_why_empty(capture)}")
        if capture.damage:
            recording.notes.append(capture.damage)
    return recording


def recording_of(path: Path, records: Iterable[Record]) -> Recording:
    """Return the conversation in records of a capture, in order of `seq`."""
    reader = CaptureReader(Recording(path))
    for record in records:
        reader.read(record)
    return reader.recording


def _why_empty(capture: "Capture") -> str:
    from server_core.records.capture.reader import missing_log_advice

    why = capture.damage or f"No client has sent a request in {capture.path}."
    return why if "ended" in capture.meta else why + missing_log_advice(capture.path)


class CaptureReader:
    """Pairs the requests and answers of a capture while reading it."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._held = HoldTimes()
        # A list for each id: HTTP clients without a session may use the same id at the same time.
        self._open: dict[tuple[str, Direction, RequestId], list[RecordedExchange]] = {}
        # By `seq`: other records refer to a request by it, since the id need not be unique.
        self._numbered: dict[int, RecordedExchange] = {}
        # Those of clients, by `seq`: events name the ones that were held and never delivered as they are.
        self._notifications: dict[int, SentNotification] = {}

    def read(self, record: Record) -> None:
        if record.kind is Kind.LIFECYCLE:
            self._read_event(record)
        elif record.kind in _MESSAGES:
            message = jsonrpc.parse(record.data)
            if isinstance(message, Request):
                self._read_request(record, message)
            elif isinstance(message, Response | ErrorResponse):
                self._read_answer(record, message)
            elif isinstance(message, Notification) and record.direction is Direction.IN:
                self._read_notification(record, message)

    def _read_request(self, record: Record, request: Request) -> None:
        held = self._numbered.get(named_seq(record.call)) if record.direction is Direction.IN else None
        if held is not None:
            # Delivered instead of a request that was held: this is what the server has answered.
            held.method, held.params = request.method, request.params
            waiting = self._open.setdefault((record.session, record.direction, request.id), [])
            if held not in waiting:
                waiting.append(held)
            return
        exchange = RecordedExchange(record.seq, record.session, request.method, request.params, time=record.time)
        self._open.setdefault((record.session, record.direction, request.id), []).append(exchange)
        if record.direction is Direction.IN:
            self._numbered[record.seq] = exchange
            self.recording.steps.append(Sent(exchange))
        elif request.method != "ping":
            self.recording.questions.setdefault(record.session, []).append(exchange)
            exchange.cause = self._caller(record)
            if exchange.cause is not None:
                exchange.cause.questions.append(exchange)

    def _read_answer(self, record: Record, answer: Response | ErrorResponse) -> None:
        asked = Direction.OUT if record.direction is Direction.IN else Direction.IN
        waiting = [] if answer.id is None else self._open.get((record.session, asked, answer.id), [])
        if not waiting:
            return
        named = self._numbered.get(named_seq(record.call))
        exchange = (
            named
            if named in waiting
            else next((candidate for candidate in waiting if _fits(answer, candidate)), waiting[-1])
        )
        waiting.remove(exchange)
        exchange.answer, exchange.answer_seq = answer, record.seq
        exchange.seconds = max(record.time - exchange.time - self._held.seconds_of(exchange.seq), 0.0)
        if asked is Direction.IN:
            self.recording.steps.append(Answered(exchange))

    def _read_notification(self, record: Record, notification: Notification) -> None:
        if notification.method == "notifications/cancelled":
            self._cancel(self._newest(record.session, notification.params.get("requestId")))
        elif notification.method not in ("notifications/initialized", "notifications/progress"):
            step = SentNotification(record.session, notification.method, notification.params)
            self._notifications[record.seq] = step
            self.recording.steps.append(step)

    def _read_event(self, record: Record) -> None:
        event = parse_json_or_none(record.data)
        if not isinstance(event, dict):
            return
        self._held.read(record.time, event)
        if event.get("event") == "call_abandoned":
            named = self._numbered.get(named_seq(record.call))
            self._cancel(named or self._newest(record.session, event.get("id")))
        elif event.get("event") == "message_answered":
            held = self._numbered.get(_held_number(event))
            if held is not None:
                held.answered_by_hand = True
        elif event.get("event") in _NOT_DELIVERED:
            self._leave_out(self._notifications.get(_held_number(event)))
        elif event.get("event") == "session_closed":
            self.recording.steps.append(SessionEnded(record.session))
        elif event.get("event") == "core_started" and not self.recording.served:
            self.recording.served = str(event.get("project") or "")
        elif event.get("event") == "records_dropped":
            self.recording.notes.append(f"At record {record.seq}: {explain_dropped(event)}")
        elif event.get("event") == "capture_full":
            self.recording.notes.append("The capture had reached its maximum size; later records were not written.")

    def _leave_out(self, notification: SentNotification | None) -> None:
        """Remove a notification from the steps; what was delivered instead of it has a step of its own."""
        self.recording.steps = [step for step in self.recording.steps if step is not notification]

    def _cancel(self, exchange: RecordedExchange | None) -> None:
        if exchange is not None:
            exchange.cancelled = True

    def _caller(self, record: Record) -> RecordedExchange | None:
        """Return the client request that caused a request of its server."""
        if seq := named_seq(record.call):
            return self._numbered.get(seq)
        return self._newest(record.session, json.loads(record.call or "null"))

    def _newest(self, session: str, request_id: Any) -> RecordedExchange | None:
        """Return the newest open client request with this id."""
        waiting = self._open.get((session, Direction.IN, request_id)) if isinstance(request_id, str | int) else None
        return waiting[-1] if waiting else None


def _held_number(event: dict[str, Any]) -> int:
    """Return the number of the held message that an event names; 0 for anything that is no number."""
    number = event.get("message")
    return number if isinstance(number, int) else 0


def _fits(answer: Response | ErrorResponse, exchange: RecordedExchange) -> bool:
    """Whether an answer can belong to a request: same era, and not cancelled."""
    is_of_era = isinstance(answer, ErrorResponse) or ("resultType" in answer.result) is exchange.stateless
    return is_of_era and not exchange.cancelled
