"""A filtered list of a timeline: the indexes of the entries that pass its filter.

Refreshing only checks entries that are new or changed since the last time, and may be limited in time: a million
entries are checked in parts. The view owns no entries. A view by call shows a response, and the effects of a call, in
the row of the request, which passes the filter if any of them does. A filter about single records shows effects as
rows.
"""

import time
from array import array
from bisect import bisect_left

from workbench.model.traffic.call_summary import CallSummary
from workbench.model.traffic.calls import is_answer, is_effect, messages_of_call, row_of_call
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.filter import EVERYTHING, Filter
from workbench.model.traffic.timeline import Timeline

# How many entries are checked before the next look at the clock.
_CHECKED_AT_ONCE = 500


class TrafficView:
    def __init__(self, timeline: Timeline, *, is_by_call: bool = False) -> None:
        self.timeline = timeline
        self.is_by_call = is_by_call
        self.filter = EVERYTHING
        self.indices = array("I")  # the timeline's indexes of the entries shown, in order
        self.total = 0  # the number of rows that there are without the filter
        self._generation = timeline.generation
        self._seen = 0
        self._touches_seen = 0
        self._counted = 0  # the number of entries that are counted in the next, if they are effects
        self._effects = array("I")  # the number of effects of each entry in its row
        self._matching_calls: set[int] = set()  # the indexes of calls of which an effect passes the filter
        self.summary = CallSummary(timeline)  # of the rows; counted by :meth:`summarise`

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, row: int) -> Entry:
        return self.timeline[self.indices[row]]

    def messages(self, row: int) -> tuple[Entry, ...]:
        """Return the messages that a row shows: one, or a request and its response."""
        return self.messages_with(self[row])

    def messages_with(self, entry: Entry) -> tuple[Entry, ...]:
        """Return the messages in the row of an entry."""
        return messages_of_call(self.timeline, entry) if self.is_by_call else (entry,)

    @property
    def all_indices(self) -> "array[int]":
        """The timeline's indexes of all records in the rows, in order."""
        if not self.is_by_call:
            return self.indices
        return self.timeline.with_parts(self.indices, has_effects=self._folds_effects)

    def effects_in(self, entry: Entry) -> int:
        """Return how many effects of a call are in its row."""
        return self._effects[entry.index] if self._folds_effects and entry.index < len(self._effects) else 0

    @property
    def _folds_effects(self) -> bool:
        return self.is_by_call and not self.filter.names_effects

    @property
    def is_complete(self) -> bool:
        """Whether all entries were checked."""
        return self._seen >= len(self.timeline)

    @property
    def is_settled(self) -> bool:
        """Whether all entries were checked, and all rows are in the summary."""
        return self.is_complete and self.summary.is_complete(self.indices)

    @property
    def progress(self) -> float:
        """The share of the entries that were checked."""
        return self._seen / max(1, len(self.timeline))

    def set_by_call(self, is_by_call: bool, seconds: float | None = None) -> None:
        self.is_by_call = is_by_call
        self._reset()
        self.refresh(seconds)

    def set_filter(self, filter: Filter, seconds: float | None = None) -> None:
        self.filter = filter
        self._reset()
        self.refresh(seconds)

    def refresh(self, seconds: float | None = None) -> bool:
        """Check entries that are new or changed since the last time, and return whether the rows have changed.

        With a limit in seconds, the rest is checked by the next calls, until :attr:`is_complete`.
        """
        emptied = self._generation != self.timeline.generation
        if emptied:
            self._reset()
        changed = self._refresh_touched()
        self._count_effects()
        count = len(self.indices)
        if self.filter is EVERYTHING:
            self._add_all()
        else:
            self._add_matches(None if seconds is None else time.monotonic() + seconds)
        return emptied or changed or len(self.indices) != count

    def summarise(self, seconds: float | None = None) -> None:
        """Count what is new or changed in the rows, for a number of seconds at most, until :attr:`is_settled`."""
        self.summary.refresh(self.indices, seconds)

    def _add_all(self) -> None:
        start, self._seen = self._seen, len(self.timeline)
        # No call of the filter for each entry in the usual case, with a million of them.
        rows = self.timeline.call_rows(start) if self.is_by_call else range(start, self._seen)
        self.total += len(rows)
        self.indices.extend(rows)

    def _count_effects(self) -> None:
        if not self.is_by_call or self._counted == len(self.timeline):
            return
        start, self._counted = self._counted, len(self.timeline)
        self._effects.frombytes(bytes((self._counted - start) * self._effects.itemsize))
        for index, number in self.timeline.count_effects(start).items():
            self._effects[index] += number

    def _add_matches(self, deadline: float | None) -> None:
        while not self.is_complete:
            start, self._seen = self._seen, min(self._seen + _CHECKED_AT_ONCE, len(self.timeline))
            entries = map(self.timeline.__getitem__, range(start, self._seen))
            for entry in entries:
                self._add_match(entry)
            if deadline is not None and time.monotonic() >= deadline:
                return

    def _add_match(self, entry: Entry) -> None:
        if self._is_row(entry):
            self.total += 1
            if self._is_shown(entry):
                self.indices.append(entry.index)
        elif is_effect(entry) and self.filter.test(entry) and (call := self.timeline.by_seq(entry.parent)) is not None:
            self._matching_calls.add(call.index)
            self._update_entry(call.index)

    def _is_row(self, entry: Entry) -> bool:
        return not self.is_by_call or not (is_answer(entry) or (self._folds_effects and is_effect(entry)))

    def row_of(self, seq: int) -> int | None:
        """Return the row that shows a record, or None when the filter hides it."""
        index = self.index_of(seq)
        return None if index is None else self.row_at(index)

    def index_of(self, seq: int) -> int | None:
        """Return the timeline's index of the entry in whose row a record is shown; None if it is not stored."""
        return self.timeline.index_of(self._shown_as(seq))

    def row_at(self, index: int) -> int | None:
        """Return the row of an entry of the timeline, or None if it has none of its own."""
        row = bisect_left(self.indices, index)
        return row if row < len(self.indices) and self.indices[row] == index else None

    def nearest_row(self, seq: int) -> int:
        """Return the row of a record, or of the first shown after it; the last row when there is none."""
        index = self.timeline.place_of(self._shown_as(seq))
        return max(min(bisect_left(self.indices, index), len(self.indices) - 1), 0)

    def _shown_as(self, seq: int) -> int:
        entry = self.timeline.by_seq(seq) if self.is_by_call else None
        if entry is None:
            return seq
        return entry.parent if self._folds_effects and is_effect(entry) else row_of_call(entry)

    def _is_shown(self, entry: Entry) -> bool:
        if not self.is_by_call:
            return self.filter.test(entry)
        if not self._is_row(entry):
            return False
        messages = messages_of_call(self.timeline, entry)
        return entry.index in self._matching_calls or any(map(self.filter.test, messages))

    def _reset(self) -> None:
        self.indices = array("I")
        self.total = 0
        self._generation = self.timeline.generation
        self._seen = 0
        self._touches_seen = len(self.timeline.touched)
        self._counted = 0
        self._effects = array("I")
        self._matching_calls = set()
        self.summary = CallSummary(self.timeline)

    def _refresh_touched(self) -> bool:
        touched = self.timeline.touched
        changed = False
        # A change hides or shows no entry where there is no filter.
        for index in () if self.filter is EVERYTHING else touched[self._touches_seen :]:
            if index < self._seen:
                changed |= self._update_entry(index)
        self._touches_seen = len(touched)
        return changed

    def _update_entry(self, index: int) -> bool:
        row = bisect_left(self.indices, index)
        is_shown = row < len(self.indices) and self.indices[row] == index
        is_wanted = self._is_shown(self.timeline[index])
        if is_wanted and not is_shown:
            self.indices.insert(row, index)
            self.summary.row_added(row, index)
        elif is_shown and not is_wanted:
            del self.indices[row]
            self.summary.row_removed(row, index)
        return is_wanted is not is_shown
