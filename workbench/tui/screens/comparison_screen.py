"""Two captures compared: a row for each call, and how the answers to the call under the cursor differ."""

import time
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from server_core.errors import WorkbenchError
from workbench.model.describe import duration, plural
from workbench.model.difference import ChangeKind, ValueChange
from workbench.model.short_text import escaped
from workbench.replay.captured_calls import CapturedCall
from workbench.replay.comparison import MAX_DIFFERENCES, CallVerdict, ComparedCall
from workbench.tui.colours import BAD, GOOD, MUTED, WARN
from workbench.tui.screens.dialogs import Dialog
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText
from workbench.tui.widgets.panels import KeyScroll
from workbench.tui.workers import start_worker
from workbench.workspace.capture_comparison import CaptureComparison

MAX_ROWS = 5_000
"""How many calls are shown; those that differ are shown first if there are more."""
_SIGNS = {
    CallVerdict.SAME: ("✓ same", "table--good"),
    CallVerdict.DIFFERS: ("✗ differs", "table--bad"),
    CallVerdict.ONLY_FIRST: ("- only first", "table--warn"),
    CallVerdict.ONLY_SECOND: ("+ only second", "table--warn"),
}
_CHANGE_STYLES = {ChangeKind.ADDED: GOOD, ChangeKind.REMOVED: BAD, ChangeKind.CHANGED: WARN}


class ComparisonScreen(Dialog[tuple[ComparedCall, str, int] | None]):
    """Compares two captures, or shows the result of a comparison again.

    Returns the call whose message is to be shown, with the path of its capture and its number; None after Esc.

    Args:
        names: what the captures are called.
        call: the call whose row gets the cursor.
    """

    AUTO_FOCUS = "Table"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "toggle_same", show=False),
        Binding("a", "toggle_all", show=False),
        Binding("2", "open_second", show=False),
        Binding("tab", "app.focus_next", show=False),
    ]

    DEFAULT_CSS = """
    ComparisonScreen {
        & .box { width: 150; }
        & Table { height: 1fr; }
        & KeyScroll { height: 1fr; border-top: solid $panel; padding: 0 1; }
        & KeyScroll:focus { border-top: solid $border; }
        & .detail { height: auto; }
    }
    """

    def __init__(self, comparison: CaptureComparison, names: tuple[str, str], call: ComparedCall | None = None) -> None:
        super().__init__()
        self._comparison = comparison
        self._names = names
        self._returned = call
        self._shows_same = True
        self._error = ""
        self._rows: list[ComparedCall] = []

    def compose(self) -> ComposeResult:
        with Vertical(classes="box tall") as box:
            box.border_title = Content("Two captures compared")
            box.border_subtitle = "enter, 2 open the message · v differences · a all · esc close"
            yield Static(classes="summary", markup=False)
            yield Table(
                ("result", "call", "first", "second", "places"), wide_column=1, numbers=(2, 3, 4), empty_text=""
            )
            with KeyScroll():
                yield Static(classes="detail", markup=False)

    def on_mount(self) -> None:
        self._show()
        if self._comparison.result is None:
            start_worker(self, self._run, "comparison")
        elif self._returned in self._rows:
            self.query_one(Table).move_to(self._rows.index(self._returned))

    async def _run(self) -> None:
        self._error = ""
        self._show()
        try:
            await self._comparison.run()
        except WorkbenchError as error:
            self._error = str(error)
        self._show()
        different = (row for row, call in enumerate(self._rows) if call.verdict is not CallVerdict.SAME)
        self.query_one(Table).move_to(next(different, 0))
        self._show_detail()

    @property
    def _call(self) -> ComparedCall | None:
        return self.query_one(Table).current_item(self._rows)

    def action_toggle_same(self) -> None:
        call = self._call
        self._shows_same = not self._shows_same
        self._show()
        if call in self._rows:
            self.query_one(Table).move_to(self._rows.index(call))

    def action_toggle_all(self) -> None:
        """Compare also what clients request by themselves, or only calls again."""
        self._comparison.has_all = not self._comparison.has_all
        self._comparison.result = None
        start_worker(self, self._run, "comparison")

    def action_open_second(self) -> None:
        if (call := self._call) is not None and call.second is not None:
            self.dismiss((call, self._comparison.second, call.second.seq))

    @on(Lines.Selected)
    def _selected(self) -> None:
        if (call := self._call) is None:
            return
        if call.first is None:
            self.action_open_second()
        else:
            self.dismiss((call, self._comparison.first, call.first.seq))

    @on(Lines.Highlighted)
    def _moved(self) -> None:
        self._show_detail()

    def _show(self) -> None:
        result = self._comparison.result
        calls = [] if result is None else result.calls
        if not self._shows_same or len(calls) > MAX_ROWS:
            calls = [call for call in calls if call.verdict is not CallVerdict.SAME]
        self._rows = calls[:MAX_ROWS]
        self.query_one(".summary", Static).update(self._summary())
        self.query_one(Table).show_rows([_row(call) for call in self._rows])
        self._show_detail()

    def _summary(self) -> Content:
        result = self._comparison.result
        first, second = map(escaped, self._names)
        parts: list[Content | str | tuple[str, str]] = [(first, "bold"), (" with ", MUTED), (second, "bold"), "\n"]
        if self._error:
            return Content.assemble(*parts, (f"✗ {escaped(self._error)}", BAD))
        if result is None:
            return Content.assemble(*parts, ("reading the captures …", MUTED))
        what = "request" if self._comparison.has_all else "call"
        counts = ", ".join(f"{result.count(verdict):,} {verdict}" for verdict in CallVerdict)
        parts.append(
            f"{plural(len(result.calls), what)}: {counts}" if result.calls else f"There is no {what} in either."
        )
        if len(result.calls) > MAX_ROWS:
            parts.append((f"\nof {len(result.calls):,}, only those that differ are listed, up to {MAX_ROWS:,}", MUTED))
        return Content.assemble(*parts, *((f"\n{escaped(note)}", WARN) for note in result.notes))

    def _show_detail(self) -> None:
        call = self._call
        self._write([] if call is None else [_head(call)])
        if call is not None and self._comparison.result is not None:
            start_worker(self, partial(self._load_detail, call), "detail")

    async def _load_detail(self, call: ComparedCall) -> None:
        try:
            changes = await self._comparison.changes(call)
        except WorkbenchError as error:
            self._write([_head(call), Content.styled(escaped(str(error)), BAD)])
            return
        if call == self._call:
            self._write([_head(call), *_lines(call, changes)])

    def _write(self, lines: list[Content]) -> None:
        self.query_one(".detail", Static).update(Content("\n").join(lines))


def _row(call: ComparedCall) -> tuple[StyledText, ...]:
    places = f"{call.places}+" if call.places >= MAX_DIFFERENCES else str(call.places or "")
    times = ((_time(side), "table--muted") for side in (call.first, call.second))
    return (_SIGNS[call.verdict], (call.call.title, ""), *times, (places, "table--muted"))


def _time(call: CapturedCall | None) -> str:
    if call is None:
        return ""
    return "no answer" if call.seconds is None else duration(call.seconds)


def _head(call: ComparedCall) -> Content:
    sides = (("first", call.first), ("second", call.second))
    places = (f"{name} #{side.seq} {_clock(side.time)} {_time(side)}" for name, side in sides if side is not None)
    title = f"{call.call.method} {call.call.title}" if call.call.name else call.call.method
    return Content.assemble((escaped(title), "bold"), ("\n" + " · ".join(places), MUTED))


def _clock(seconds: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(seconds))


def _lines(call: ComparedCall, changes: list[ValueChange]) -> list[Content]:
    match call.verdict:
        case CallVerdict.SAME:
            return [Content("The answers are the same.")]
        case CallVerdict.DIFFERS:
            return [line for change in changes for line in _change_lines(change)]
        case _:
            return [Content(f"The call is {call.verdict} capture.")]


def _change_lines(change: ValueChange) -> list[Content]:
    head = Content.styled(f"{change.kind} {escaped(change.path)}", _CHANGE_STYLES[change.kind])
    values = [("- ", change.before, BAD), ("+ ", change.after, GOOD)]
    return [head, *(Content.assemble(("  " + sign, MUTED), (value, style)) for sign, value, style in values if value)]
