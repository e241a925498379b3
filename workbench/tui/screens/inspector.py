"""Every message on the wire, live: the list, its filter, and the message under the cursor with its counterpart."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static

from server_core.errors import WorkbenchError
from server_core.records.tap import Kind
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.explain import explain
from workbench.model.traffic.filter import EVERYTHING, Filter, FilterError, parse_filter
from workbench.model.traffic.highlight import JsonDocument
from workbench.model.traffic.view import View
from workbench.tui.actions import bindings
from workbench.tui.pane import Pane
from workbench.tui.widgets.json_view import JsonView, Section
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.result import ResultView
from workbench.tui.widgets.traffic import TrafficList, heading_of

SETTLE_S = 0.15
"""How long the detail waits before it shows the newest message, while the list follows."""


class InspectorPane(Pane):
    """The inspector."""

    PLACE: ClassVar[str] = "inspector"
    BINDINGS = bindings(PLACE)

    # Rules that depend on the width of the terminal have to use the screen's class.
    SCOPED_CSS = False
    DEFAULT_CSS = """
    InspectorPane {
        & #filter-row { height: 1; }
        & #filter-sign { width: 3; padding: 0 1; color: $text-accent; text-style: bold; }
        & #filter { width: 1fr; }
        & #filter-note { width: 36; padding: 0 1; text-align: right; color: $text-muted; }
        & #filter-problem { display: none; height: auto; padding: 0 3; color: $text-error; }
        & #inspector-body { layout: vertical; height: 1fr; }
        & #traffic { height: 1fr; }
        & #detail { display: none; padding: 0 1; border-top: solid $panel; }
        & #detail:focus { border-top: solid $primary; }
        &.-detail #detail { display: block; height: 2fr; }
    }
    .-wide InspectorPane {
        & #inspector-body { layout: horizontal; }
        & #traffic { width: 3fr; }
        & #detail { display: block; width: 2fr; height: 1fr; border-top: none; border-left: solid $panel; }
        & #detail:focus { border-left: solid $primary; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._paused = False
        self._total_when_paused = 0
        self._filter = EVERYTHING
        self._hides = True
        self._cleared_up_to = 0
        self._detailed: tuple[object, ...] = ()
        self._settling: Timer | None = None

    def compose(self) -> ComposeResult:
        """Create the filter, the list and the detail."""
        with Horizontal(id="filter-row"):
            yield Static("/", id="filter-sign")
            yield Input(placeholder='tool:greet status:err dir:in dur>500ms "words" /regex/', id="filter", compact=True)
            yield Static(id="filter-note", markup=False)
        yield Static(id="filter-problem", markup=False)
        with Container(id="inspector-body"):
            yield TrafficList(id="traffic")
            yield ResultView(id="detail")

    @property
    def traffic(self) -> TrafficList:
        """The list."""
        return self.query_one("#traffic", TrafficList)

    @property
    def detail(self) -> JsonView:
        """Both halves of the message under the cursor."""
        return self.query_one("#detail", JsonView)

    def on_mount(self) -> None:
        """Start at the newest message."""
        self.traffic.following = True

    def on_shown(self) -> None:
        """Show the messages that arrived while another pane was shown."""
        self.workspace_changed("timeline")
        if not self.query_one("#filter").has_focus:
            self.take_focus()

    def take_focus(self) -> None:
        """Focus the list of messages."""
        self.screen.set_focus(self.traffic)

    def workspace_changed(self, part: str) -> None:
        """Show new messages, unless the list is paused."""
        if self.traffic.view.timeline is not self.workspace.timeline:
            self._switch_timeline()
        if part == "timeline":
            if not self._paused:
                self.traffic.view.refresh()
                self.traffic.lines_changed()
                if not self.traffic.following:
                    self._show_detail()
            self._paint_note()

    def why_not(self, action: str) -> str | None:
        """Return why an action is not available at the moment; None when it is."""
        entry = self.traffic.entry
        if action in ("open_detail", "copy", "pair") and entry is None:
            return "No message is selected."
        if action == "only_call" and (entry is None or not self._call_of(entry)):
            return "This message belongs to no call."
        if action == "pair" and entry is not None and not entry.pair:
            return "Only requests and responses have a counterpart."
        if action in ("next_match", "previous_match", "toggle_filter") and self._filter is EVERYTHING:
            return "There is no filter: press / to enter one."
        return None

    async def action_filter(self) -> None:
        """Focus the filter."""
        self.query_one("#filter").focus()

    def action_follow(self) -> None:
        """Follow the newest message, or stop following it."""
        self.traffic.following = not self.traffic.following
        self._paint_note()

    def action_pause(self) -> None:
        """Pause the list, or resume it with the messages that arrived meanwhile."""
        self._paused = not self._paused
        self._total_when_paused = len(self.workspace.timeline)
        self.workspace_changed("timeline")

    def action_open_detail(self) -> None:
        """Focus the detail."""
        self.add_class("-detail")
        self._show_detail()
        self.detail.focus()

    def action_back(self) -> None:
        """Leave the filter, or the detail."""
        if self.traffic.has_focus and self.query_one("#filter", Input).value:
            self.query_one("#filter", Input).value = ""
        self.remove_class("-detail")
        self.traffic.focus()

    def action_pair(self) -> None:
        """Go from a request to its response, or back, in the detail and, if it is shown there, in the list."""
        entry = self.traffic.entry
        if entry is None:
            return
        self.traffic.following = False
        row = self.traffic.view.row_of(entry.pair)
        if row is None:
            self.notify("The filter hides the counterpart; the detail shows it.", markup=False)
        else:
            self.traffic.move_to(row)

    def action_only_call(self) -> None:
        """Filter by the call that the message belongs to."""
        if (entry := self.traffic.entry) is not None:
            self.traffic.following = False
            self.query_one("#filter", Input).value = f"call:{self._call_of(entry)}"

    def action_next_match(self) -> None:
        """Go down to the next message that the filter matches."""
        self._find(1)

    def action_previous_match(self) -> None:
        """Go up to the previous message that the filter matches."""
        self._find(-1)

    def action_toggle_filter(self) -> None:
        """Mark the matches of the filter among all messages, or hide the other messages again."""
        self._hides = not self._hides
        self._apply()

    async def action_copy(self) -> None:
        """Copy the message under the cursor as it was sent, indented."""
        entry = self.traffic.entry
        if entry is not None:
            self.app.copy_to_clipboard(JsonDocument(await self._body(entry)).pretty())
            self.notify(f"Message {entry.seq} is in the clipboard.", markup=False)

    def action_clear(self) -> None:
        """Hide the messages so far, or show them again."""
        self._cleared_up_to = 0 if self._cleared_up_to else self.workspace.timeline.last_seq
        self._apply()

    @on(Input.Changed, "#filter")
    def _filter_typed(self, event: Input.Changed) -> None:
        try:
            self._filter = parse_filter(event.value)
        except FilterError as error:
            self._paint_problem(f"{' ' * error.position}^ {error.message}")
        else:
            self._paint_problem("")
            self._hides = True
            self._apply()

    @on(Input.Submitted, "#filter")
    def _filter_done(self) -> None:
        self.traffic.focus()

    @on(Lines.Highlighted, "#traffic")
    def _moved(self) -> None:
        if not self.traffic.following:
            self._show_detail()
        elif self._settling is None:
            # While messages arrive quickly, the detail is updated now and then, not for each.
            self._settling = self.set_timer(SETTLE_S, self._settled)
        self._paint_note()

    def _settled(self) -> None:
        self._settling = None
        self._show_detail()

    @on(Lines.Selected, "#traffic")
    def _opened(self) -> None:
        self.action_open_detail()

    def _apply(self) -> None:
        """Show the messages that match the filter, and keep the message under the cursor visible if it matches."""
        traffic, entry = self.traffic, self.traffic.entry
        filter = self._filter if self._hides else EVERYTHING
        traffic.view.set_filter(_only_after(self._cleared_up_to, filter))
        traffic.marked = None if self._hides else self._filter
        traffic.lines_changed()
        if entry is not None and not traffic.following:
            traffic.move_to(traffic.view.nearest_row(entry.seq))
        self._show_detail()
        self._paint_note()

    def _find(self, step: int) -> None:
        view, test = self.traffic.view, self._filter.test
        row = self.traffic.cursor + step
        while 0 <= row < len(view):
            if test(view[row]):
                self.traffic.following = False
                self.traffic.move_to(row)
                return
            row += step
        self.notify("No further match in this direction.", markup=False)

    def _switch_timeline(self) -> None:
        """Show a new timeline: the core was restarted."""
        self.traffic.view = View(self.workspace.timeline)
        self._cleared_up_to = 0
        self._apply()

    def _show_detail(self) -> None:
        """Show both halves of the message under the cursor, if they are not shown yet."""
        entry = self.traffic.entry
        if entry is None or not self.detail.display:
            return
        halves = self._halves(entry)
        shown = tuple((half.seq, half.status) for half in halves)
        if (entry.seq, *shown) != self._detailed:
            self._detailed = (entry.seq, *shown)
            self.run_worker(self._load_detail(entry, halves), group="detail", exclusive=True)

    async def _load_detail(self, entry: Entry, halves: list[Entry]) -> None:
        text = "\n".join(explain(self.workspace.timeline, entry))
        sections = [Section(heading_of(entry), JsonDocument(text.encode()))]
        for half in halves:
            heading = "" if half is entry else heading_of(half)
            sections.append(Section(heading, JsonDocument(await self._body(half)), "json--other"))
        self.detail.show(*sections)

    def _call_of(self, entry: Entry) -> int:
        """The sequence number of the request that began the call; 0 for a message of no call."""
        return entry.parent or (entry.seq if entry.kind is Kind.REQUEST else 0)

    def _halves(self, entry: Entry) -> list[Entry]:
        """The message with its request or response, if there is one."""
        other = self.workspace.timeline.answer_of(entry)
        return [entry] if other is None else [entry, other]

    async def _body(self, entry: Entry) -> bytes:
        if entry.data is not None:
            return entry.data
        try:
            return await self.workspace.body(entry.seq)
        except WorkbenchError as error:
            return f"This body is no longer in memory, and the core did not return it: {error}".encode()

    def _paint_problem(self, problem: str) -> None:
        """Show under the filter what is wrong with it, and where."""
        line = self.query_one("#filter-problem", Static)
        line.display = bool(problem)
        line.update(Content(problem))

    def _paint_note(self) -> None:
        """Show how many messages are listed."""
        shown, total = len(self.traffic.view), len(self.workspace.timeline)
        facts = [f"{shown:,} of {total:,}" if shown != total else f"{total:,}"]
        if self._paused:
            facts.append(f"paused, {total - self._total_when_paused:,} new")
        elif self.traffic.following:
            facts.append("following")
        # Without a layout: its width is fixed, and it changes with every message.
        self.query_one("#filter-note", Static).update(Content(" · ".join(facts)), layout=False)


def _only_after(seq: int, filter: Filter) -> Filter:
    """The same filter, for messages newer than a record only."""
    if not seq:
        return filter
    return Filter(filter.text, lambda entry: entry.seq > seq and filter.test(entry))
