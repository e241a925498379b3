"""Two captures compared, call by call.

Rule 1: calls match if method, name and arguments are the same; of several such calls, the first matches the first.
Rule 2: answers are compared as in a replay: times and ids in `_meta` are ignored.
Rule 3: the rows are in the order of the first capture; a call that is only in the second follows the one before it.
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.model.describe import json_line
from workbench.model.difference import ChangeKind, ValueChange
from workbench.model.difference import differences as changes_of
from workbench.replay.captured_calls import PAUSE_AFTER, CapturedCall, Stopped, answer_of, read_calls
from workbench.replay.differences import ABSENT, ValueDifference, differences

if TYPE_CHECKING:
    from server_core.records.capture.reader import Capture

MAX_DIFFERENCES = 100
"""How many places of one answer are named."""
_VALUE_LIMIT = 200  # Characters.


class CallVerdict(StrEnum):
    """The result for one call."""

    SAME = "same"
    DIFFERS = "differs"
    ONLY_FIRST = "only in the first"
    ONLY_SECOND = "only in the second"


@dataclass(frozen=True, slots=True)
class ComparedCall:
    """A call of one capture, or of both."""

    first: CapturedCall | None
    second: CapturedCall | None
    verdict: CallVerdict
    places: int = 0  # where the answers differ; at most :data:`MAX_DIFFERENCES`

    def to_json(self, places: Sequence[ValueDifference] = ()) -> dict[str, Any]:
        """Return the call as a JSON value; what does not exist is left out."""
        sides = {"first": self.first, "second": self.second}
        value: dict[str, Any] = {
            "verdict": self.verdict.value,
            "method": self.call.method,
            "name": self.call.name,
            "arguments": self.call.arguments,
            **{side: call.to_json() for side, call in sides.items() if call is not None},
        }
        if places:
            value["differences"] = [_place_json(place) for place in places]
        return value

    @property
    def call(self) -> CapturedCall:
        """The call in the first capture that has it."""
        call = self.first or self.second
        assert call is not None
        return call


@dataclass
class CallComparison:
    """The calls of two captures."""

    first: Path
    second: Path
    calls: list[ComparedCall] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what is missing in the captures, for the user

    @property
    def differs(self) -> bool:
        return any(call.verdict is not CallVerdict.SAME for call in self.calls)

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON, with the places where answers differ, which are read from the captures again."""
        return {
            "first": str(self.first),
            "second": str(self.second),
            "counts": {verdict.value: self.count(verdict) for verdict in CallVerdict},
            "calls": [call.to_json(places_of(self, call)) for call in self.calls],
            "notes": self.notes,
        }

    def count(self, verdict: CallVerdict) -> int:
        return sum(call.verdict is verdict for call in self.calls)


def compare(first: Path, second: Path, *, has_all: bool = False, stopped: Stopped = lambda: False) -> CallComparison:
    """Compare two captures; ConfigurationError if one cannot be read. Takes a while for large ones.

    Args:
        has_all: whether requests that a client makes by itself, such as `tools/list`, are compared as well.
        stopped: called now and then; the result is of no use once it has returned True.
    """
    from server_core.records.capture.reader import open_capture

    before, after = (read_calls(path, has_all=has_all, stopped=stopped) for path in (first, second))
    notes = [f"{captured.path.name}: {note}" for captured in (before, after) for note in captured.notes]
    comparison = CallComparison(first, second, notes=notes)
    with open_capture(first) as old, open_capture(second) as new:
        for count, pair in enumerate(pairs(before.calls, after.calls)):
            if count % PAUSE_AFTER == 0 and stopped():
                break
            comparison.calls.append(_compared(*pair, old, new))
    return comparison


def pairs(
    first: Sequence[CapturedCall], second: Sequence[CapturedCall]
) -> Iterator[tuple[CapturedCall | None, CapturedCall | None]]:
    """Yield the calls that match, and those that match none, in their order."""
    places: dict[bytes, deque[int]] = defaultdict(deque)
    for place, call in enumerate(second):
        places[call.key].append(place)
    partners = [places[call.key].popleft() if places[call.key] else None for call in first]
    matched = {place for place in partners if place is not None}
    unmatched = deque(place for place in range(len(second)) if place not in matched)
    # A call follows that before it, also where the calls are in another order.
    for call, partner in zip(first, partners, strict=True):
        while partner is not None and unmatched and unmatched[0] < partner:
            yield None, second[unmatched.popleft()]
        yield call, None if partner is None else second[partner]
    yield from ((None, second[place]) for place in unmatched)


def places_of(comparison: CallComparison, call: ComparedCall) -> list[ValueDifference]:
    """Return where the answers to a call differ, read from the captures again."""
    from server_core.records.capture.reader import open_capture

    if call.first is None or call.second is None or call.verdict is not CallVerdict.DIFFERS:
        return []
    with open_capture(comparison.first) as old, open_capture(comparison.second) as new:
        return list(_places(answer_of(old, call.first), answer_of(new, call.second)))


def changes_in(place: ValueDifference) -> Iterator[ValueChange]:
    """Yield the changes at a place, with those within a text line by line; texts are safe to show."""
    old, new = place.recorded, place.replayed
    if old is ABSENT:
        yield ValueChange(ChangeKind.ADDED, place.path, after=json_line(new, _VALUE_LIMIT))
    elif new is ABSENT:
        yield ValueChange(ChangeKind.REMOVED, place.path, before=json_line(old, _VALUE_LIMIT))
    else:
        yield from changes_of(old, new, place.path)


def _place_json(place: ValueDifference) -> dict[str, Any]:
    sides = {"first": place.recorded, "second": place.replayed}
    return {"path": place.path} | {side: value for side, value in sides.items() if value is not ABSENT}


def _compared(first: CapturedCall | None, second: CapturedCall | None, old: "Capture", new: "Capture") -> ComparedCall:
    if first is None or second is None:
        return ComparedCall(first, second, CallVerdict.ONLY_SECOND if first is None else CallVerdict.ONLY_FIRST)
    if first.digest == second.digest:
        return ComparedCall(first, second, CallVerdict.SAME)
    count = sum(1 for _ in _places(answer_of(old, first), answer_of(new, second)))
    return ComparedCall(first, second, CallVerdict.DIFFERS if count else CallVerdict.SAME, count)


def _places(old: dict[str, Any], new: dict[str, Any]) -> Iterator[ValueDifference]:
    """Yield where two answers differ; an answer that is missing on one side is such a place."""
    if not old or not new:
        whole = ValueDifference("$", old or ABSENT, new or ABSENT)
        return iter([] if old == new else [whole])
    return islice(differences(old, new), MAX_DIFFERENCES)
