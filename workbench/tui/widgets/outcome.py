"""The outcome of runs: status and result of the current run, and the calls made before."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Static

from workbench.model.catalog import OfferKind
from workbench.model.describe import plural
from workbench.tui.key_bindings import key_for
from workbench.tui.widgets.call_history import CallHistory
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.result import ResultView
from workbench.tui.widgets.run_line import RunLine

if TYPE_CHECKING:
    from workbench.model.history import CallRun, History


class Outcome(Vertical):
    """A run with its result, above the history."""

    DEFAULT_CSS = """
    Outcome {
        & > #waiting { display: none; height: auto; margin-top: 1; padding: 0 1; color: $text-warning; }
        &.-waiting > #waiting { display: block; }
        & > #running { display: none; height: 1; margin-top: 1; padding: 0 1; }
        & > #running > Button { min-width: 8; }
        &.-running > #running { display: block; }
        & > ResultView { margin-top: 1; }
        & > CallHistory { display: none; height: auto; max-height: 9; border-top: hkey $panel; }
        &.-history > CallHistory { display: block; }
    }
    """

    def __init__(self, clock: Callable[[], float], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock
        self._kind = OfferKind.TOOL
        self._run: CallRun | None = None
        # What the result view shows: the details of a failure may arrive after the result.
        self._result_key: object = None

    @property
    def run(self) -> "CallRun | None":
        return self._run

    @property
    def is_busy(self) -> bool:
        return self._run is not None and self._run.is_running

    @property
    def as_json(self) -> str:
        result = None if self._run is None else self._run.result
        return "" if result is None else json.dumps(result, indent=2, ensure_ascii=False)

    @property
    def history_run(self) -> "CallRun | None":
        """The call that "run again" and "edit" use: the call under the history's cursor, else the newest."""
        history = self.query_one(CallHistory)
        return history.run if self.has_class("-history") else history.run_at(0)

    def compose(self) -> ComposeResult:
        yield RunLine(self._clock)
        yield Static(id="waiting", markup=False)
        with Horizontal(id="running"):
            yield Button(f"Cancel {key_for('cancel_run', 'tools')}", compact=True, id="cancel")
        yield ResultView()
        yield CallHistory()

    def show(self, kind: OfferKind, run: "CallRun | None") -> None:
        self._kind, self._run = kind, run
        self._result_key = None
        self.query_one(ResultView).show()
        self.update_run()

    def update_run(self) -> None:
        run = self._run
        self.query_one(RunLine).show(run)
        # The button is about to be hidden.
        if not self.is_busy and self.screen.focused is self.query_one("#cancel"):
            self.screen.set_focus(self.query_one(ResultView))
        self.set_class(self.is_busy, "-running")
        if run is not None and not run.is_running and self._result_key != (run.status, run.failure_details):
            self._result_key = (run.status, run.failure_details)
            self.query_one(ResultView).show_run(self._kind, run)

    @on(Lines.Highlighted, "CallHistory")
    def _history_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        run = self.query_one(CallHistory).run
        if run is not None and run is not self._run:
            self.show(OfferKind.TOOL, run)

    def show_waiting(self, count: int) -> None:
        """Show how many questions are open; a call may be waiting for their answers."""
        self.query_one("#waiting", Static).update(
            f"? {plural(count, 'question')} to answer: {key_for('answer', 'tools')}"
        )
        self.set_class(count > 0, "-waiting")

    def show_history(self, history: "History") -> None:
        self.query_one(CallHistory).show(history, self._run)

    def toggle_history(self) -> None:
        self.toggle_class("-history")
        target = CallHistory if self.has_class("-history") else ResultView
        self.query_one(target).focus()
