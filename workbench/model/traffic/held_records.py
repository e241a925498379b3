"""What became of the messages that were held, as the events of the core describe it.

A message that was changed has two records: what arrived, and what was delivered instead. The event that joins them
follows both, so the second was first read like any other message, and is joined with the first here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from server_core.records.tap import Kind
from workbench.model.traffic.entry import CANCELLED, DELAYED, DROPPED, HELD, PASSED, PENDING, Entry
from workbench.model.traffic.hold_times import HOLD_EVENTS, HoldTimes
from workbench.model.traffic.request_index import RequestIndex

if TYPE_CHECKING:
    from workbench.model.traffic.timeline import Timeline


@dataclass(slots=True)
class Holding:
    """How long a message waited, and what was delivered instead; times are in seconds since the epoch."""

    since: float
    until: float | None = None
    passed: tuple[int, ...] = ()
    reason: str = ""


class HeldRecords:
    """The held messages of one core; `find` and `touch` as in `RecordReader`."""

    def __init__(
        self, requests: RequestIndex, find: Callable[[int], Entry | None], touch: Callable[[Entry], None], offset: int
    ) -> None:
        self.holdings: dict[int, Holding] = {}  # By the number of the entry that arrived.
        self.originals: dict[int, int] = {}  # The number of what was delivered instead -> that of what arrived.
        self._times = HoldTimes()
        self._requests = requests
        self._find = find
        self._touch = touch
        self._offset = offset

    def read(self, event: Entry, value: dict[str, Any]) -> None:
        """Read an event of :data:`HOLD_EVENTS`."""
        number = value.get("message")
        arrived = self._find(self._offset + number) if type(number) is int else None
        if arrived is None:
            return
        arrived.hold = HOLD_EVENTS[event.method]
        self._times.read(event.time, value)
        holding = self.holdings.setdefault(arrived.seq, Holding(event.time))
        if arrived.hold not in (HELD, DELAYED):
            holding.until = event.time
            holding.reason = str(value.get("reason", ""))
            if arrived.kind is Kind.REQUEST:
                arrived.held_seconds = self._times.seconds_of(arrived.seq - self._offset)
        if arrived.hold == DROPPED and arrived.status is PENDING:
            # The receiver does not know of it, so there will be no answer.
            arrived.status = CANCELLED
        passed = value.get("passed")
        for copy in passed if type(passed) is list else ():
            if type(copy) is int and (entry := self._find(self._offset + copy)) is not None:
                holding.passed += (entry.seq,)
                self._join(arrived, entry)
        self._touch(arrived)

    def _join(self, arrived: Entry, copy: Entry) -> None:
        """Give a message that was delivered the relations of the message that arrived."""
        self.originals[copy.seq] = arrived.seq
        copy.hold = PASSED
        if copy.kind is Kind.REQUEST and arrived.kind is Kind.REQUEST:
            copy.parent = arrived.parent or arrived.seq
            if copy.id == arrived.id:
                # One response answers both, and is shown with the message that the client has sent.
                self._requests.restore_request(arrived)
                copy.status = ""
        else:
            copy.parent = arrived.parent
            copy.method = copy.method or arrived.method
        copy.name = copy.name or arrived.name
        copy.client = arrived.client
        copy.era, copy.revision = arrived.era, arrived.revision
        self._touch(copy)


@dataclass(frozen=True, slots=True)
class CallHold:
    """For how long the messages of a call were held that it waits for: all but notifications."""

    seconds: float = 0.0  # of those that wait no longer
    waiting: int = 0  # the number of the message that waits; 0 for none
    since: float = 0.0  # when that began, in seconds since the epoch

    def seconds_at(self, now: float) -> float:
        """Return for how long the call has been held, at a time since it began to wait."""
        return self.seconds + (max(now - self.since, 0.0) if self.waiting else 0.0)


def hold_of_call(timeline: "Timeline", request: Entry) -> CallHold:
    """Return for how long the messages of a call were held, and which waits now."""
    seconds, waiting, since = 0.0, 0, 0.0
    for number, holding in timeline.holdings_beside(request).items():
        entry = timeline.by_seq(number)
        if entry is None or entry.kind is Kind.NOTIFICATION or request.seq not in (number, entry.parent):
            continue
        if holding.until is None:
            waiting, since = number, holding.since
        else:
            seconds += max(holding.until - holding.since, 0.0)
    return CallHold(seconds, waiting, since)


def waits(entry: Entry) -> bool:
    """Return whether a message waits for an operator."""
    return entry.hold == HELD or entry.hold == DELAYED


def edited_versions(timeline: "Timeline", entry: Entry) -> tuple[Entry | None, Entry | None]:
    """Return what arrived and what was delivered instead, if the message is one of both; else None twice."""
    arrived = timeline.original_of_passed(entry) or entry
    holding = timeline.holding_of(arrived)
    if arrived.hold != "edited" or holding is None or not holding.passed:
        return None, None
    return arrived, timeline.by_seq(holding.passed[0])
