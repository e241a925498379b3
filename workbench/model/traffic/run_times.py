"""Where the time of a run went, as far as its records show: on the wire, in the tool, and waiting for answers."""

from collections.abc import Iterable
from dataclasses import dataclass

from server_core.records.tap import Direction, Kind
from workbench.model.traffic.entry import ASKS, Entry
from workbench.model.traffic.run_records import RunRecords


@dataclass(frozen=True, slots=True)
class RunTimes:
    """The times of a run that has ended, in seconds, and the size of its last response."""

    wire: float  # from each request to its response, without the time in which a question was open
    waited: float  # while a question of the server was open
    ran: float | None  # in the code of the tool, without that time; a part of the time on the wire; None if unknown
    size: int  # in bytes


def run_times(records: RunRecords) -> RunTimes | None:
    """Return the times of a run; None as long as it has no response."""
    requests = [entry for entry in records.entries if entry.kind is Kind.REQUEST]
    own = [entry for entry in requests if entry.direction is Direction.IN and entry.latency is not None]
    responses = [entry for entry in map(records.timeline.pair_of, own) if entry is not None]
    if not responses:
        return None
    # In a session, questions are asked while the request is open; without one, between two rounds.
    inside = _covered((entry.time, entry.time + (entry.latency or 0.0)) for entry in requests if entry not in own)
    wire = sum(entry.latency or 0.0 for entry in own)
    waited = inside + _between_rounds(records.entries)
    ran = records.timeline.tool_time_of(records.entries[0])
    return RunTimes(max(wire - inside, 0.0), waited, ran, responses[-1].size)


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
