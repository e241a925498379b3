"""Entries that are checked in parts, so that a million of them do not delay a key or a paint."""

from collections.abc import Callable

from textual.timer import Timer

from workbench.tui.widgets.traffic import TrafficList

# How long entries are checked and counted at once, and the pause in which keys are read and the screen is painted, in
# seconds.
_CHECKING_S = 0.02
_COUNTING_S = 0.005
_PAUSE_S = 0.001


class EntryChecking:
    """The checks of the entries of a list against its filter.

    Args:
        go_on: checks the next part.
        on_checked: called after each part.
    """

    def __init__(
        self, traffic: Callable[[], TrafficList], go_on: Callable[[], None], on_checked: Callable[[], None]
    ) -> None:
        self._traffic = traffic
        self._go_on = go_on
        self._on_checked = on_checked
        self._timer: Timer | None = None
        # The message to return to once a filter was applied to all, and the row in which the cursor waits for it.
        self._anchor: tuple[int, int] | None = None

    def check(self, check: Callable[[float], object]) -> None:
        """Let the view check entries for a moment, and the rest of a million after the next paint."""
        traffic = self._traffic()
        check(_CHECKING_S)
        traffic.view.summarise(_COUNTING_S)
        traffic.lines_changed()
        self._on_checked()
        if self._timer is not None:
            self._timer.stop()
        if not traffic.view.is_complete:
            self._timer = traffic.set_timer(_PAUSE_S, self._go_on)
        elif not traffic.view.is_settled:
            self._timer = traffic.set_timer(_PAUSE_S, self._count)
        if traffic.view.is_complete and self._anchor is not None:
            seq, row = self._anchor
            self._anchor = None
            if traffic.cursor == row:
                traffic.move_to(traffic.rows.nearest_row(seq))

    def _count(self) -> None:
        """Count more rows for the summary, the only line that changes."""
        traffic = self._traffic()
        traffic.view.summarise(_COUNTING_S)
        if traffic.view.is_settled:
            traffic.refresh_summary()
        else:
            self._timer = traffic.set_timer(_PAUSE_S, self._count)

    def forget(self) -> None:
        """Stay where the cursor is when all entries were checked."""
        self._anchor = None

    def stay_at(self, seq: int) -> None:
        """Keep a message under the cursor, now and when all entries were checked, unless the user moves it."""
        traffic = self._traffic()
        traffic.move_to(traffic.rows.nearest_row(seq))
        self._anchor = None if traffic.view.is_complete else (seq, traffic.cursor)
