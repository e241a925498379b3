"""Every call and message on the wire, live: the list, its filter, and the message under the cursor in detail."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer

from server_core.protocol.methods import METHODS
from workbench.model.describe import plural
from workbench.model.json_members import object_in, text_in
from workbench.model.notices import UNAVAILABLE
from workbench.model.short_text import escaped, shortened
from workbench.model.terminal_memory import TerminalMemory
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.filter import EVERYTHING, Filter
from workbench.model.traffic.filter_paths import value_filter
from workbench.model.traffic.held_records import held_seconds
from workbench.model.traffic.statistics import statistics
from workbench.model.traffic.traffic_view import TrafficView
from workbench.tui.actions import Action
from workbench.tui.key_bindings import bindings, key_for
from workbench.tui.screens.exporting import export
from workbench.tui.screens.message_pane import MessagePane
from workbench.tui.screens.statistics_screen import StatisticsScreen
from workbench.tui.widgets.columns import Columns
from workbench.tui.widgets.filter_bar import FilterBar
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.message_detail import MessageDetail
from workbench.tui.widgets.traffic import TrafficList
from workbench.tui.workers import run_on_thread, start_worker
from workbench.workspace.opened_capture import OpenedCapture
from workbench.workspace.traffic_source import LiveTraffic, TrafficSource

# The title of the list, by whether it has a row for each call.
_TITLES = {True: "Calls", False: "Messages"}

# What acts on the core, and not on the messages of a capture.
_LIVE_ACTIONS = frozenset({"compose", "extend", "show_run", "follow", "pause", "hold", "show_held"})

# The titles in the footer while the detail has the focus, where the key of the filter searches in the text.
_TITLES_IN_DETAIL = {"filter": "search", "open_detail": ""}

# How long entries are checked at once, and the pause in which keys are read and the screen is painted, in seconds.
_CHECKING_S = 0.02
_PAUSE_S = 0.001
# While records arrive, a few are always new.
_NEARLY_ALL = 0.99

_MAX_NAME = 20  # Characters of the name of a capture beside the filter.
_CAPTURE = "capture"  # The topic of notices about the capture in view.


class InspectorPane(MessagePane):
    PLACE: ClassVar[str] = "inspector"
    BINDINGS = bindings(PLACE)

    # Rules that depend on the width of the terminal have to use the screen's class.
    SCOPED_CSS = False
    DEFAULT_CSS = """
    InspectorPane {
        & #inspector-body { layout: vertical; height: 1fr; }
        & #messages { height: 1fr; border: none; }
        & #message { display: none; border: none; border-top: round $border-blurred; }
        & #message.-focused { border: none; border-top: heavy $border; }
        & #detail { display: none; padding: 0 1; }
        &.-detail #message { display: block; height: 2fr; }
        &.-detail #detail { display: block; }
    }
    .-wide InspectorPane {
        & #inspector-body { layout: horizontal; }
        & #messages { width: 3fr; border: round $border-blurred; }
        & #message { display: block; width: 2fr; height: 1fr; border: round $border-blurred; }
        & #detail { display: block; }
        & #messages.-focused { border: heavy $border; }
        & #message.-focused { border: heavy $border; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._filter = FilterBar(self.PLACE, self._known_names)
        # While the list is frozen, the sequence number of its last message; else 0.
        self._paused_at = 0
        # Whether messages that do not match the filter are hidden; else the matches are marked.
        self._is_filtering = True
        # The sequence number of the last message that "clear" hides; 0 for none.
        self._cleared_up_to = 0
        self._checking_timer: Timer | None = None
        # The message to return to once a filter was applied to all, and the row in which the cursor waits for it.
        self._anchor: tuple[int, int] | None = None
        self._live = LiveTraffic(lambda: self.workspace)
        self._capture: OpenedCapture | None = None
        # Returns to where the capture was opened; None to stay.
        self._back: Callable[[], Awaitable[None]] | None = None

    def compose(self) -> ComposeResult:
        yield self._filter
        with Columns(id="inspector-body"):
            with Vertical(id="messages") as messages:
                messages.border_title = _TITLES[True]
                yield TrafficList(id="traffic")
            with Vertical(id="message") as message:
                message.border_title = "Detail"
                yield MessageDetail(lambda: self.source, id="detail")

    def restore(self, memory: TerminalMemory) -> None:
        self._filter.restore(memory.filter, memory.filters)

    def remember(self, memory: TerminalMemory) -> None:
        memory.filter, memory.filters = self._filter.input.value, self._filter.history.filters

    def _known_names(self, field: str) -> list[str]:
        """Return the values of a field of the filter that are known at the moment."""
        core = self.workspace.core
        match field:
            case "tool":
                return [text_in(tool, "name") for tool in self.workbench.tools]
            case "method":
                return list(METHODS)
            case "client":
                names = (text_in(object_in(session, "client"), "name") for session in core.sessions)
                return list(dict.fromkeys(filter(None, names)))
        return []

    @property
    def source(self) -> TrafficSource:
        """Where the messages come from: a capture that was opened, else the core."""
        return self._live if self._capture is None else self._capture

    @property
    def entry(self) -> Entry | None:
        return self.traffic.entry

    @property
    def filter_text(self) -> str:
        return self._filter.filter.text

    @property
    def traffic(self) -> TrafficList:
        return self.query_one("#traffic", TrafficList)

    @property
    def detail(self) -> MessageDetail:
        return self.query_one(MessageDetail)

    def on_mount(self) -> None:
        self.traffic.view.set_by_call(True)
        self.traffic.is_following = True

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        # A line above the detail has no corner, and Textual leaves no room beside a title without one.
        self.query_one("#message").border_title = "Detail" if self.screen.has_class("-wide") else " Detail "
        # A wider terminal shows the detail, which had nothing to show before.
        self.detail.show_entry(self.traffic.entry)

    def on_shown(self) -> None:
        # Records are not passed to hidden panes.
        self.workspace_changed("timeline")
        self.keep_or_take_focus()

    def take_focus(self) -> None:
        self.screen.set_focus(self.traffic)

    def workspace_changed(self, part: str) -> None:
        if part == "held":
            self._paint_note()
        elif part == "timeline" and self._capture is None:
            self._show_records()
        elif self._capture is None and self.traffic.view.timeline is not self.workspace.timeline:
            self._switch_timeline()

    def _show_records(self) -> None:
        if self.traffic.view.timeline is not self.source.timeline:
            self._switch_timeline()
        if not self._paused_at or not self.traffic.view.is_complete:
            self._check_entries(self.traffic.view.refresh)
            self._show_sent()
            if self.detail.is_empty or not self.traffic.is_following:
                self.detail.show_entry(self.traffic.entry)
            else:
                # The response to the newest request adds no row to the calls.
                self.detail.show_soon(lambda: self.traffic.entry)
        self._paint_note()

    def _check_entries(self, check: Callable[[float], object]) -> None:
        """Let the view check entries for a moment, and the rest of a million after the next paint."""
        check(_CHECKING_S)
        self.traffic.lines_changed()
        if self._checking_timer is not None:
            self._checking_timer.stop()
        if not self.traffic.view.is_complete:
            self._checking_timer = self.set_timer(_PAUSE_S, self._show_records)
        elif self._anchor is not None:
            seq, row = self._anchor
            self._anchor = None
            if self.traffic.cursor == row:
                self.traffic.move_to(self.traffic.view.nearest_row(seq))

    def _show_sent(self) -> None:
        """Go to a message that was sent here, once it is among the records."""
        seq = self._sending.newest_arrived()
        if seq is None:
            return
        self.traffic.is_following = False
        if (row := self.traffic.view.row_of(seq)) is not None:
            self.traffic.move_to(row)
        else:
            key = key_for("toggle_filter", self.PLACE)
            text = f"The filter hides message {seq}, which was sent: {key} shows all messages."
            self.notify(text, title=UNAVAILABLE, markup=False)

    def _switch_timeline(self) -> None:
        """Show a new timeline: another server or a capture was opened, or the capture was closed."""
        self.traffic.view = TrafficView(self.source.timeline, is_by_call=self.traffic.view.is_by_call)
        self._cleared_up_to = self._paused_at = 0
        self._apply()

    def open_call(self, seq: int) -> None:
        self.traffic.is_following = False
        self.close_capture()
        entry = self.source.timeline.by_seq(seq)
        self._show_call(seq if entry is None else entry.call_seq or seq)
        if (row := self.traffic.view.row_of(seq)) is not None:
            self.traffic.move_to(row)

    def open_messages(self, filter: str) -> None:
        self.close_capture()
        self._show_filter(filter)

    def open_capture(self, path: str, seq: int, back: Callable[[], Awaitable[None]] | None) -> None:
        """Show the messages of a capture in the place of those of the core, until Esc is pressed in the list."""
        self._capture, self._back = OpenedCapture(path), back
        self.traffic.is_following = False
        self._switch_timeline()
        self._paint_title()
        start_worker(self, partial(self._load_capture, self._capture, seq), "capture")

    async def _load_capture(self, capture: OpenedCapture, seq: int) -> None:
        def show() -> None:
            if self._capture is capture:
                self._show_records()

        await self.attempt(capture.load(show))
        if self._capture is capture:
            self._paint_title()
            if seq and (row := self.traffic.view.row_of(seq)) is not None:
                self.traffic.move_to(row)
                self.action_open_detail()
        if capture.damage:
            self.notify(escaped(capture.damage), title=_CAPTURE, severity="warning", markup=False)

    def close_capture(self) -> None:
        if self._capture is not None:
            self._capture = self._back = None
            self._switch_timeline()
            self._paint_title()

    async def _leave_capture(self) -> None:
        """Close the capture, and return to where it was opened."""
        back = self._back
        self.close_capture()
        if back is not None:
            await back()

    def _paint_title(self) -> None:
        """Show in the border what the list has, and how a capture is closed."""
        border, capture = self.query_one("#messages"), self._capture
        self._filter.set_class(capture is not None, "-long-note")
        title = _TITLES[self.traffic.view.is_by_call]
        border.border_title = title if capture is None else Content(f"{title} of {escaped(capture.name)}")
        border.border_subtitle = None if capture is None else f"{key_for('back', self.PLACE)} closes it"

    async def follow_message(self, seq: int) -> None:
        if (row := self.traffic.view.row_of(seq)) is None:
            self.open_call(seq)
        else:
            self.traffic.is_following = False
            self.traffic.move_to(row)

    def why_not(self, action: str) -> str | None:
        entry = self.traffic.entry
        if action in ("open_detail", "go_to_counterpart") and entry is None:
            return "No message is selected."
        if action in _LIVE_ACTIONS and self._capture is not None:
            key = key_for("back", self.PLACE)
            return f"Not in a capture: {key} in the list closes it; the Sessions screen replays it."
        if action == "filter_call" and (entry is None or not entry.call_seq):
            return "This message belongs to no call."
        if action == "filter_value" and self._value_filter is None:
            return "Select a value of a message in the detail."
        if action == "go_to_counterpart" and entry is not None and not entry.pair:
            return "Only requests and responses have a counterpart."
        if action in ("next_match", "previous_match", "toggle_filter") and self._filter.filter is EVERYTHING:
            return f"There is no filter: press {key_for('filter', self.PLACE)} to enter one."
        return super().why_not(action)

    def hint_title(self, action: Action) -> str:
        if self.detail.has_focus and action.id in _TITLES_IN_DETAIL:
            return _TITLES_IN_DETAIL[action.id]
        return "" if self._capture is not None and action.id in _LIVE_ACTIONS else action.title

    async def action_filter(self) -> None:
        self.screen.set_focus(self._filter.input)

    def action_follow(self) -> None:
        self.traffic.is_following = not self.traffic.is_following
        self._paint_note()

    def action_pause(self) -> None:
        self._paused_at = 0 if self._paused_at else self.source.timeline.last_seq
        self._apply()

    def action_open_detail(self) -> None:
        self.add_class("-detail")
        self.detail.show_entry(self.traffic.entry)
        self.query_one(Columns).bring_to_front("message")
        self.screen.set_focus(self.detail)

    async def action_back(self) -> None:
        if self.traffic.has_focus and self._filter.input.value:
            self._filter.input.value = ""
        elif self.traffic.has_focus and not self.has_class("-detail") and self._capture is not None:
            await self._leave_capture()
            return
        self.remove_class("-detail")
        self.query_one(Columns).bring_to_front("messages")
        self.screen.set_focus(self.traffic)

    def action_go_to_counterpart(self) -> None:
        entry = self.traffic.entry
        if entry is None:
            return
        self.traffic.is_following = False
        if self.traffic.view.is_by_call:
            # The row stands for both, and the detail has the one below the other.
            self.action_open_detail()
            self.detail.go_to_other_half()
            return
        row = self.traffic.view.row_of(entry.pair)
        if row is None:
            self.notify("The filter hides the counterpart; the detail shows it.", title=UNAVAILABLE, markup=False)
        else:
            self.traffic.move_to(row)

    def action_filter_call(self) -> None:
        if (entry := self.traffic.entry) is not None:
            self.traffic.is_following = False
            self._show_call(entry.call_seq)

    @property
    def _value_filter(self) -> str | None:
        """The filter for messages with the value under the cursor of the detail; None if no value has the cursor."""
        place, path = self.detail.document_line, self.detail.path
        if not self.detail.has_focus or place is None or path in ("", "$"):
            return None
        document, line = place
        return value_filter(path, document.value(line))

    def action_filter_value(self) -> None:
        if (term := self._value_filter) is not None:
            # The message in view matches what is there, so it stays.
            before = self._filter.filter.text
            self._show_filter(f"({before}) {term}" if "|" in before else f"{before} {term}".strip())

    def action_toggle_calls(self) -> None:
        entry, view = self.traffic.entry, self.traffic.view
        self._check_entries(partial(view.set_by_call, not view.is_by_call))
        self._paint_title()
        if entry is not None and not self.traffic.is_following:
            self.traffic.move_to(view.nearest_row(entry.seq))
        self.detail.show_entry(self.traffic.entry)
        self._paint_note()

    def action_next_match(self) -> None:
        self._go_to_match(1)

    def action_previous_match(self) -> None:
        self._go_to_match(-1)

    def action_toggle_filter(self) -> None:
        self._is_filtering = not self._is_filtering
        self._apply()

    @work(exclusive=True, group="statistics")
    async def action_statistics(self) -> None:
        """Show the statistics of the messages in view; a row that is chosen becomes the filter."""
        view = self.traffic.view
        shown = map(view.timeline.__getitem__, view.all_indices)
        held = partial(held_seconds, view.timeline)
        counted = await run_on_thread(lambda: statistics(shown, held))
        chosen = await self.app.push_screen_wait(StatisticsScreen(counted))
        if chosen is not None:
            self._show_filter(chosen.filter)

    def action_export(self) -> None:
        start_worker(self, partial(export, self), "export", exclusive=False)

    def action_clear(self) -> None:
        self._cleared_up_to = 0 if self._cleared_up_to else self.source.timeline.last_seq
        self._apply()

    def on_filter_bar_changed(self, event: FilterBar.Changed) -> None:
        event.stop()
        self._is_filtering = True
        self._apply()

    def on_filter_bar_submitted(self, event: FilterBar.Submitted) -> None:
        event.stop()
        self.screen.set_focus(self.traffic)

    @on(Lines.Highlighted, "#traffic")
    def _moved(self) -> None:
        if not self.traffic.is_following:
            self.detail.show_entry(self.traffic.entry)
        else:
            self.detail.show_soon(lambda: self.traffic.entry)
        self._paint_note()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if event.widget is self.detail:
            # The message that the user reads is not replaced by the next.
            self.traffic.is_following = False
            self._paint_note()

    @on(Lines.Selected, "#traffic")
    def _opened(self) -> None:
        self.action_open_detail()

    def _apply(self) -> None:
        """Show the messages that match the filter, and keep the message under the cursor visible if it matches."""
        traffic, entry = self.traffic, self.traffic.entry
        filter = self._filter.filter if self._is_filtering else EVERYTHING
        traffic.empty_text = self._why_empty(filter)
        traffic.marking_filter = None if self._is_filtering else self._filter.filter
        self._anchor = None
        self._check_entries(partial(traffic.view.set_filter, filter.after(self._cleared_up_to).until(self._paused_at)))
        if entry is not None and not traffic.is_following:
            traffic.move_to(traffic.view.nearest_row(entry.seq))
            self._anchor = None if traffic.view.is_complete else (entry.seq, traffic.cursor)
        if self.traffic.entry is None:
            self.detail.clear()
        self.detail.show_entry(self.traffic.entry)
        self._paint_note()

    def _why_empty(self, filter: Filter) -> str:
        if filter is not EVERYTHING:
            return f"No message matches the filter: {key_for('back', self.PLACE)} in the list empties it."
        if self._cleared_up_to:
            return f"The messages so far are hidden: {key_for('clear', self.PLACE)} shows them."
        return "No messages yet."

    @work(exclusive=True, group="match")
    async def _go_to_match(self, step: int) -> None:
        view, test = self.traffic.view, self._filter.filter.test
        rows = range(self.traffic.cursor + step, len(view) if step > 0 else -1, step)
        matches = (row for row in rows if any(map(test, view.messages(row))))
        row = await run_on_thread(lambda: next(matches, None))
        if row is None:
            self.notify("No further match in this direction.", title=UNAVAILABLE, markup=False)
        elif row < len(view):
            self.traffic.is_following = False
            self.traffic.move_to(row)

    def _show_call(self, seq: int) -> None:
        self._show_filter(f"call:{seq}")

    def _show_filter(self, text: str) -> None:
        self._filter.set_text(text)
        self._is_filtering = True
        self._apply()

    def _paint_note(self) -> None:
        view, timeline = self.traffic.view, self.source.timeline
        is_filtered = self._is_filtering and self._filter.filter is not EVERYTHING
        facts = [plural(len(view), "row")]
        if is_filtered or self._cleared_up_to:
            facts = [f"{len(view):,} of {plural(view.total, 'row')}"]
        elif self._filter.filter is not EVERYTHING:
            facts.append("filter off")
        if self._paused_at:
            facts.append(f"paused, {len(timeline) - timeline.place_of(self._paused_at + 1):,} new")
        elif view.progress < _NEARLY_ALL:
            facts.append(f"searched {view.progress:.0%}")
        elif self.traffic.is_following and self._capture is None:
            facts.append("following")
        if self._capture is None:
            facts = [*self._holding.facts, *facts]
        else:
            if self._capture.progress < 1:
                facts.append(f"read {self._capture.progress:.0%}")
            # In a narrow terminal the list has no border, whose title names the capture.
            name = "" if self.screen.has_class("-wide") else shortened(escaped(self._capture.short_name), _MAX_NAME)
            facts.insert(0, f"capture {name}".rstrip())
        self._filter.show_note(" · ".join(facts))
