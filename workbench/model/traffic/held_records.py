"""What became of the messages that were held, as the events of the core describe it.

A message that was changed has two records: what arrived, and what was delivered instead. The event that joins them
follows both, so the second was first read like any other message, and is joined with the first here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from server_core.records.tap import Kind
from workbench.model.traffic.entry import CANCELLED, DELAYED, DROPPED, HELD, OUTCOMES, PASSED, PENDING, Entry
from workbench.model.traffic.request_index import RequestIndex

if TYPE_CHECKING:
    from workbench.model.traffic.timeline import Timeline

HOLD_EVENTS = {f"message_{state}": state for state in (HELD, DELAYED, *OUTCOMES)}
"""The events about one held message, and the state that it has after each."""


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
        holding = self.holdings.setdefault(arrived.seq, Holding(event.time))
        if arrived.hold not in (HELD, DELAYED):
            holding.until = event.time
            holding.reason = str(value.get("reason", ""))
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


def held_seconds(timeline: "Timeline", request: Entry) -> float:
    """Return for how long a request and its answer waited for an operator."""
    answer = timeline.pair_of(request)
    holdings = [timeline.holding_of(each) for each in (request, answer) if each is not None]
    return sum(each.until - each.since for each in holdings if each is not None and each.until is not None)


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
