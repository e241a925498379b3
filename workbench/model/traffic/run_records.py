"""The records of one run of this terminal, collected from the timeline as they arrive.

Several terminals may use the same ids, so the request of a run is the first with its method, name and id that was
recorded while the run lasted. The other records are those that the timeline attributes to this request.
"""

from collections.abc import Iterable

from server_core.records.tap import Direction, Kind
from workbench.model.catalog import OfferKind
from workbench.model.history import CallRun
from workbench.model.traffic.entry import Entry
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

    def refresh(self) -> bool:
        """Collect the records that have arrived since the last time, and return whether there were any."""
        if self._generation != self.timeline.generation:
            self._clear()
        count, new = len(self.entries), self.timeline.since(self._seen)
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
