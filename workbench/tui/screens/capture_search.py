"""The search for a text in the messages of several captures."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from workbench.model.describe import plural
from workbench.model.short_text import escaped
from workbench.tui.screens.dialogs import Dialog
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText
from workbench.tui.workers import start_worker
from workbench.workspace.capture_files import MAX_MATCHES, CaptureSearch

_BEFORE = 16  # As many characters are shown before a match.
_WAYS = {"in": "→", "out": "←"}


class CaptureSearchScreen(Dialog[tuple[str, int] | None]):
    """Searches the captures of a server, or all; returns the path and number of the chosen message, None after Esc.

    Args:
        captures: all captures that can be read.
        of: the name of the server whose captures are searched at first; empty for all.
    """

    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "to_matches", show=False),
        Binding("ctrl+t", "change_scope", show=False),
    ]

    DEFAULT_CSS = """
    CaptureSearchScreen {
        & .box { width: 140; }
        & Input { height: 3; margin-bottom: 0; border: round $border-blurred; &:focus { border: round $border; } }
        & .state { margin-bottom: 0; }
        & Table { height: 1fr; }
    }
    """

    def __init__(self, captures: Sequence[dict[str, Any]], of: str, on_search: Callable[[str, str], None]) -> None:
        super().__init__()
        self._on_search = on_search  # is called with a text, and the server in whose captures it is searched, if any
        self._captures = {str(capture["path"]): capture for capture in captures}
        self._own = [path for path, capture in self._captures.items() if capture["project"] == of]
        self._of = of if self._own else ""
        self._searches_all = not self._of
        self._search = CaptureSearch(self._paths)

    @property
    def _paths(self) -> list[str]:
        return list(self._captures) if self._searches_all else self._own

    def compose(self) -> ComposeResult:
        with Vertical(classes="box tall") as box:
            box.border_title = Content("Search the captures")
            box.border_subtitle = "enter search, or open the message · ^t all captures, or fewer · esc close"
            yield Input(placeholder="a text in the messages")
            yield Static(self._summary(), classes="state", markup=False)
            yield Table(("capture", "#", "", "message"), wide_column=3, numbers=(1,), empty_text="")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        if event.value:
            start_worker(self, partial(self._find, event.value), "search")

    async def _find(self, text: str) -> None:
        search = self._search
        self._on_search(text, "" if self._searches_all else self._of)
        await search.run(text, self._show)
        self._show()
        if search is self._search and search.matches:
            self.set_focus(self.query_one(Table))

    def action_change_scope(self) -> None:
        """Search all captures instead of those of the server, or the other way round."""
        if len(self._own) == len(self._captures) or not self._of:
            return
        self._searches_all = not self._searches_all
        self._search = CaptureSearch(self._paths)
        self._show()
        if text := self.query_one(Input).value:
            start_worker(self, partial(self._find, text), "search")

    def action_to_matches(self) -> None:
        if self._search.matches:
            self.set_focus(self.query_one(Table))

    def _show(self) -> None:
        self.query_one(".state", Static).update(Content(self._summary()))
        self.query_one(Table).show_rows([self._row(match) for match in self._search.matches])

    def _summary(self) -> str:
        search = self._search
        place = self._scope()
        if not search.text:
            return f"in {place}"
        count = plural(len(search.matches), "message")
        state = f"{count} so far, " if search.is_running else f"{count} "
        limit = f"; only the first {MAX_MATCHES:,} are shown" if len(search.matches) >= MAX_MATCHES else ""
        problems = f"\n{escaped(search.problems[0])}" if search.problems else ""
        return f"{state}in {place}{limit}{problems}"

    def _scope(self) -> str:
        """Return what is searched, with the key for the other choice if there is any."""
        all_of_them = f"all {plural(len(self._captures), 'capture')}"
        if not self._of:
            return all_of_them
        own = f"{plural(len(self._own), 'capture')} of {escaped(self._of)}"
        if len(self._own) == len(self._captures):
            return own
        return f"{all_of_them} (^t: {own})" if self._searches_all else f"{own} (^t: {all_of_them})"

    def _row(self, match: Any) -> tuple[StyledText, ...]:
        path = str(match.path)
        capture = self._captures[path]
        day = time.strftime("%m-%d %H:%M", time.localtime(capture["started"]))
        # A file is named after its server and time, which all of them share or the day shows.
        server = f"{capture['project']} " if self._searches_all else ""
        title = f"{day} {server}{capture.get('name') or ', '.join(capture.get('clients') or ())}".rstrip()
        record = match.record
        return (
            (title, "table--muted"),
            (str(record.seq), "table--muted"),
            (_WAYS.get(record.direction.value, "·"), "table--muted"),
            (f"{match.before[-_BEFORE:]}{match.match}{match.after}", ""),
        )

    @on(Lines.Selected)
    def _selected(self) -> None:
        match = self.query_one(Table).current_item(self._search.matches)
        if match is not None:
            self.dismiss((str(match.path), match.record.seq))
