"""A filtered list of a timeline: the indexes of the entries that pass its filter.

Refreshing only checks entries that are new or changed since the last time. The view owns no entries. A view by call
shows a response in the row of its request, which passes the filter if either of them does.
"""

from bisect import bisect_left

from workbench.model.traffic.calls import is_answer, messages_of_call, row_of_call
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.filter import EVERYTHING, Filter
from workbench.model.traffic.timeline import Timeline


class TrafficView:
    def __init__(self, timeline: Timeline, *, is_by_call: bool = False) -> None:
        self.timeline = timeline
        self.is_by_call = is_by_call
        self.filter = EVERYTHING
        self.indices: list[int] = []  # the timeline's indexes of the entries shown, in order
        self.total = 0  # the number of rows that there are without the filter
        self._generation = timeline.generation
        self._seen = 0
        self._touches_seen = 0

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, row: int) -> Entry:
        return self.timeline[self.indices[row]]

    def messages(self, row: int) -> tuple[Entry, ...]:
        """Return the messages that a row shows: one, or a request and its response."""
        return messages_of_call(self.timeline, self[row]) if self.is_by_call else (self[row],)

    def set_by_call(self, is_by_call: bool) -> None:
        self.is_by_call = is_by_call
        self._reset()
        self.refresh()

    def set_filter(self, filter: Filter) -> None:
        self.filter = filter
        self._reset()
        self.refresh()

    def refresh(self) -> bool:
        """Check entries that are new or changed since the last time, and return whether the rows have changed."""
        timeline = self.timeline
        emptied = self._generation != timeline.generation
        if emptied:
            self._reset()
        changed = self._refresh_touched()
        count = len(self.indices)
        new = enumerate(timeline.since(self._seen), self._seen)
        # No call of the filter for each entry in the usual case, with a hundred thousand of them.
        rows = [(index, entry) for index, entry in new if not is_answer(entry)] if self.is_by_call else list(new)
        self.total += len(rows)
        if self.filter is EVERYTHING:
            self.indices.extend([index for index, _ in rows])
        else:
            self.indices.extend([index for index, entry in rows if self._is_shown(entry)])
        self._seen = len(timeline)
        return emptied or changed or len(self.indices) != count

    def row_of(self, seq: int) -> int | None:
        """Return the row that shows a record, or None when the filter hides it."""
        index = self.timeline.index_of(self._shown_as(seq))
        if index is None:
            return None
        row = bisect_left(self.indices, index)
        return row if row < len(self.indices) and self.indices[row] == index else None

    def nearest_row(self, seq: int) -> int:
        """Return the row of a record, or of the first shown after it; the last row when there is none."""
        index = self.timeline.place_of(self._shown_as(seq))
        return max(min(bisect_left(self.indices, index), len(self.indices) - 1), 0)

    def _shown_as(self, seq: int) -> int:
        entry = self.timeline.by_seq(seq) if self.is_by_call else None
        return seq if entry is None else row_of_call(entry)

    def _is_shown(self, entry: Entry) -> bool:
        if not self.is_by_call:
            return self.filter.test(entry)
        return not is_answer(entry) and any(map(self.filter.test, messages_of_call(self.timeline, entry)))

    def _reset(self) -> None:
        self.indices = []
        self.total = 0
        self._generation = self.timeline.generation
        self._seen = 0
        self._touches_seen = len(self.timeline.touched)

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
        elif is_shown and not is_wanted:
            del self.indices[row]
        return is_wanted is not is_shown
