"""The statistics of the calls that the inspector shows, a row for each tool or method, sorted by any column."""

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from workbench.model.describe import duration, plural, size
from workbench.model.traffic.statistics import CallStatistics
from workbench.tui.screens.dialogs import Dialog
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText

_COLUMNS: tuple[tuple[str, Callable[[CallStatistics], float]], ...] = (
    ("calls", lambda each: each.calls),
    ("errors", lambda each: each.errors),
    ("p50", lambda each: each.quantile(0.5) or 0.0),
    ("p95", lambda each: each.quantile(0.95) or 0.0),
    ("p99", lambda each: each.quantile(0.99) or 0.0),
    ("size", lambda each: each.size),
)
"""The columns after the name, with what they are sorted by, the largest first."""


class StatisticsScreen(Dialog[CallStatistics | None]):
    """Returns the row that was chosen with Enter; None after Esc."""

    AUTO_FOCUS = "Table"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,s", "sort(1)", show=False),
        Binding("left", "sort(-1)", show=False),
    ]

    DEFAULT_CSS = """
    StatisticsScreen .box { width: 110; }
    """

    def __init__(self, statistics: list[CallStatistics]) -> None:
        super().__init__()
        self._statistics = statistics
        self._column = 0

    def compose(self) -> ComposeResult:
        with Vertical(classes="box tall") as box:
            calls = sum(each.calls for each in self._statistics)
            errors = sum(each.errors for each in self._statistics)
            box.border_title = f"Statistics of {plural(calls, 'request')}, {plural(errors, 'error')}"
            yield Table(("call", *(name for name, _ in _COLUMNS)), wide_column=0, empty_text="There are no requests.")

    def on_mount(self) -> None:
        self._show()

    def action_sort(self, step: int) -> None:
        self._column = (self._column + step) % len(_COLUMNS)
        self._show()

    @on(Lines.Selected)
    def _selected(self) -> None:
        self.dismiss(self.query_one(Table).current_item(self._statistics))

    def _show(self) -> None:
        name, key = _COLUMNS[self._column]
        self._statistics.sort(key=key, reverse=True)
        self.query_one(".box").border_subtitle = f"by {name}; ←→ sort · enter filter · esc close"
        self.query_one(Table).show_rows(list(map(_row, self._statistics)))


def _row(each: CallStatistics) -> tuple[StyledText, ...]:
    times = (each.quantile(share) for share in (0.5, 0.95, 0.99))
    return (
        (each.title, ""),
        (f"{each.calls:,}", ""),
        (f"{each.errors:,}" if each.errors else "", "table--bad"),
        *(("" if time is None else duration(time), "table--muted") for time in times),
        (size(each.size), "table--muted"),
    )
