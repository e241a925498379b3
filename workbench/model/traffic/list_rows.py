"""The rows of a list of messages: those of a view, and below some of its calls what belongs to them.

Few calls are unfolded at a time, so the rows are the parts of the view between them and the parts of each. A message of
an unfolded call that would have a row of its own is only shown in the call.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from server_core.records.tap import Kind
from workbench.model.traffic.call_tree import Branch, CallTree
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.traffic_view import TrafficView

MAX_UNFOLDED = 50
"""How many calls are unfolded at a time; the one that was unfolded first is then folded."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the list: rows of the view from one on, or the branches of a tree."""

    first: int  # the first row in the list
    place: int  # its place among the rows without trees
    tree: CallTree | None = None


class ListRows:
    """The rows of a view with its unfolded calls; :meth:`refresh` follows changes of the view."""

    def __init__(self, view: TrafficView) -> None:
        self.view = view
        self._trees: dict[int, CallTree] = {}  # By the index of the request.
        self._parts = [_Part(0, 0)]
        self._count = 0
        self._generation = view.timeline.generation
        # The timeline's indexes of the rows, as they were sorted; None in the order of the view.
        self.order: list[int] | None = None
        self.refresh()

    def __len__(self) -> int:
        return self._count

    @property
    def has_unfolded(self) -> bool:
        return bool(self._trees)

    def messages(self, row: int) -> tuple[Entry, ...]:
        """Return the messages that a row shows: one, or a request and its response."""
        branch = self.branch(row)
        return self.view.messages_with(self._entry_at(row)) if branch is None else (self.view.timeline[branch.index],)

    def entry(self, row: int) -> Entry:
        """Return the first message of a row."""
        branch = self.branch(row)
        return self._entry_at(row) if branch is None else self.view.timeline[branch.index]

    def branch(self, row: int) -> Branch | None:
        """Return the place in its call of a record that is shown below its call; None for a row of the view."""
        part = self._part(row)
        return None if part.tree is None else part.tree.branches[row - part.first]

    def is_last_branch(self, row: int) -> bool:
        part = self._part(row)
        return part.tree is not None and row - part.first == len(part.tree.branches) - 1

    def call_of(self, row: int) -> Entry | None:
        """Return the request of the unfolded call that a row is in, or is; None for any other."""
        tree = self._part(row).tree
        index = self._indices[self._place(row)] if tree is None else tree.request
        return self.view.timeline[index] if index in self._trees else None

    def can_unfold(self, row: int) -> bool:
        return self.view.is_by_call and self.branch(row) is None and self.entry(row).kind is Kind.REQUEST

    def is_unfolded(self, row: int) -> bool:
        """Whether a row is that of an unfolded call."""
        return self.branch(row) is None and self.call_of(row) is not None

    def unfold(self, row: int) -> None:
        request = self.entry(row)
        self._trees[request.index] = CallTree(self.view.timeline, request)
        while len(self._trees) > MAX_UNFOLDED:
            del self._trees[next(iter(self._trees))]
        self._arrange()

    def fold(self, row: int) -> int:
        """Fold the call that a row is in, and return the row of the call."""
        if (call := self.call_of(row)) is None:
            return row
        del self._trees[call.index]
        self._arrange()
        return self.row_of(call.seq) or 0

    def refresh(self) -> None:
        """Follow the changes of the view, and add what has arrived to the calls."""
        generation = self.view.timeline.generation
        if not self.view.is_by_call or generation != self._generation:
            self._trees.clear()
        if generation != self._generation:
            self.order = None
        self._generation = generation
        for tree in self._trees.values():
            tree.refresh()
        self._arrange()

    def row_of(self, seq: int) -> int | None:
        """Return the row that shows a record, or None when the filter hides it."""
        row = self._row_of_branch(seq)
        index = self.view.index_of(seq) if row is None else None
        place = None if index is None else self._place_of(index)
        return row if place is None else self._row_at(place)

    def nearest_row(self, seq: int) -> int:
        """Return the row of a record, or of the first shown after it; the last row when there is none."""
        if (row := self.row_of(seq)) is None:
            row = self._row_at(self.view.nearest_row(seq)) if self.order is None else 0
        return max(0, min(row, self._count - 1))

    def _row_of_branch(self, seq: int) -> int | None:
        index = self.view.timeline.index_of(seq)
        for part in self._parts:
            # The row of the call stands for its request and its result.
            if part.tree is not None and index is not None and part.tree.request != index:
                for number, branch in enumerate(part.tree.branches):
                    if branch.index == index:
                        return part.first + number
        return None

    def _row_at(self, place: int) -> int:
        """Return the row of a row of the view; of a hidden row, that of the next."""
        parts = [number for number, part in enumerate(self._parts) if part.tree is None]
        number = parts[max(0, bisect_right(parts, place, key=lambda each: self._parts[each].place) - 1)]
        part, after = self._parts[number], self._parts[number + 1 :]
        end = after[0].first if after else self._count
        return max(part.first, min(part.first + place - part.place, end))

    @property
    def _indices(self) -> Sequence[int]:
        return self.view.indices if self.order is None else self.order

    def _place_of(self, index: int) -> int | None:
        """Return the place of an entry among the rows without the trees; None if it has none."""
        if self.order is None:
            return self.view.row_at(index)
        with suppress(ValueError):
            return self.order.index(index)
        return None

    def _entry_at(self, row: int) -> Entry:
        return self.view.timeline[self._indices[self._place(row)]]

    def _place(self, row: int) -> int:
        part = self._part(row)
        return part.place + row - part.first

    def _part(self, row: int) -> _Part:
        return self._parts[max(0, bisect_right(self._parts, row, key=_first) - 1)]

    def _arrange(self) -> None:
        """Compute the parts of the list again."""
        self._parts, row, place = [], 0, 0
        for cut, tree in sorted(self._cuts(), key=_cut):
            if cut > place:
                self._parts.append(_Part(row, place))
                row += cut - place
            if tree is None:
                place = cut + 1
                continue
            place = max(place, cut)
            self._parts.append(_Part(row, place, tree))
            row += len(tree.branches)
        self._parts.append(_Part(row, place))
        self._count = row + max(0, len(self._indices) - place)

    def _cuts(self) -> Iterator[tuple[int, CallTree | None]]:
        """Yield where the rows of the view are interrupted: by a tree before a row, or by a row that is hidden."""
        trees = self._trees.values()
        inner = {branch.index for tree in trees for branch in tree.branches if branch.index != tree.request}
        for tree in trees:
            if tree.request not in inner and (place := self._place_of(tree.request)) is not None:
                yield place + 1, tree
                hidden = (self._place_of(branch.index) for branch in tree.branches if branch.index in inner)
                yield from ((row, None) for row in hidden if row is not None)


def _first(part: _Part) -> int:
    return part.first


def _cut(cut: tuple[int, CallTree | None]) -> tuple[int, bool]:
    # A tree comes before the row after its call, whether that is hidden or not.
    return cut[0], cut[1] is None
