"""The records of one run of this terminal, collected from the timeline as they arrive, and where its time went.

Several terminals may use the same ids, so the request of a run is the first with its method, name and id that was
recorded while the run lasted. The other records are those that the timeline attributes to this request.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from server_core.records.tap import Direction, Kind
from workbench.model.catalog import OfferKind
from workbench.model.history import CallRun
from workbench.model.traffic.entry import ASKS, CANCELLED, Entry
from workbench.model.traffic.held_records import CallHold, hold_of_call
from workbench.model.traffic.request_index import id_text
from workbench.model.traffic.timeline import Timeline

_METHODS = {
    OfferKind.TOOL: "tools/call",
    OfferKind.PROMPT: "prompts/get",
    OfferKind.RESOURCE: "resources/read",
    OfferKind.TEMPLATE: "resources/read",
}
_MESSAGES = frozenset({Kind.REQUEST, Kind.NOTIFICATION, Kind.RESPONSE, Kind.ERROR})
# The core and the terminal read the same clock, which may be coarse.
_TOLERANCE_S = 0.05


class RunRecords:
    """The records of one run, oldest first; :meth:`refresh` adds those that have arrived."""

    def __init__(self, timeline: Timeline, run: CallRun) -> None:
        self.timeline = timeline
        self.run = run
        self._clear()

    @property
    def first(self) -> Entry | None:
        """The request of the run; None if it is not in the timeline."""
        return self.entries[0] if self.entries else None

    @property
    def messages(self) -> list[Entry]:
        """The JSON-RPC messages among the records."""
        return [entry for entry in self.entries if entry.kind in _MESSAGES]

    @property
    def hold(self) -> CallHold:
        """For how long the run was held."""
        return CallHold() if self.first is None else hold_of_call(self.timeline, self.first)

    def refresh(self) -> bool:
        """Collect the records that have arrived since the last time, and return whether there were any."""
        if self._generation != self.timeline.generation:
            self._clear()
        count, new = len(self.entries), list(self.timeline.since(self._seen))
        self._seen += len(new)
        if not self.entries:
            start = next((index for index, entry in enumerate(new) if is_request_of(entry, self.run)), None)
            if start is None:
                return False
            self.entries.append(new[start])
            new = new[start + 1 :]
        seq = self.entries[0].seq
        self.entries += [entry for entry in new if entry.parent == seq]
        return len(self.entries) != count

    def _clear(self) -> None:
        self.entries: list[Entry] = []
        self._generation = self.timeline.generation
        self._seen = self.timeline.place_at(self.run.started - _TOLERANCE_S)


def is_request_of(entry: Entry, run: CallRun) -> bool:
    """Whether an entry is the first request of a run."""
    if entry.kind is not Kind.REQUEST or entry.direction is not Direction.IN or entry.parent:
        return False
    if entry.method != _METHODS[run.kind] or (run.kind is not OfferKind.TEMPLATE and entry.name != run.tool):
        return False
    if run.request_id is not None and entry.id != id_text(run.request_id):
        return False
    return entry.time >= run.started - _TOLERANCE_S and (run.ended is None or entry.time <= run.ended + _TOLERANCE_S)


def run_of(timeline: Timeline, entry: Entry, runs: Iterable[CallRun]) -> CallRun | None:
    """Return the run that an entry belongs to; None if it belongs to none of these."""
    request = timeline.by_seq(entry.parent) if entry.parent else entry
    return None if request is None else next((run for run in runs if is_request_of(request, run)), None)


@dataclass(frozen=True, slots=True)
class RunTimes:
    """The times of a run that has ended, in seconds, and the size of its last response."""

    wire: float  # from each request to its response, without the time in which it was held or a question was open
    waited: float  # while a question of the server was open
    ran: float | None  # in the code of the tool, without that time; a part of the time on the wire; None if unknown
    size: int  # in bytes
    held: float = 0.0  # while messages of the run were held


def run_times(records: RunRecords) -> RunTimes | None:
    """Return the times of a run; None as long as it has no response."""
    requests = [entry for entry in records.entries if entry.kind is Kind.REQUEST]
    own = [entry for entry in requests if entry.direction is Direction.IN and entry.latency is not None]
    responses = [entry for entry in map(records.timeline.pair_of, own) if entry is not None]
    if not responses:
        return None
    # In a session, questions are asked while the request is open; without one, between two rounds.
    end = responses[-1].time
    inside = _covered((entry.time, _end(entry, records.entries, end)) for entry in requests if entry not in own)
    wire = sum(entry.latency or 0.0 for entry in own)
    waited = inside + _between_rounds(records.entries)
    ran = records.timeline.tool_time_of(records.entries[0])
    return RunTimes(max(wire - inside, 0.0), waited, ran, responses[-1].size, records.hold.seconds)


def _end(question: Entry, entries: list[Entry], latest: float) -> float:
    """Return when a question was answered, or when the server stopped waiting for the answer."""
    if question.answered is not None:
        return question.answered
    ends = (
        entry.time
        for entry in entries
        if entry.seq > question.seq and entry.direction is Direction.OUT and entry.method == "notifications/cancelled"
    )
    return next(ends, latest) if question.status is CANCELLED else question.time


def _between_rounds(entries: list[Entry]) -> float:
    """Return the time between the input requests of each round and the next request."""
    waited, asked = 0.0, None
    for entry in entries:
        if entry.kind is Kind.RESPONSE and entry.status is ASKS:
            asked = entry.time
        elif entry.kind is Kind.REQUEST and entry.mark == "retry" and asked is not None:
            waited, asked = waited + max(entry.time - asked, 0.0), None
    return waited


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """Return the length of what the spans cover; they begin in order, and may overlap."""
    covered, end = 0.0, 0.0
    for begin, finish in spans:
        covered += max(finish - max(begin, end), 0.0)
        end = max(end, finish)
    return covered
