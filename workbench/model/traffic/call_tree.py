"""What belongs to one call, in the order of its records: its rounds, effects, questions with their answers, and result.

A record belongs to a call because it names the call, or has its progress token, its task or its subscription. Two cases
are inferred, and marked as such: a round without a `requestState` only answers the questions of the round before, and a
log message or a question of a relayed server may name no call at all, since on stdio no revision has a key for them.
The latter belongs to the call if no other request of its session was open at that time.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from server_core.protocol.methods import LONG_LIVED
from server_core.records.tap import Direction, Kind
from workbench.model.json_members import object_in
from workbench.model.traffic.calls import is_answer
from workbench.model.traffic.entry import CANCELLED, RETRY_MARK, Entry, parse_object
from workbench.model.traffic.timeline import Timeline

MAX_RECORDS = 2_000
"""How many records of a call are shown: the first."""
_MAX_SEARCHED = 2_000  # Entries before and after a request among which messages without a call are looked for.
_WITHOUT_KEY = frozenset({"notifications/message", "sampling/createMessage", "elicitation/create", "roots/list"})


@dataclass(frozen=True, slots=True)
class Branch:
    """A record of a call."""

    index: int  # of its entry in the timeline
    depth: int  # 1 for what belongs to the call, 2 for the answer to a question
    is_inferred: bool


class CallTree:
    """The records of the call that a request began; :meth:`refresh` adds those that have arrived."""

    def __init__(self, timeline: Timeline, request: Entry) -> None:
        self.request = request.index
        self._timeline = timeline
        self._seen = request.index + 1
        self._touches_seen = len(timeline.touched)
        self._known = {request.index}
        self.branches: list[Branch] = []
        self.refresh()

    def refresh(self) -> bool:
        """Collect the records that have arrived or changed, and return whether there were any."""
        touched = self._timeline.touched
        changed = any(index in self._known for index in touched[self._touches_seen :])
        self._touches_seen = len(touched)
        new = self._timeline.parts_of(self.request, self._seen)
        is_open = self._seen < len(self._timeline) and not self._timeline[self.request].pair
        self._seen = len(self._timeline)
        self._known.update(new[: MAX_RECORDS - len(self._known)])
        if not (changed or new or is_open or not self.branches):
            return False
        before, self.branches = self.branches, list(self._branches())
        return before != self.branches

    def _branches(self) -> Iterator[Branch]:
        inferred = set(self._unnamed())
        for index in sorted(self._known | inferred):
            entry = self._timeline[index]
            is_inferred = index in inferred or self._is_guessed_round(entry)
            yield Branch(index, 1 + self._is_answer_to_question(entry), is_inferred)

    def _is_answer_to_question(self, entry: Entry) -> bool:
        return is_answer(entry) and entry.is_to_server

    def _is_guessed_round(self, entry: Entry) -> bool:
        if entry.mark != RETRY_MARK or entry.kind is not Kind.REQUEST:
            return False
        value = parse_object(entry.data or b"")
        return value is not None and "requestState" not in object_in(value, "params")

    def _unnamed(self) -> Iterator[int]:
        """Yield the messages of the server that name no call, from the time in which only this call was open."""
        timeline, request = self._timeline, self._timeline[self.request]
        answer = timeline.pair_of(request)
        end = len(timeline) if answer is None else answer.index
        others: set[int] = set()
        for entry in timeline.since(max(0, request.index - _MAX_SEARCHED)):
            if entry.index >= min(end, request.index + _MAX_SEARCHED):
                return
            if entry.session != request.session or entry.index in self._known:
                continue
            if entry.kind is Kind.REQUEST and entry.is_to_server:
                if entry.status != CANCELLED and entry.method not in LONG_LIVED:
                    others.add(entry.seq)
            elif is_answer(entry):
                others.discard(entry.pair)
            elif entry.index > request.index and not others and _names_nothing(entry):
                yield entry.index
                if (reply := timeline.pair_of(entry)) is not None:
                    yield reply.index


def _names_nothing(entry: Entry) -> bool:
    """Whether a message of the server is of a kind that belongs to a call, and names none."""
    return entry.direction is Direction.OUT and entry.method in _WITHOUT_KEY and not entry.parent
