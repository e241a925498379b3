"""The messages that wait for an operator, with the time that each client still waits, and a key for each verb."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from server_core.errors import WorkbenchError
from workbench.model.describe import plural, size
from workbench.model.short_text import escaped
from workbench.model.traffic.entry import Entry
from workbench.tui.screens.dialogs import Dialog, PromptScreen
from workbench.tui.screens.held_texts import HeldTexts, entry_of
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.key_hints import KeyHints
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText
from workbench.tui.widgets.traffic_columns import row_text
from workbench.tui.workers import start_worker
from workbench.workspace.held_messages import Waiting
from workbench.workspace.workspace import Workspace

TICK_S = 1.0
"""Seconds between two updates of the countdowns."""
SOON_S = 10.0
"""Seconds before the end of a countdown from which it is a warning."""
MAX_DELAY_S = 3600.0

_KEYS = "r release · e edit · a answer · d drop · t send twice · w wait · R release all · x end the hold · esc close"
_TITLES = ("#", "way", "kind", "message", "session", "size", "client waits", "held by")


class HeldScreen(Dialog[None]):
    """The messages that wait, which may change while it is open."""

    AUTO_FOCUS = "Table"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "act('release')", show=False),
        Binding("d", "act('drop')", show=False),
        Binding("t", "act('duplicate')", show=False),
        Binding("e", "edit", show=False),
        Binding("a", "answer", show=False),
        Binding("w", "delay", show=False),
        Binding("R", "release_all", show=False),
        Binding("x", "end_hold", show=False),
    ]

    DEFAULT_CSS = """
    HeldScreen {
        & .box { width: 116; }
        & Table { height: 1fr; }
    }
    """

    def __init__(self, workspace: Workspace, on_act: Callable[[str, int], None]) -> None:
        super().__init__()
        self._on_act = on_act  # is called with a verb that the core has performed, and the number of the message
        self._workspace = workspace
        self._shown: list[Waiting] = []
        self._problem = ""
        self._texts = HeldTexts(workspace)

    def compose(self) -> ComposeResult:
        with Vertical(classes="box tall") as box:
            box.border_title = "Held messages"
            yield Table(_TITLES, wide_column=3, numbers=(0, 5), left_out=(7, 5, 4, 2), empty_text="No message is held.")
            yield Static(classes="problem", markup=False)
            yield KeyHints(_KEYS)

    def on_mount(self) -> None:
        self._show()
        self.set_interval(TICK_S, self._show)

    def held_changed(self) -> None:
        """Show the messages again: there are others, or fewer."""
        self._show()

    def action_act(self, verb: str) -> None:
        if (message := self._current) is not None:
            self._start(lambda: self._perform(verb, message.id))

    def action_edit(self) -> None:
        if (message := self._current) is not None:
            self._start(lambda: self._edit(message))

    def action_answer(self) -> None:
        if (message := self._current) is None:
            return
        if message.answerable:
            self._start(lambda: self._texts.answer(self, message))
        else:
            self._show_problem(f"Message {message.id} is a {message.kind}; only requests can be answered.")

    def action_delay(self) -> None:
        if (message := self._current) is not None:
            self._start(lambda: self._delay(message))

    def action_release_all(self) -> None:
        ids = [message.id for message in self._shown]

        async def release() -> None:
            for id in ids:
                await self._perform("release", id)

        self._start(release)

    def action_end_hold(self) -> None:
        self._start(self._workspace.held.clear)

    @on(Lines.Selected)
    def _selected(self) -> None:
        self.action_edit()

    @property
    def _current(self) -> Waiting | None:
        return self.query_one(Table).current_item(self._shown)

    async def _edit(self, message: Waiting) -> None:
        if verb := await self._texts.edit(self, message):
            self._on_act(verb, message.id)

    async def _delay(self, message: Waiting) -> None:
        prompt = PromptScreen(
            f"Deliver #{message.id} later", "In how many seconds?", value="5", problem=_problem_of_delay
        )
        if (text := await self.app.push_screen_wait(prompt)) is not None:
            await self._workspace.held.act("delay", message.id, ms=float(text) * 1000)

    async def _perform(self, verb: str, id: int) -> None:
        await self._workspace.held.act(verb, id)
        self._on_act(verb, id)

    def _start(self, operation: Callable[[], Awaitable[Any]]) -> None:
        start_worker(self, partial(self._attempt, operation), "held", exclusive=False)

    async def _attempt(self, operation: Callable[[], Awaitable[Any]]) -> None:
        try:
            await operation()
        except WorkbenchError as error:
            self._show_problem(str(error))
        else:
            self._show_problem("")

    def _show_problem(self, text: str) -> None:
        self.query_one(".problem", Static).update(Content(escaped(text)))

    def _show(self) -> None:
        held, table = self._workspace.held, self.query_one(Table)
        before, self._shown = self._current, held.messages
        now = self._workspace.clock()
        table.show_rows([_row(message, entry_of(self._workspace, message), now) for message in self._shown])
        row = next((row for row, message in enumerate(self._shown) if before and message.id == before.id), None)
        if row is not None and row != table.cursor:
            table.move_to(row)
        by = f", set by {escaped(held.held_by)}" if held.held_by else ""
        hold = "no filter is set" if held.filter is None else f"filter: {escaped(held.filter) or 'everything'}{by}"
        self.query_one(".box").border_subtitle = Content(f"{plural(len(self._shown), 'message')} · {hold}")


def _row(message: Waiting, entry: Entry | None, now: float) -> tuple[StyledText, ...]:
    # The calls of one tool differ only in their arguments.
    text = f"{message.method} {message.name}" if entry is None else row_text(entry)
    return (
        (str(message.id), "table--muted"),
        ("→ in" if message.is_to_server else "← out", ""),
        (message.kind, "table--muted"),
        (text.strip() or "?", ""),
        (message.session, "table--muted"),
        (size(message.size), "table--muted"),
        _countdown(message, now),
        (escaped(message.held_by), "table--muted"),
    )


def _countdown(message: Waiting, now: float) -> StyledText:
    """Return how long the client still waits, or when the message is delivered."""
    if message.cancelled:
        return "gave up", "table--bad"
    if message.released_at is not None:
        return f"sent in {max(0.0, message.released_at - now):.0f} s", "table--good"
    if message.client_gives_up is None:
        return "no limit", "table--muted"
    left = message.client_gives_up - now
    if left <= 0:
        return "timeout over", "table--bad"
    return f"{left:.0f} s", "table--warn" if left <= SOON_S else ""


def _problem_of_delay(text: str) -> str | None:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    return None if 0 <= seconds <= MAX_DELAY_S else f"Enter seconds from 0 to {MAX_DELAY_S:g}."
