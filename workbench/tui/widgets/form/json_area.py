"""A text area for JSON: coloured tokens, and the lines with problems marked."""

from collections.abc import Collection
from typing import ClassVar

from rich.text import Text

from workbench.model.forms.json_walk import tokens
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
    }
    """

    def __init__(self) -> None:
        # No language: Textual's highlighter is not safe to load on every machine.
        super().__init__(tab_behavior="focus", show_line_numbers=True, highlight_cursor_line=False)
        self.placeholders: dict[str, bool] = {}
        """The texts that stand for a missing value, and whether that value is text."""
        self._marked: frozenset[int] = frozenset()
        self._paint = Paint(self)

    @property
    def marked(self) -> frozenset[int]:
        """The lines with a problem, from 0."""
        return self._marked

    def mark(self, lines: Collection[int]) -> None:
        if self._marked != frozenset(lines):
            self._marked = frozenset(lines)
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
        if line_index in self._marked:
            indent = len(text) - len(text.lstrip())
            line.stylize(self.get_component_rich_style("json--problem", partial=True), indent)
        return line

    def notify_style_update(self) -> None:
        self._paint.clear()
        super().notify_style_update()
