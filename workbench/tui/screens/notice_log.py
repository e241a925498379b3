"""The log of notices: all messages so far, in full, the newest first."""

import time
from collections.abc import Iterable
from textwrap import wrap
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.strip import Strip

from workbench.model.notices import Notice, Severity
from workbench.model.short_text import escaped
from workbench.tui.actions import find_action
from workbench.tui.header import SIGNS
from workbench.tui.screens.dialogs import Dialog
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import fit

# The width of the columns of the time and the sign, in cells.
_HEAD_WIDTH = 12
_EMPTY = "There are no notices yet."


class NoticeLines(Lines):
    """Notices, each with its time and its whole text."""

    HAS_CURSOR = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "notice--time",
        "notice--information",
        "notice--warning",
        "notice--error",
    }

    DEFAULT_CSS = """
    NoticeLines {
        height: auto;
        max-height: 80vh;
        & > .notice--time { color: $text-muted; }
        & > .notice--information { color: $text-success; }
        & > .notice--warning { color: $text-warning; }
        & > .notice--error { color: $text-error; text-style: bold; }
    }
    """

    def __init__(self, notices: Iterable[Notice]) -> None:
        super().__init__()
        self._notices = tuple(notices)
        # The notice of the first row of its text, else None, and the text of the row.
        self._rows: list[tuple[Notice | None, str]] = []

    @property
    def line_count(self) -> int:
        return len(self._rows)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._fold(width)
        return self.line_count

    def on_resize(self) -> None:
        self._fold(self.outer_size.width)
        self.lines_changed()

    def _fold(self, columns: int) -> None:
        width = max(1, columns - self.styles.scrollbar_size_vertical - _HEAD_WIDTH)
        self._rows = [] if self._notices else [(None, _EMPTY)]
        for notice in self._notices:
            lines = [part for line in notice.text.splitlines() for part in wrap(escaped(line), width)] or [""]
            self._rows += [(notice if index == 0 else None, line) for index, line in enumerate(lines)]

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        notice, text = self._rows[index]
        if notice is None:
            head = [(" " * (_HEAD_WIDTH if self._notices else 1), "")]
        else:
            severity: Severity = notice.severity
            clock = time.strftime("%H:%M:%S", time.localtime(notice.time))
            head = [(f" {clock} ", "notice--time"), (f"{SIGNS[severity][0]} ", f"notice--{severity}")]
        return self.paint([*head, (fit(text, width - _HEAD_WIDTH), "")])


class NoticeLog(Dialog[None]):
    """Shows all notices; esc and the key that opens it close it."""

    AUTO_FOCUS = "NoticeLines"
    BINDINGS: ClassVar[list[BindingType]] = [
        (",".join([*find_action("show_notices").key_names, "q"]), "dismiss(None)"),
        ("y", "copy"),
    ]

    def __init__(self, notices: Iterable[Notice]) -> None:
        super().__init__()
        self._notices = tuple(notices)

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = "Notices"
            box.border_subtitle = "y to copy · esc to leave"
            yield NoticeLines(self._notices)

    def action_copy(self) -> None:
        self.app.copy_to_clipboard("\n".join(notice.text for notice in self._notices))
        self.query_one(".box").border_subtitle = "The notices are in the clipboard."
