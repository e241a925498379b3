"""The calls made so far, newest first, with their numbers, times, arguments and status; a search shows some of them."""

import time
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Input

from workbench.model import describe
from workbench.model.history import CallRun, History
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText, fit, fit_right
from workbench.tui.widgets.run_rows import RUN_CLASSES, STATUS_CLASSES, STATUS_SIGNS

# The smallest width, in columns, at which the time of day is shown, and that at which the duration is.
_MIN_WIDTH_FOR_TIME = 60
_MIN_WIDTH_FOR_DURATION = 45
_DURATION_WIDTH = 8
# The width up to which a name has room before the arguments.
_NAME_WIDTH = 12
# Characters of the arguments that are shown.
_MAX_SHOWN = 200
# Characters of the arguments that a search reads.
_MAX_SEARCHED = 2000


class HistoryPanel(Vertical):
    """The calls with their search, which the user opens and closes."""

    DEFAULT_CSS = """
    HistoryPanel {
        display: none;
        height: auto;
        &.-open { display: block; }
        & > CallHistory { height: auto; max-height: 9; border-top: hkey $panel; }
        &.-low > CallHistory { max-height: 5; }
        & > HistorySearch { display: none; }
        &.-search > HistorySearch { display: block; }
    }
    """

    class RunChosen(Message):
        """The cursor has come to another call, or the user has opened the call under the cursor."""

        def __init__(self, run: CallRun | None, *, is_opened: bool) -> None:
            super().__init__()
            self.run = run
            self.is_opened = is_opened

    def compose(self) -> ComposeResult:
        yield CallHistory()
        yield HistorySearch()

    @property
    def calls(self) -> "CallHistory":
        return self.query_one(CallHistory)

    @property
    def chosen_run(self) -> CallRun | None:
        """The call under the cursor while the history is open, else the newest."""
        return self.calls.run if self.has_class("-open") else self.calls.run_at(0)

    def toggle(self) -> bool:
        """Show the history or hide it, without a search, and return whether it is shown now."""
        self.toggle_class("-open")
        self.remove_class("-search")
        # Otherwise "run again" would use the newest of the matches.
        self.query_one(HistorySearch).value = ""
        return self.has_class("-open")

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self.post_message(self.RunChosen(self.calls.run, is_opened=False))

    def on_lines_selected(self, event: Lines.Selected) -> None:
        event.stop()
        self.post_message(self.RunChosen(self.calls.run, is_opened=True))

    def on_call_history_search_opened(self, event: "CallHistory.SearchOpened") -> None:
        event.stop()
        self.add_class("-search")
        self.screen.set_focus(self.query_one(HistorySearch))

    @on(Input.Changed)
    def _search(self, event: Input.Changed) -> None:
        event.stop()
        self.calls.search(event.value)

    @on(Input.Submitted)
    def _go_to_matches(self, event: Input.Submitted) -> None:
        event.stop()
        self.screen.set_focus(self.calls)

    def on_history_search_closed(self, event: "HistorySearch.Closed") -> None:
        event.stop()
        self.screen.set_focus(self.calls)
        self.remove_class("-search")


class CallHistory(Lines):
    """The runs of a history; the cursor is on the run whose result is shown."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("slash", "search", show=False)]

    COMPONENT_CLASSES: ClassVar[set[str]] = RUN_CLASSES

    DEFAULT_CSS = """
    CallHistory {
        & > .run--ok { color: $text-success; }
        & > .run--bad { color: $text-error; text-style: bold; }
        & > .run--running { color: $text-warning; }
        & > .run--muted { color: $text-muted; }
    }
    """

    class SearchOpened(Message):
        """The user wants to search the calls."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._all: list[CallRun] = []
        self._runs: list[CallRun] = []
        self._words: list[str] = []

    @property
    def line_count(self) -> int:
        # A search without matches has a row for a note.
        return len(self._runs) or bool(self._words)

    @property
    def run(self) -> CallRun | None:
        return self.run_at(self.cursor)

    def run_at(self, index: int) -> CallRun | None:
        return self._runs[index] if index < len(self._runs) else None

    def show(self, history: History, current: CallRun | None) -> None:
        """Show the runs, with the cursor on the current run; None leaves it in its row."""
        self._all = list(reversed(list(history)))
        self._show_matches(current)

    def search(self, text: str) -> None:
        """Show only the runs whose number (or date), name or arguments contain every word of the text."""
        before, self._words = self.run, text.lower().split()
        self._show_matches(before)
        if self.run is not before:
            # Another run may have come into the same row.
            self.post_message(self.Highlighted(self, self.cursor))

    def action_search(self) -> None:
        self.post_message(self.SearchOpened())

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        if not self._runs:
            return self.paint([(" No call matches.", "run--muted")])
        run = self._runs[index]
        number, started = self._place(run, has_time=width >= _MIN_WIDTH_FOR_TIME)
        seconds = run.duration if run.wire is None else run.wire
        is_wide = width >= _MIN_WIDTH_FOR_DURATION
        duration = fit_right(describe.short_duration(seconds), _DURATION_WIDTH) + "  " if is_wide else ""
        rest = width - 3 - len(number) - len(started) - len(duration)
        name = fit(run.tool, min(max(len(run.tool), 8), max(rest // 2, min(rest, _NAME_WIDTH))))
        arguments = describe.arguments_line(run.arguments, self._arguments_before(run), _MAX_SHOWN)
        texts: list[StyledText] = [
            (f" {STATUS_SIGNS[run.status]} ", STATUS_CLASSES[run.status]),
            (number, ""),
            (started + duration, "run--muted"),
            (name, ""),
            (f" {fit(arguments, rest - len(name) - 1)}", "run--muted"),
        ]
        return self.paint(texts, selected)

    def _arguments_before(self, run: CallRun) -> dict[str, Any]:
        """Return the arguments of the previous call of the same offer."""
        older = self._all[self._all.index(run) + 1 :]
        return next((other.arguments for other in older if (other.kind, other.tool) == (run.kind, run.tool)), {})

    def _place(self, run: CallRun, *, has_time: bool) -> tuple[str, str]:
        """Return a run's number and time, or date and time in an earlier session; together they are equally wide."""
        newest = self._all[0]
        digits = 0 if newest.is_earlier else len(newest.title)
        of_earlier = _earlier_title(self._all[-1], is_short=not has_time) if self._all[-1].is_earlier else ""
        width = 1 + max(digits + 9 * has_time, len(of_earlier))
        if run.is_earlier:
            return "", fit(_earlier_title(run, is_short=not has_time), width)
        number = fit_right(run.title, digits) + " "
        return number, fit(time.strftime("%H:%M:%S", time.localtime(run.started)) * has_time, width - len(number))

    def _show_matches(self, current: CallRun | None) -> None:
        self._runs = [run for run in self._all if _matches(run, self._words)] if self._words else self._all
        if current in self._runs:
            self.cursor = self._runs.index(current)
        self.lines_changed()


class HistorySearch(Input):
    """The words to search the calls for; Esc closes the search, and all calls are shown again."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", show=False)]

    class Closed(Message):
        """The user has closed the search."""

    def __init__(self) -> None:
        super().__init__(placeholder="search the calls", compact=True)

    def action_close(self) -> None:
        self.value = ""
        self.post_message(self.Closed())


def _earlier_title(run: CallRun, *, is_short: bool) -> str:
    """Return when a run of an earlier session began; where there is little room, the time of today or the day alone."""
    if not is_short:
        return run.title
    started = time.localtime(run.started)
    is_today = started[:3] == time.localtime()[:3]
    return time.strftime(" %H:%M" if is_today else "%d %b", started)


def _matches(run: CallRun, words: list[str]) -> bool:
    text = f"{run.title} {run.tool} {describe.json_line(run.arguments, _MAX_SEARCHED)}".lower()
    return all(word in text for word in words)
