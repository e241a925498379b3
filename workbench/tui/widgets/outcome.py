"""The outcome of runs: status and views of the current run, and the calls made before."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from workbench.model.catalog import OfferKind
from workbench.model.describe import json_text
from workbench.model.traffic.held_records import CallHold
from workbench.model.traffic.run_log import RunLog
from workbench.model.traffic.run_records import RunRecords, run_times
from workbench.model.traffic.timeline import Timeline
from workbench.tui.widgets.call_history import CallHistory, HistoryPanel
from workbench.tui.widgets.diff_view import DiffView
from workbench.tui.widgets.light_classes import set_light_class
from workbench.tui.widgets.log_view import LogView
from workbench.tui.widgets.no_run import NoRun
from workbench.tui.widgets.outcome_tabs import TABS, OutcomeTabs
from workbench.tui.widgets.raw_view import RawView
from workbench.tui.widgets.result import ResultView
from workbench.tui.widgets.run_line import RunLine
from workbench.tui.widgets.run_notes import RunNotes
from workbench.tui.workers import run_on_thread, start_worker
from workbench.workspace.capture_files import captured_timeline

if TYPE_CHECKING:
    from workbench.model.history import CallRun, History

_LOW = 16  # The rows below which the history has fewer, so that some of the result stay in sight.


class Outcome(Vertical):
    """A run with its views, one of them in front, above the history.

    Args:
        clock: returns the current time, in seconds since the epoch.
        timeline: returns the records that this terminal has received.
    """

    DEFAULT_CSS = """
    Outcome {
        & > OutcomeTabs { display: none; }
        &.-has-run > OutcomeTabs { display: block; }
        &.-has-run > NoRun { display: none; }
        &.-has-history > NoRun { display: none; }
        &.-empty-log > LogView { height: auto; min-height: 2; max-height: 4; }
    }
    """

    class RecordsChanged(Message):
        """Another run is shown, or records of the run have arrived."""

    def __init__(self, clock: Callable[[], float], timeline: Callable[[], Timeline], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock
        self._timeline = timeline
        self._kind = OfferKind.TOOL
        self._run: CallRun | None = None
        self._log: RunLog | None = None
        self._history: History | None = None
        self._tab = "result"
        # The view that was last chosen for each offer.
        self._tabs: dict[tuple[OfferKind, str], str] = {}
        # What the result view shows: the details of a failure may arrive after the result.
        self._result_key: object = None
        self._tokens = 0

    @property
    def run(self) -> "CallRun | None":
        return self._run

    @property
    def is_busy(self) -> bool:
        return self._run is not None and self._run.is_running

    @property
    def records(self) -> RunRecords | None:
        """The records of the run that is shown."""
        return None if self._log is None else self._log.records

    @property
    def front(self) -> Widget:
        """The view in front."""
        return self.query_one(f"#view-{self._tab}")

    @property
    def notes(self) -> RunNotes:
        return self.query_one(RunNotes)

    @property
    def message_under_cursor(self) -> int:
        """The number of the message under the cursor of the raw view; 0 if another view is in front."""
        section = self.query_one(RawView).section if self._tab == "raw" else None
        return 0 if section is None else section.seq

    @property
    def as_json(self) -> str:
        result = None if self._run is None else self._run.result
        return "" if result is None else json_text(result, indent=2)

    @property
    def history_run(self) -> "CallRun | None":
        """The call that "run again" and "edit" use: the call under the history's cursor, else the newest."""
        return self.query_one(HistoryPanel).chosen_run

    def compose(self) -> ComposeResult:
        yield RunLine(self._clock)
        yield RunNotes()
        yield NoRun()
        yield OutcomeTabs()
        yield LogView(id="view-log")
        yield ResultView(id="view-result")
        yield RawView(id="view-raw")
        yield DiffView(id="view-diff")
        yield HistoryPanel()

    def on_mount(self) -> None:
        self.show_tab(self._tab)

    def on_resize(self, event: events.Resize) -> None:
        self.query_one(HistoryPanel).set_class(event.size.height < _LOW, "-low")

    def show_tab(self, tab: str) -> None:
        """Bring a view to the front; it takes the focus from the one that was there."""
        had_focus = self.front.has_focus
        self._tab = tab
        if self._run is not None:
            self._tabs[self._run.kind, self._run.tool] = tab
        for name in TABS:
            self.query_one(f"#view-{name}").display = name == tab
        if had_focus:
            self.screen.set_focus(self.front)
        self._show_front()

    @property
    def _has_empty_log(self) -> bool:
        """Whether the call has ended without a line for its log."""
        return self._run is not None and not self.is_busy and (self._log is None or not self._log.count)

    def show_chosen_tab(self) -> None:
        """Bring the view to the front that was last chosen for the offer of the run."""
        if self._run is not None:
            self.show_tab(self._tabs.get((self._run.kind, self._run.tool), "result"))

    def show_next_tab(self, step: int) -> None:
        """Bring the next view to the front, or with -1 the previous one; without a run there is none."""
        if self._run is None:
            return
        names = list(TABS)
        self.show_tab(names[(names.index(self._tab) + step) % len(names)])

    def show(self, kind: OfferKind, run: "CallRun | None") -> None:
        self._kind, self._run = kind, run
        self._result_key, self._tokens = None, 0
        set_light_class(self, run is not None, "-has-run", self.children)
        self.query_one(NoRun).show_kind(kind)
        self.query_one(ResultView).show()
        self._show_records(self._timeline())
        if run is not None and run.capture and self._log is not None and self._log.records.first is None:
            start_worker(self, partial(self._load_captured, run), "captured")

    def _show_records(self, timeline: Timeline) -> None:
        """Show what a timeline has about the run."""
        self._log = None if self._run is None else RunLog(RunRecords(timeline, self._run))
        if self._log is not None:
            self._log.refresh()
        self.query_one(LogView).show(self._log)
        self.query_one(RawView).show_records(None)
        self.update_run()
        self.post_message(self.RecordsChanged())

    async def _load_captured(self, run: "CallRun") -> None:
        timeline = await run_on_thread(partial(captured_timeline, run))
        if run is self._run:
            self._show_records(timeline)

    def update_run(self) -> None:
        run = self._run
        self.query_one(RunLine).show(run)
        self._show_others()
        # The button is about to be hidden.
        if not self.is_busy and self.screen.focused is self.notes.button:
            self.screen.set_focus(self.front)
        self.notes.show_running(run)
        if run is not None and not run.is_running and self._result_key != (run.status, run.failure_details):
            self._result_key = (run.status, run.failure_details)
            self.query_one(ResultView).show_run(self._kind, run)
            self._tokens = _tokens(run)
        self._show_figures()
        self._show_front()

    def update_records(self) -> None:
        """Show what the records that have arrived contain about the run."""
        if self.records is not None and self._log is not None:
            count = len(self.records.entries)
            self._log.refresh()
            if self.is_busy:
                self._show_hold()
            if len(self.records.entries) != count:
                self._show_figures()
                self._show_front()
                self.post_message(self.RecordsChanged())

    def _show_hold(self) -> None:
        self.query_one(RunLine).show_hold(CallHold() if self.records is None else self.records.hold)

    def _show_figures(self) -> None:
        self._show_hold()
        if self.records is not None:
            times = None if self.is_busy else run_times(self.records)
            if times is not None and self._run is not None and self._run.wire != times.wire:
                self._run.wire = times.wire
                self.query_one(RunLine).refresh()
                self.query_one(CallHistory).refresh()
            self.query_one(RunLine).show_figures(times, self._tokens)

    def _show_front(self) -> None:
        """Show the current state of the run in the view in front; the others are hidden.

        An empty log has the result below it, so that no result and no error is missed.
        """
        has_both = self._tab == "log" and self._has_empty_log
        set_light_class(self, has_both, "-empty-log", self.children)
        self.query_one(ResultView).display = has_both or self._tab == "result"
        if self._tab == "log":
            self.query_one(LogView).update_lines()
        elif self._tab == "raw":
            self.query_one(RawView).show_records(self.records)
        elif self._tab == "diff":
            run = self._run
            previous = None if run is None or self._history is None else self._history.previous(run)
            self.query_one(DiffView).show_runs(run, previous)
        count = 0 if self._log is None else self._log.count
        self.query_one(OutcomeTabs).show_tabs(self._tab, {"log": f"{count:,}" if count else ""})

    def on_history_panel_run_chosen(self, event: HistoryPanel.RunChosen) -> None:
        event.stop()
        if event.run is not None and event.run is not self._run:
            self.show(event.run.kind, event.run)
        if event.is_opened:
            self.front.focus()

    def _show_others(self) -> None:
        self.notes.show_others(() if self._history is None else self._history, self._run)

    def show_history(self, history: "History") -> None:
        self._history = history
        self._show_others()
        self.query_one(HistoryPanel).calls.show(history, self._run)

    def toggle_history(self) -> None:
        panel = self.query_one(HistoryPanel)
        is_open = panel.toggle()
        # In a low terminal there is no room for both.
        self.set_class(is_open, "-has-history")
        self.screen.set_focus(panel.calls if is_open else self.front)


def _tokens(run: "CallRun") -> int:
    # Imported when there is a result: the first screen needs no lint.
    from workbench.model.lint import result_tokens

    return 0 if run.result is None else result_tokens(run.result)
