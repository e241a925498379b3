"""The order of the rows of a list, which follows the messages that arrive: large lists are sorted on a thread."""

import time
from collections.abc import Callable
from functools import partial

from textual.timer import Timer

from workbench.model.traffic.list_columns import MAX_SORTED, ListColumns
from workbench.model.traffic.row_sorting import sorted_rows
from workbench.tui.widgets.traffic import TrafficList
from workbench.tui.workers import run_on_thread, start_worker

_FEW = 2_000  # Rows that are sorted at once.
# The pause after sorting, in seconds, and at least so many times as long as that took.
_PAUSE_S = 0.3
_REST = 10


class ListSorting:
    """Sorts the rows of a list by the column that the user has chosen.

    Args:
        columns: what the user has chosen.
    """

    def __init__(self, traffic: Callable[[], TrafficList], columns: ListColumns) -> None:
        self.columns = columns
        self._traffic = traffic
        self._sorted: object = None  # What identifies the rows that were sorted, and the order.
        self._is_sorting = False
        self._timer: Timer | None = None
        self._is_new = False  # Whether the user has just chosen the order.

    def begin(self) -> None:
        """Sort the rows as the user has just chosen, and go to the first of them."""
        self._is_new = True
        self.follow()
        if not self.columns.is_sorted or self.is_refused:
            self._go_to_first()

    @property
    def is_refused(self) -> bool:
        """Whether the list has more rows than are sorted."""
        return self.columns.is_sorted and len(self._traffic().view) > MAX_SORTED

    @property
    def facts(self) -> tuple[str, ...]:
        """What the note beside the filter shows of the order."""
        if not self.columns.is_sorted:
            return ()
        return (f"over {MAX_SORTED:,}, not sorted" if self.is_refused else f"sorted by {self.columns.sort}",)

    def follow(self) -> None:
        """Sort the rows, if they have changed since they were sorted."""
        traffic, columns = self._traffic(), self.columns
        view = traffic.view
        if not columns.is_sorted or self.is_refused:
            self._sorted = None
            if traffic.rows.order is not None:
                traffic.set_order(None)
            return
        state = (view, view.timeline.version, view.filter, len(view), columns.sort, columns.is_descending)
        if state == self._sorted or self._is_sorting or not view.is_complete:
            return
        self._sorted = state
        sort = partial(sorted_rows, view, list(view.indices), columns.sort, is_descending=columns.is_descending)
        if len(view) <= _FEW:
            self._show(sort())
        elif self._timer is None:
            start_worker(traffic, partial(self._sort, sort), "sorting")
        else:
            self._sorted = None

    async def _sort(self, sort: Callable[[], list[int]]) -> None:
        traffic, started = self._traffic(), time.monotonic()
        view, self._is_sorting = traffic.view, True
        try:
            order = await run_on_thread(sort)
        finally:
            self._is_sorting = False
        if traffic.view is view and self.columns.is_sorted:
            self._show(order)
        self._timer = traffic.set_timer(max(_PAUSE_S, _REST * (time.monotonic() - started)), self._go_on)

    def _show(self, order: list[int]) -> None:
        self._traffic().set_order(order)
        self._go_to_first()

    def _go_to_first(self) -> None:
        if self._is_new:
            self._is_new = False
            self._traffic().action_first()

    def _go_on(self) -> None:
        self._timer = None
        self.follow()
