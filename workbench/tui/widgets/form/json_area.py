"""A text area for JSON: coloured tokens, the lines with problems marked, and line breaks that keep the indentation."""

from collections.abc import Mapping
from typing import ClassVar

from rich.text import Text
from textual import events

from workbench.model.forms.json_walk import line_break, tokens
from workbench.model.short_text import escaped
from workbench.tui.widgets.form.text import NEW_LINE
from workbench.tui.widgets.paint import Paint
from workbench.tui.widgets.steady import TextArea

# The number of characters of a line that are coloured.
_COLOURED = 5_000


class JsonArea(TextArea):
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "json--key",
        "json--string",
        "json--number",
        "json--literal",
        "json--punctuation",
        "json--placeholder",
        "json--problem",
        "json--note",
    }

    DEFAULT_CSS = """
    JsonArea {
        & > .json--key { color: $text-primary; }
        & > .json--string { color: $text-success; }
        & > .json--number { color: $text-warning; }
        & > .json--literal { color: $text-accent; }
        & > .json--punctuation { color: $text-muted; }
        & > .json--placeholder { color: $text-muted; text-style: italic; }
        & > .json--problem { text-style: underline; background: $error-muted; }
        & > .json--note { color: $text-error; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        # No language: Textual's highlighter is not safe to load on every machine.
        super().__init__(tab_behavior="focus", show_line_numbers=True, highlight_cursor_line=False, id=id)
        self.placeholders: dict[str, bool] = {}
        """The texts that stand for a missing value, and whether that value is text."""
        # The lines with a problem, and what is written at their ends.
        self._notes: dict[int, str] = {}
        self._paint = Paint(self)

    @property
    def marked(self) -> frozenset[int]:
        """The lines with a problem, from 0."""
        return frozenset(self._notes)

    def mark(self, notes: Mapping[int, str]) -> None:
        """Mark lines, from 0, and write a note at the end of each."""
        if self._notes != notes:
            self._notes = dict(notes)
            # Drops the painted lines.
            self.notify_style_update()
            self.refresh()

    def select_placeholder(self) -> None:
        """Select the first placeholder, so that the next key replaces it; without one, go to the start."""
        for row, line in enumerate(self.text.split("\n")):
            for start, end, kind in tokens(line):
                is_text = self.placeholders.get(line[start + 1 : end - 1])
                if kind == "string" and is_text is not None:
                    # The quotes around a text stay.
                    self.move_cursor((row, start + is_text))
                    self.move_cursor((row, end - is_text), select=True)
                    return
        self.move_cursor((0, 0))

    def has_placeholder(self, row: int) -> bool:
        line = self.document.get_line(row)
        return any(line[start + 1 : end - 1] in self.placeholders for start, end, kind in tokens(line))

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        text = line.plain[:_COLOURED]
        for start, end, kind in tokens(text):
            is_placeholder = kind == "string" and text[start + 1 : end - 1] in self.placeholders
            name = "json--placeholder" if is_placeholder else f"json--{kind}"
            line.stylize(self._paint.style(name), start, end)
        if (note := self._notes.get(line_index)) is not None:
            indent = len(text) - len(text.lstrip())
            line.stylize(self.get_component_rich_style("json--problem", partial=True), indent)
            if note:
                line.append(f"  ✗ {escaped(note)}", self._paint.style("json--note"))
        return line

    # Textual's private handler, since it writes text before an `on_key` would be called.
    async def _on_key(self, event: events.Key) -> None:
        if event.key not in ("enter", NEW_LINE):
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        (start_row, start), (end_row, end) = sorted(self.selection)
        before, after = self.document[start_row][:start], self.document[end_row][end:]
        # A paste has its own indentation.
        text, rest = line_break(before, after) if event.key == "enter" else ("\n", "")
        self._replace_via_keyboard(text + rest, (start_row, start), (end_row, end))
        if rest:
            self.move_cursor((start_row + 1, len(text) - 1))

    def notify_style_update(self) -> None:
        self._paint.clear()
        super().notify_style_update()
