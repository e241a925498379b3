"""The watched calls: a row for each, and how the last result of the one under the cursor differs from the first."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.model.describe import plural, short_duration
from workbench.model.saved_calls import SavedCall
from workbench.model.short_text import escaped, shortened
from workbench.model.watched_result import WatchedResult
from workbench.tui.actions import find_action
from workbench.tui.screens.dialogs import Dialog
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.key_hints import KeyHints
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText
from workbench.workspace.watched_calls import WatchedCall
from workbench.workspace.workspace import Workspace

MAX_CHANGES = 100
"""How many differences of a result are listed."""
_TITLES = ("", "call", "result", "time", "first", "schema")
_KEYS = "enter open · r run all · a accept the result · delete end · esc close"
_STALE = "The reload failed: no call was run, and the rows are of the code before."
_WAITING = ("… waits", "table--muted")


class WatchScreen(Dialog[SavedCall | None]):
    """The watched calls, which run while it is open; returns the call to open in the form, or None."""

    AUTO_FOCUS = "Table"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "run_all", show=False),
        Binding("a", "accept", show=False),
        Binding(",".join(["delete", *find_action("watch", "tools").key_names]), "end", show=False),
        Binding(",".join([*find_action("show_watched", "tools").key_names, "q"]), "dismiss(None)", show=False),
    ]

    DEFAULT_CSS = """
    WatchScreen {
        & .box { width: 116; }
        & Table { height: 1fr; }
        & VerticalScroll { height: 1fr; border-top: solid $panel; padding: 0 1; }
    }
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace

    def compose(self) -> ComposeResult:
        with Vertical(classes="box tall") as box:
            box.border_title = "Watched calls"
            yield Table(_TITLES, wide_column=1, numbers=(3, 4), left_out=(4, 5, 3), empty_text="No call is watched.")
            with VerticalScroll(can_focus=False):
                yield Static(classes="detail", markup=False)
            yield KeyHints(_KEYS)

    def on_mount(self) -> None:
        self._show()
        # The first that has a difference is what the user wants to see.
        reds = (row for row, call in enumerate(self._calls) if call.result is not None and call.result.is_red)
        self.query_one(Table).move_to(next(reds, 0))

    def watched_changed(self) -> None:
        """Show the calls again: one has a result, or there are others."""
        self._show()

    @property
    def _calls(self) -> list[WatchedCall]:
        return self._workspace.watched_calls.calls

    @property
    def _current(self) -> WatchedCall | None:
        return self.query_one(Table).current_item(self._calls)

    def action_run_all(self) -> None:
        self._workspace.watched_calls.run_soon(*self._calls)

    def action_accept(self) -> None:
        if (call := self._current) is not None:
            self._workspace.watched_calls.accept(call)

    def action_end(self) -> None:
        if (call := self._current) is not None:
            self._workspace.watched_calls.remove(call)

    @on(Lines.Selected)
    def _selected(self) -> None:
        if (call := self._current) is not None:
            self.dismiss(call.call)

    @on(Lines.Highlighted)
    def _moved(self) -> None:
        self._show_detail()

    def _show(self) -> None:
        running = self._workspace.watched_calls.running
        self.query_one(Table).show_rows([_row(call, is_running=call is running) for call in self._calls])
        self._show_detail()

    def _show_detail(self) -> None:
        call = self._current
        lines = [_STALE] if self._workspace.watched_calls.is_stale else []
        if call is not None:
            lines += [call.call.note, *_lines(call.result)]
        self.query_one(".detail", Static).update(Content("\n".join(map(escaped, lines))))


def _row(call: WatchedCall, *, is_running: bool) -> tuple[StyledText, ...]:
    result, label = call.result, (call.label, "")
    if result is None:
        return _sign(None, is_running=is_running), label, _WAITING, ("", ""), ("", ""), ("", "")
    first = result.first.duration if result.first is not None else None
    return (
        _sign(result, is_running=is_running),
        label,
        _verdict(result),
        (short_duration(result.seconds), ""),
        (short_duration(first), "table--muted"),
        (result.schema, "table--bad" if result.is_breaking else "table--muted"),
    )


def _sign(result: WatchedResult | None, *, is_running: bool) -> StyledText:
    if is_running:
        return "…", "table--warn"
    if result is None or result.run is None:
        return "·", "table--muted"
    return ("✗", "table--bad") if result.is_red else ("✓", "table--good")


def _verdict(result: WatchedResult) -> StyledText:
    if result.run is None:
        return "not run", "table--warn"
    if result.problem:
        return shortened(result.problem), "table--bad"
    if result.changes:
        return plural(len(result.changes), "difference"), "table--bad"
    return ("asked; declined", "table--warn") if result.asked else ("same", "table--good")


def _lines(result: WatchedResult | None) -> list[str]:
    """Return the last result of a call in words: its problem, what it asked, and each difference."""
    if result is None:
        return []
    lines = [result.problem] if result.problem else []
    lines += [f"It asked, and was declined: {text}" for text in result.asked]
    lines += [f"It asked: {text}" for text in result.ruled]
    for change in result.changes[:MAX_CHANGES]:
        lines.append(f"{change.kind} {change.path or 'result'}")
        lines += [f"    {sign} {value}" for sign, value in (("-", change.before), ("+", change.after)) if value]
    if len(result.changes) > MAX_CHANGES:
        lines.append("There are more differences.")
    return lines or ["The result is the same as the first."]
