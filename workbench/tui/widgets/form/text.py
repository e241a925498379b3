"""Where text is typed: one row, or several rows for long texts and raw JSON."""

from textual import events
from textual.message import Message
from textual.widgets import Input, TextArea

LONG = 120
"""Characters from which a text is shown over several rows."""


def is_long(text: str) -> bool:
    """Whether a text does not fit on one row."""
    return len(text) > LONG or "\n" in text


class LineEditor(Input):
    """One row of text; Enter goes to the next field, and what does not fit on a row asks for more rows."""

    DEFAULT_CSS = """
    LineEditor.-textual-compact { padding: 0 1; }
    """

    class Outgrown(Message):
        """The text needs more rows."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, text: str, placeholder: str, *, may_grow: bool) -> None:
        super().__init__(text, placeholder, compact=True, select_on_focus=False)
        self._may_grow = may_grow

    def on_input_changed(self, event: Input.Changed) -> None:
        """Ask for more rows once the text is too long."""
        if self._may_grow and is_long(event.value):
            self.post_message(self.Outgrown(event.value))

    def _on_paste(self, event: events.Paste) -> None:
        # Textual's own would keep the first line alone, and the rest would be lost without a word.
        if self._may_grow and "\n" in event.text.strip("\r\n"):
            before, after = self.value[: self.cursor_position], self.value[self.cursor_position :]
            event.stop()
            event.prevent_default()
            self.post_message(self.Outgrown(before + event.text + after))


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

    def __init__(self, text: str, placeholder: str) -> None:
        # No language: the highlighter that comes with one is not safe to load on every machine.
        super().__init__(text, placeholder=placeholder, compact=True, highlight_cursor_line=False)
        self.match_cursor_bracket = False
