"""A replay: a row for each request, and how the answer under the cursor differs from the recorded one.

The user lets it run, or decides about each request: send, change or skip it, or continue by hand from there.
"""

from collections.abc import Callable
from functools import partial
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
from workbench.replay.recording import RecordedExchange
from workbench.replay.report import Status
from workbench.tui.screens.dialogs import Dialog
from workbench.tui.screens.replay_params import edited_params
from workbench.tui.screens.replay_rows import cells_of, differs, lines_of
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.lines import Lines
from workbench.tui.workers import start_worker
from workbench.workspace.capture_replay import CaptureReplay, ReplayPhase, ReplayRow

_OPEN_KEYS = "s send · t run to here · R run all · p pause · x skip · e change · f by hand from here · "
_KEYS = "v only what differs · enter the recorded message · esc close"
_ENDED = "The replay has ended."


class ReplayScreen(Dialog[int | None]):
    """Starts a replay, or shows one that has been started.

    Returns the number of the message to show in the capture, or None after Esc; the replay continues until its `close`.
    """

    AUTO_FOCUS = "Table"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "toggle_all", show=False),
        Binding("s", "step", show=False),
        Binding("t", "run_to", show=False),
        Binding("R", "run_rest", show=False),
        Binding("p", "pause", show=False),
        Binding("x", "skip", show=False),
        Binding("e", "change", show=False),
        Binding("f", "fork", show=False),
    ]

    DEFAULT_CSS = """
    ReplayScreen {
        & .box { width: 120; }
        & Table { height: 1fr; }
        & VerticalScroll { height: 1fr; border-top: solid $panel; padding: 0 1; }
        & .problem { display: none; }
        & .keys { height: auto; color: $text-muted; }
    }
    """

    def __init__(self, replay: CaptureReplay, seq: int = 0) -> None:
        super().__init__()
        self._replay = replay
        self._seq = seq  # The message whose row has the cursor, when the replay is shown again.
        self._shows_all = True
        self._problem = ""
        self._is_due = False
        self._before: RecordedExchange | None = None  # the next request when the rows were last shown

    def compose(self) -> ComposeResult:
        with Vertical(classes="box tall") as box:
            box.border_title = Content(f"Replay of {escaped(self._replay.name)}")
            yield Static(classes="summary", markup=False)
            yield Static(classes="problem", markup=False)
            yield Table(("result", "request", "differences"), wide_column=1, empty_text="")
            with VerticalScroll():
                yield Static(classes="detail", markup=False)
            yield Static(classes="keys", markup=False)

    def on_mount(self) -> None:
        self._replay.on_change = self._show_soon
        self._show()
        if self._replay.phase is ReplayPhase.READING:
            self._replay.start()
        elif self._seq:
            self._move_to(lambda row: row.seq == self._seq)

    def on_unmount(self) -> None:
        if self._replay.on_change == self._show_soon:
            self._replay.on_change = lambda: None

    @property
    def _rows(self) -> list[ReplayRow]:
        rows = self._replay.rows
        return [row for row in rows if self._shows_all or differs(row)]

    @property
    def _current(self) -> ReplayRow | None:
        return self.query_one(Table).current_item(self._rows)

    @property
    def _waiting(self) -> RecordedExchange | None:
        """The request under the cursor that has not been sent; None after showing why there is none."""
        row = self._current
        if self._replay.phase is not ReplayPhase.PAUSED:
            self._show_problem("The replay runs: p pauses it." if self._replay.is_open else _ENDED)
        elif row is None or row.exchange is None or row.is_sent:
            self._show_problem("It was sent already: go to a row that waits.")
        else:
            self._show_problem("")
            return row.exchange
        return None

    def action_toggle_all(self) -> None:
        selected = self._current
        self._shows_all = not self._shows_all
        self._show()
        if selected is not None:
            self._move_to(lambda row: (row.seq, row.title) == (selected.seq, selected.title))

    def action_step(self) -> None:
        self._act(self._replay.step)

    def action_run_to(self) -> None:
        if (exchange := self._waiting) is not None:
            self._replay.run_to(exchange.seq)

    def action_run_rest(self) -> None:
        self._act(self._replay.run_rest)

    def action_pause(self) -> None:
        self._replay.pause()

    def action_skip(self) -> None:
        if (exchange := self._waiting) is not None:
            self._replay.toggle_skip(exchange)

    def action_change(self) -> None:
        if (exchange := self._waiting) is not None:
            start_worker(self, partial(self._change, exchange), "change")

    async def _change(self, exchange: RecordedExchange) -> None:
        try:
            params = await edited_params(self.app, exchange)
        except WorkbenchError as error:
            self._show_problem(str(error))
            return
        if params is not None:
            exchange.change(params)
            self._show()

    def action_fork(self) -> None:
        if (exchange := self._waiting) is not None:
            start_worker(self, partial(self._fork, exchange), "fork")

    async def _fork(self, exchange: RecordedExchange) -> None:
        try:
            text = await self._replay.fork(exchange.seq)
        except WorkbenchError as error:
            self._show_problem(str(error))
            return
        self.app.notify(text, title="replay", markup=False)
        self.dismiss(None)

    @on(Lines.Highlighted)
    def _moved(self) -> None:
        self._show_detail()

    @on(Lines.Selected)
    def _selected(self) -> None:
        row = self._current
        if row is not None and row.seq:
            self.dismiss(row.seq)

    def _act(self, action: Callable[[], None]) -> None:
        self._show_problem("" if self._replay.is_open else _ENDED)
        action()

    def _show_problem(self, text: str) -> None:
        problem = self.query_one(".problem", Static)
        problem.update(Content(escaped(text)))
        problem.display = bool(text)

    def _show_soon(self) -> None:
        """Show the rows once for all changes until then."""
        if not self._is_due and self.is_mounted:
            self._is_due = True
            self.call_later(self._show)

    def _show(self) -> None:
        self._is_due = False
        rows, table = self._rows, self.query_one(Table)
        self.query_one(".summary", Static).update(Content(self._summary()))
        self.query_one(".keys", Static).update(Content((_OPEN_KEYS if self._replay.is_open else "") + _KEYS))
        table.show_rows([cells_of(row) for row in rows])
        self._follow(rows)
        self._show_detail()

    def _follow(self, rows: list[ReplayRow]) -> None:
        """Have the cursor follow the next request, if it is there, and go to the first difference at the end."""
        before, self._before = self._before, self._replay.next
        current = self._current
        if before is not self._before and before is not None and current is not None and current.seq == before.seq:
            if self._before is not None:
                self._move_to(lambda row: row.is_next)
            else:
                self._move_to(differs)
        elif before is None and self._before is not None:
            self._move_to(lambda row: row.is_next)

    def _move_to(self, is_it: Callable[[ReplayRow], bool]) -> None:
        places = (place for place, row in enumerate(self._rows) if is_it(row))
        if (place := next(places, None)) is not None:
            self.query_one(Table).move_to(place)

    def _summary(self) -> str:
        replay = self._replay
        if replay.error:
            return f"✗ {escaped(replay.error)}"
        counts = ", ".join(
            f"{sum(outcome.status is status for outcome in replay.outcomes)} {status}" for status in Status
        )
        # With those of the server, which are compared as well.
        rows = replay.rows
        done = sum(row.outcome is not None for row in rows)
        progress = f"{done} of {len(rows)}" if replay.is_open else plural(len(rows), "request")
        phase = "" if replay.phase is ReplayPhase.ENDED else f"{replay.phase} · "
        return "\n".join([f"{phase}{progress}: {counts}", *map(escaped, replay.notes)])

    def _show_detail(self) -> None:
        row = self._current
        lines = [] if row is None else [row.title, *lines_of(row)]
        self.query_one(".detail", Static).update(Content("\n".join(map(escaped, lines))))
