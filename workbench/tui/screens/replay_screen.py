"""A replay while it runs: a row for each request, and how the answer under the cursor differs from the recorded one."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from server_core.errors import WorkbenchError
from workbench.model.describe import plural
from workbench.model.short_text import escaped
from workbench.replay.report import ReplayOutcome, Status
from workbench.tui.screens.dialogs import Dialog
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText
from workbench.tui.workers import start_worker
from workbench.workspace.capture_replay import CaptureReplay

_SIGNS = {
    Status.SAME: ("✓ same", "table--good"),
    Status.DIFFERS: ("✗ differs", "table--bad"),
    Status.SKIPPED: ("· skipped", "table--muted"),
}


class ReplayScreen(Dialog[int | None]):
    """Runs a replay, or shows the results of one that has ended.

    Returns the number of the message to show in the capture, or None after Esc, which ends the replay.
    """

    AUTO_FOCUS = "Table"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("v", "toggle_all", show=False)]

    DEFAULT_CSS = """
    ReplayScreen {
        & .box { width: 120; }
        & Table { height: 1fr; }
        & VerticalScroll { height: 1fr; border-top: solid $panel; padding: 0 1; }
    }
    """

    def __init__(self, replay: CaptureReplay, seq: int = 0) -> None:
        super().__init__()
        self._replay = replay
        self._seq = seq  # The message whose row has the cursor, when the replay is shown again.
        self._shows_all = True
        self._error = ""

    def compose(self) -> ComposeResult:
        with Vertical(classes="box tall") as box:
            box.border_title = Content(f"Replay of {escaped(self._replay.name)}")
            box.border_subtitle = "v only what differs · enter the recorded message · esc close"
            yield Static(classes="summary", markup=False)
            yield Table(("result", "request", "differences"), wide_column=1, empty_text="")
            with VerticalScroll():
                yield Static(classes="detail", markup=False)

    def on_mount(self) -> None:
        self._show()
        if self._replay.is_running:
            start_worker(self, self._run, "replay")
        else:
            rows = (row for row, outcome in enumerate(self._outcomes) if outcome.seq == self._seq)
            self.query_one(Table).move_to(next(rows, 0))

    async def _run(self) -> None:
        try:
            await self._replay.run(self._show)
        except WorkbenchError as error:
            self._error = str(error)
            self._show()
        statuses = [outcome.status for outcome in self._outcomes]
        table = self.query_one(Table)
        if table.cursor == 0 and Status.DIFFERS in statuses:
            table.move_to(statuses.index(Status.DIFFERS))

    @property
    def _outcomes(self) -> list[ReplayOutcome]:
        outcomes = self._replay.outcomes
        return [each for each in outcomes if self._shows_all or each.status is Status.DIFFERS]

    def action_toggle_all(self) -> None:
        selected = self.query_one(Table).current_item(self._outcomes)
        self._shows_all = not self._shows_all
        self._show()
        if selected in self._outcomes:
            self.query_one(Table).move_to(self._outcomes.index(selected))

    @on(Lines.Highlighted)
    def _moved(self) -> None:
        self._show_detail()

    @on(Lines.Selected)
    def _selected(self) -> None:
        outcome = self.query_one(Table).current_item(self._outcomes)
        if outcome is not None and outcome.seq:
            self.dismiss(outcome.seq)

    def _show(self) -> None:
        self.query_one(".summary", Static).update(Content(self._summary()))
        self.query_one(Table).show_rows([_row(outcome) for outcome in self._outcomes])
        self._show_detail()

    def _summary(self) -> str:
        replay = self._replay
        if self._error:
            return f"✗ {escaped(self._error)}"
        counts = ", ".join(
            f"{sum(outcome.status is status for outcome in replay.outcomes)} {status}" for status in Status
        )
        progress = f"{len(replay.outcomes)} of {replay.total}" if replay.is_running else plural(replay.total, "request")
        return "\n".join([f"{progress}: {counts}", *map(escaped, replay.notes)])

    def _show_detail(self) -> None:
        outcome = self.query_one(Table).current_item(self._outcomes)
        lines = [] if outcome is None else [outcome.title, *(outcome.describe() or ["The answer is the same."])]
        self.query_one(".detail", Static).update(Content("\n".join(map(escaped, lines))))


def _row(outcome: ReplayOutcome) -> tuple[StyledText, ...]:
    differences = str(len(outcome.differences) or "")
    return _SIGNS[outcome.status], (outcome.title, ""), (differences, "table--muted")
