"""Every call and message on the wire, live: the list, its filter, and the message under the cursor in detail."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Vertical

from workbench.model.notices import UNAVAILABLE
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.statistics import statistics
from workbench.model.traffic.traffic_view import TrafficView
from workbench.tui.actions import Action
from workbench.tui.key_bindings import bindings, key_for
from workbench.tui.screens.capture_view import CaptureView
from workbench.tui.screens.exporting import export
from workbench.tui.screens.filtered_pane import FilteredPane
from workbench.tui.screens.statistics_screen import StatisticsScreen
from workbench.tui.widgets.columns import Columns
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.message_detail import MessageDetail
from workbench.tui.widgets.traffic import TrafficList
from workbench.tui.workers import run_on_thread, start_worker
from workbench.workspace.traffic_source import LiveTraffic, TrafficSource

# The title of the list, by whether it has a row for each call.
_TITLES = {True: "Calls", False: "Messages"}

# What acts on the core, and not on the messages of a capture.
_LIVE_ACTIONS = frozenset({"compose", "extend", "show_run", "follow", "pause", "hold", "show_held"})

# The titles in the footer while the detail has the focus, where the key of the filter searches in the text.
_TITLES_IN_DETAIL = {"filter": "search", "open_detail": ""}


class InspectorPane(FilteredPane):
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
        self._live = LiveTraffic(lambda: self.workspace)
        self._captures = CaptureView(self, self._show_records, self._show_read_capture)

    def compose(self) -> ComposeResult:
        yield self._filter
        with Columns(id="inspector-body"):
            with Vertical(id="messages") as messages:
                messages.border_title = _TITLES[True]
                yield TrafficList(id="traffic")
            with Vertical(id="message") as message:
                message.border_title = "Detail"
                yield MessageDetail(lambda: self.source, id="detail")

    @property
    def source(self) -> TrafficSource:
        """Where the messages come from: a capture that was opened, else the core."""
        return self._captures.capture or self._live

    @property
    def entry(self) -> Entry | None:
        return self.traffic.entry

    @property
    def traffic(self) -> TrafficList:
        return self.query_one("#traffic", TrafficList)

    @property
    def detail(self) -> MessageDetail:
        return self.query_one(MessageDetail)

    def on_mount(self) -> None:
        self.traffic.view.set_by_call(True)
        self.traffic.is_following = True
        self.traffic.has_summary = True
        self.traffic.columns = self._columns

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
        elif part == "timeline" and self._captures.capture is None:
            self._show_records()
        elif self._captures.capture is None and self.traffic.view.timeline is not self.workspace.timeline:
            self._switch_timeline()

    def _show_records(self) -> None:
        if self.traffic.view.timeline is not self.source.timeline:
            self._switch_timeline()
        if not self._scope.paused_at or not self.traffic.view.is_complete:
            self._checking.check(self.traffic.view.refresh)
            self._show_sent()
            if self.detail.is_empty or not self.traffic.is_following:
                self.detail.show_entry(self.traffic.entry)
            else:
                # The response to the newest request adds no row to the calls.
                self.detail.show_soon(lambda: self.traffic.entry)
        self._paint_note()

    def _show_sent(self) -> None:
        """Go to a message that was sent here, once it is among the records."""
        seq = self._sending.newest_arrived()
        if seq is None:
            return
        self.traffic.is_following = False
        if (row := self.traffic.rows.row_of(seq)) is not None:
            self.traffic.move_to(row)
        else:
            key = key_for("toggle_filter", self.PLACE)
            text = f"The filter hides message {seq}, which was sent: {key} shows all messages."
            self.notify(text, title=UNAVAILABLE, markup=False)

    def _switch_timeline(self) -> None:
        """Show a new timeline: another server or a capture was opened, or the capture was closed."""
        self.traffic.view = TrafficView(self.source.timeline, is_by_call=self.traffic.view.is_by_call)
        self._scope.restart()
        self._apply()

    def open_call(self, seq: int) -> None:
        self.traffic.is_following = False
        self.close_capture()
        entry = self.source.timeline.by_seq(seq)
        self._show_call(seq if entry is None else entry.call_seq or seq)
        if (row := self.traffic.rows.row_of(seq)) is not None:
            self.traffic.move_to(row)

    def open_messages(self, filter: str) -> None:
        self.close_capture()
        self._show_filter(filter)

    def open_capture(self, path: str, seq: int, back: Callable[[], Awaitable[None]] | None) -> None:
        """Show the messages of a capture in the place of those of the core, until Esc is pressed in the list."""
        self._captures.open(path, back)
        self.traffic.is_following = False
        self._switch_timeline()
        self._paint_title()
        self._captures.load(seq)

    def _show_read_capture(self, seq: int) -> None:
        self._paint_title()
        if seq and (row := self.traffic.rows.row_of(seq)) is not None:
            self.traffic.move_to(row)
            self.action_open_detail()

    def close_capture(self) -> None:
        if self._captures.capture is not None:
            self._captures.close()
            self._switch_timeline()
            self._paint_title()

    async def _leave_capture(self) -> None:
        """Close the capture, and return to where it was opened."""
        back = self._captures.close()
        self._switch_timeline()
        self._paint_title()
        if back is not None:
            await back()

    def _paint_title(self) -> None:
        """Show in the border what the list has, and how a capture is closed."""
        border = self.query_one("#messages")
        self._filter.set_class(self._captures.capture is not None, "-long-note")
        border.border_title = self._captures.title_of(_TITLES[self.traffic.view.is_by_call])
        border.border_subtitle = self._captures.closing_hint

    def annotations_changed(self) -> None:
        self._checking.check(self.traffic.view.refresh)
        self.detail.show_entry(self.traffic.entry)
        self._paint_note()

    async def follow_message(self, seq: int) -> None:
        if (row := self.traffic.rows.row_of(seq)) is None:
            self.open_call(seq)
        else:
            self.traffic.is_following = False
            self.traffic.move_to(row)

    def why_not(self, action: str) -> str | None:
        entry = self.traffic.entry
        if action in ("open_detail", "go_to_counterpart") and entry is None:
            return "No message is selected."
        if action in _LIVE_ACTIONS and self._captures.capture is not None:
            key = key_for("back", self.PLACE)
            return f"Not in a capture: {key} in the list closes it; the Sessions screen replays it."
        if action == "go_to_counterpart" and entry is not None and not entry.pair:
            return "Only requests and responses have a counterpart."
        return super().why_not(action)

    def hint_title(self, action: Action) -> str:
        if self.detail.has_focus and action.id in _TITLES_IN_DETAIL:
            return _TITLES_IN_DETAIL[action.id]
        return "" if self._captures.capture is not None and action.id in _LIVE_ACTIONS else action.title

    def action_follow(self) -> None:
        self.traffic.is_following = not self.traffic.is_following
        self._paint_note()

    def action_open_detail(self) -> None:
        self.add_class("-detail")
        self.detail.show_entry(self.traffic.entry)
        self.query_one(Columns).bring_to_front("message")
        self.screen.set_focus(self.detail)

    async def action_back(self) -> None:
        if self.traffic.has_focus and self._filter.input.value:
            self._filter.input.value = ""
        elif self.traffic.has_focus and not self.has_class("-detail") and self._captures.capture is not None:
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
        row = self.traffic.rows.row_of(entry.pair)
        if row is None:
            self.notify("The filter hides the counterpart; the detail shows it.", title=UNAVAILABLE, markup=False)
        else:
            self.traffic.move_to(row)

    def action_toggle_calls(self) -> None:
        entry, view = self.traffic.entry, self.traffic.view
        self._checking.check(partial(view.set_by_call, not view.is_by_call))
        self._paint_title()
        if entry is not None and not self.traffic.is_following:
            self.traffic.move_to(self.traffic.rows.nearest_row(entry.seq))
        self.detail.show_entry(self.traffic.entry)
        self._paint_note()

    @work(exclusive=True, group="statistics")
    async def action_statistics(self) -> None:
        """Show the statistics of the messages in view; a row that is chosen becomes the filter."""
        view = self.traffic.view
        shown = map(view.timeline.__getitem__, view.all_indices)
        counted = await run_on_thread(lambda: statistics(shown))
        chosen = await self.app.push_screen_wait(StatisticsScreen(counted))
        if chosen is not None:
            self._show_filter(chosen.filter)

    def action_export(self) -> None:
        start_worker(self, partial(export, self), "export", exclusive=False)

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

    def _paint_note(self) -> None:
        is_live = self._captures.capture is None
        facts = self._scope.facts(self.traffic.view, is_following=self.traffic.is_following and is_live)
        facts += self._sorting.facts
        if is_live:
            facts = [*self._holding.facts, *facts]
        else:
            # In a narrow terminal the list has no border, whose title names the capture.
            name, *progress = self._captures.facts(is_named=self.screen.has_class("-wide"))
            facts = [name, *facts, *progress]
        self._filter.show_note(" · ".join(facts))
