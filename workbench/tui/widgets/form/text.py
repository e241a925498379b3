"""Text editors: a single row, or several rows for long texts and raw JSON."""

from typing import ClassVar

from textual import events
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from workbench.tui.widgets.line_input import LineInput
from workbench.tui.widgets.steady import TextArea

# The length from which a text is shown in several rows, in characters.
_LONG = 120

NEW_LINE = "newline"
"""The key for a line feed in a paste that arrives as keys; no terminal sends it."""


def is_long(text: str) -> bool:
    return len(text) > _LONG or "\n" in text


class LineEditor(LineInput):
    """A row of text, which asks for more rows when the text does not fit."""

    DEFAULT_CSS = """
    LineEditor.-textual-compact { padding: 0 1; }
    """

    JOINT: ClassVar[str] = " "
    """What stands for a line break in a text of a single line."""

    class Outgrown(Message):
        """The text needs more rows."""

        def __init__(self, text: str, cursor: int) -> None:
            super().__init__()
            self.text = text
            self.cursor = cursor

    def __init__(self, text: str, placeholder: str, *, may_grow: bool) -> None:
        super().__init__(text, placeholder, compact=True, select_on_focus=False)
        self.may_grow = may_grow
        self.default = ""
        """The default shown in the editor; the first key replaces it."""
        # Whether the text was selected since the focus came; keys may be typed before the focus event arrives.
        self._is_entered = False
        self.has_outgrown = False
        """Whether an editor of several rows has replaced this editor, so that changes of its text are ignored."""

    def on_input_changed(self, event: Input.Changed) -> None:
        if self.may_grow and is_long(event.value):
            self._outgrow(event.value, self.cursor_position)

    def write(self, text: str) -> None:
        """Replace the selection with a text; text of several lines asks for more rows."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        start, end = self.line_break_range if text == "\n" else sorted(self.selection)
        if not self.may_grow:
            # The text is not cut silently: the field shows what is wrong with all of it.
            self.replace(self.JOINT.join(text.strip("\n").split("\n")) or self.JOINT, start, end)
        elif "\n" in text.strip("\n") or text == "\n":
            self._outgrow(self.value[:start] + text + self.value[end:], start + len(text))
        else:
            self.replace(text.strip("\n"), start, end)

    def begin_line(self) -> None:
        if self.has_outgrown and isinstance(self.parent, Widget):
            # The row queues the keys for the editor that has replaced this one: the line break has to be among them.
            self.parent.post_message(events.Key("enter", "\r"))
        else:
            self.write("\n")

    @property
    def line_break_range(self) -> tuple[int, int]:
        """What a line break replaces: not the whole text, which the focus has selected, but it goes after that."""
        start, end = sorted(self.selection)
        return (end, end) if start == 0 and end == len(self.value) else (start, end)

    def enter(self) -> None:
        """Select the text that was there before the focus came, as browsers do: the first key replaces it."""
        if not self._is_entered:
            self.select_text()

    def select_text(self) -> None:
        """Select the whole text, also where the focus has been before."""
        self._is_entered = True
        self.select_all()

    def keep_cursor(self) -> None:
        """Select no text when the focus comes, as the user goes on typing; but a default that was not changed."""
        self._is_entered = True
        if self.default and self.value == self.default:
            self.select_all()

    def _on_focus(self, event: events.Focus) -> None:
        # A window that comes to the front again does not change the selection.
        if event.from_app_focus:
            self._is_entered = True
        self.enter()

    def _on_blur(self, event: events.Blur) -> None:
        self._is_entered = False
        # A text that does not fit shows its beginning. A window that goes behind another keeps the cursor in view.
        if self.app.app_focus:
            self.scroll_to(x=0, animate=False, force=True)

    def _outgrow(self, text: str, cursor: int) -> None:
        if not self.has_outgrown:
            self.has_outgrown = True
            self.post_message(self.Outgrown(text, cursor))

    # Textual's private handler, since it writes text before an `on_key` would be called.
    async def _on_key(self, event: events.Key) -> None:
        # All further keys are for the editor that replaces this one.
        if self.has_outgrown:
            event.prevent_default()
        elif event.key == NEW_LINE:
            event.stop()
            event.prevent_default()
            self.write("\n")
        else:
            await super()._on_key(event)

    def _on_paste(self, event: events.Paste) -> None:
        # Textual's handler would insert only the first line. Terminals end the lines of a paste in different ways.
        event.stop()
        event.prevent_default()
        self.write(event.text)


class NumberEditor(LineEditor):
    """A row for a number: while it is empty, / is no text but the key of the search."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return (character != "/" or bool(self.value)) and super().check_consume_key(key, character)

    async def _on_key(self, event: events.Key) -> None:
        if event.character == "/" and not self.value:
            event.prevent_default()
        else:
            await super()._on_key(event)


class AreaEditor(TextArea):
    """As many rows as the text needs, up to ten."""

    DEFAULT_CSS = """
    AreaEditor {
        height: auto;
        min-height: 1;
        max-height: 10;
        padding: 0 1;
        border: none !important;
        scrollbar-size-vertical: 1;
    }
    """

    def __init__(self, text: str, placeholder: str, cursor: int = 0) -> None:
        # No language: its highlighter is not safe to load on every machine.
        super().__init__(text, placeholder=placeholder, compact=True, highlight_cursor_line=False)
        self.match_cursor_bracket = False
        before = text[:cursor].split("\n")
        self.cursor_location = (len(before) - 1, len(before[-1]))
