"""The filter of the inspector: what it is typed into, and the actions that change which messages are shown."""

from functools import partial

from textual import work

from server_core.protocol.methods import METHODS
from workbench.model.json_members import object_in, text_in
from workbench.model.notices import UNAVAILABLE
from workbench.model.short_text import escaped
from workbench.model.terminal_memory import TerminalMemory
from workbench.model.traffic.filter import EVERYTHING, both, parse_filter
from workbench.model.traffic.filter_paths import value_filter
from workbench.model.traffic.filter_typing import meant_tool
from workbench.model.traffic.list_columns import ListColumns
from workbench.model.traffic.list_scope import ListScope
from workbench.tui.key_bindings import key_for
from workbench.tui.screens.column_choices import ColumnsScreen, sort_dialog
from workbench.tui.screens.entry_checking import EntryChecking
from workbench.tui.screens.filter_saving import save
from workbench.tui.screens.list_sorting import ListSorting
from workbench.tui.screens.message_pane import MessagePane
from workbench.tui.widgets.filter_bar import FilterBar
from workbench.tui.widgets.traffic import TrafficList
from workbench.tui.workers import run_on_thread, start_worker
from workbench.workspace.saved_filters import read_filters


class FilteredPane(MessagePane):
    """The list of the messages that match a filter; a subclass puts it on the screen, with its filter bar."""

    def __init__(self) -> None:
        super().__init__()
        self._filter = FilterBar(self.PLACE, self._known_names)
        self._scope = ListScope()
        self._columns = ListColumns()
        self._sorting = ListSorting(lambda: self.traffic, self._columns)
        self._checking = EntryChecking(lambda: self.traffic, self._show_records, self._sorting.follow)

    @property
    def traffic(self) -> TrafficList:
        raise NotImplementedError

    def _show_records(self) -> None:
        """Show the records that are new."""
        raise NotImplementedError

    def _paint_note(self) -> None:
        """Show what the list has beside the filter."""
        raise NotImplementedError

    @property
    def filter_text(self) -> str:
        return self._filter.filter.text

    def restore(self, memory: TerminalMemory) -> None:
        self._filter.restore(memory.filter, memory.filters)
        self._columns = self._sorting.columns = memory.columns

    def remember(self, memory: TerminalMemory) -> None:
        memory.filter, memory.filters = self._filter.input.value, self._filter.history.filters
        memory.columns = self._columns

    def _known_names(self, field: str) -> list[str]:
        """Return the values of a field of the filter that are known at the moment."""
        core = self.workspace.core
        match field:
            case "tool":
                return [text_in(tool, "name") for tool in self.workbench.tools]
            case "method":
                return list(METHODS)
            case "@":
                return list(read_filters("@"))
            case "client":
                names = (text_in(object_in(session, "client"), "name") for session in core.sessions)
                return list(dict.fromkeys(filter(None, names)))
        return []

    def why_not(self, action: str) -> str | None:
        entry = self.traffic.entry
        if action == "filter_call" and (entry is None or not entry.call_seq):
            return "This message belongs to no call."
        if action == "filter_value" and self._value_filter is None:
            return "Select a value of a message in the detail."
        if action == "save_filter" and self._filter.filter is EVERYTHING:
            return f"There is no valid filter to save: press {key_for('filter', self.PLACE)} to enter one."
        if action in ("next_match", "previous_match", "toggle_filter") and self._filter.filter is EVERYTHING:
            return f"There is no filter: press {key_for('filter', self.PLACE)} to enter one."
        return super().why_not(action)

    async def action_filter(self) -> None:
        self.screen.set_focus(self._filter.input)

    def action_save_filter(self) -> None:
        start_worker(self, partial(save, self, self._filter.filter), "filters")

    @work(exclusive=True, group="sort")
    async def action_sort(self) -> None:
        """Let the user choose what the rows are sorted by."""
        column = await self.app.push_screen_wait(sort_dialog(self._columns))
        if column is not None:
            self._columns.sort_by(column)
            self.traffic.is_following = False
            self._sorting.begin()
            self.traffic.lines_changed()
            self._paint_note()

    @work(exclusive=True, group="columns")
    async def action_columns(self) -> None:
        """Let the user choose the columns."""
        await self.app.push_screen_wait(ColumnsScreen(self._columns))
        self.traffic.refresh()

    def action_pause(self) -> None:
        self._scope.paused_at = 0 if self._scope.paused_at else self.source.timeline.last_seq
        self._apply()

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
            self._show_filter(both(self._filter.filter, parse_filter(term)))

    def action_next_match(self) -> None:
        self._go_to_match(1)

    def action_previous_match(self) -> None:
        self._go_to_match(-1)

    def action_toggle_filter(self) -> None:
        self._scope.is_filtering = not self._scope.is_filtering
        self._apply()

    def action_clear(self) -> None:
        self._scope.cleared_up_to = 0 if self._scope.cleared_up_to else self.source.timeline.last_seq
        self._apply()

    def on_filter_bar_changed(self, event: FilterBar.Changed) -> None:
        event.stop()
        self._scope.is_filtering = True
        self._apply()

    def on_filter_bar_submitted(self, event: FilterBar.Submitted) -> None:
        event.stop()
        self.screen.set_focus(self.traffic)

    def _apply(self) -> None:
        """Show the messages that match the filter, and keep the message under the cursor visible if it matches."""
        traffic, entry, scope = self.traffic, self.traffic.entry, self._scope
        scope.filter = self._filter.filter
        traffic.empty_text = self._why_empty()
        traffic.marking_filter = scope.marking
        self._checking.forget()
        self._checking.check(partial(traffic.view.set_filter, scope.shown))
        if entry is not None and not traffic.is_following:
            self._checking.stay_at(entry.seq)
        if self.traffic.entry is None:
            self.detail.clear()
        self.detail.show_entry(self.traffic.entry)
        self._paint_note()

    def _why_empty(self) -> str:
        if self._scope.applied is not EVERYTHING:
            if tool := meant_tool(self._scope.applied.syntax, self._known_names("tool")):
                return f"No message matches: did you mean tool:{escaped(tool)}?"
            return f"No message matches the filter: {key_for('back', self.PLACE)} in the list empties it."
        if self._scope.cleared_up_to:
            return f"The messages so far are hidden: {key_for('clear', self.PLACE)} shows them."
        return "No messages yet."

    @work(exclusive=True, group="match")
    async def _go_to_match(self, step: int) -> None:
        shown, test = self.traffic.rows, self._filter.filter.test
        rows = range(self.traffic.cursor + step, len(shown) if step > 0 else -1, step)
        matches = (row for row in rows if any(map(test, shown.messages(row))))
        row = await run_on_thread(lambda: next(matches, None))
        if row is None:
            self.notify("No further match in this direction.", title=UNAVAILABLE, markup=False)
        elif row < len(shown):
            self.traffic.is_following = False
            self.traffic.move_to(row)

    def _show_call(self, seq: int) -> None:
        self._show_filter(f"call:{seq}")

    def _show_filter(self, text: str) -> None:
        self._filter.set_text(text)
        self._scope.is_filtering = True
        self._apply()
