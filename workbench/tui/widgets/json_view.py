"""JSON of any length, pretty-printed and coloured: only the visible lines are highlighted."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from textual.strip import Strip

from workbench.model.traffic.json_document import JsonDocument, Wrapping
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import fit


@dataclass(frozen=True, slots=True)
class Section:
    """A document of a view, under a heading; an empty heading has no row."""

    heading: str
    document: JsonDocument
    heading_class: str = "json--heading"  # The component class of the heading.


class JsonView(Lines):
    HAS_CURSOR = False

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "json--heading",
        "json--other",
        "json--key",
        "json--string",
        "json--number",
        "json--literal",
        "json--punctuation",
        "json--plain",
    }

    DEFAULT_CSS = """
    JsonView {
        scrollbar-gutter: stable;
        & > .json--heading { color: $text; background: $panel; text-style: bold; }
        & > .json--other { color: $text-muted; background: $panel; }
        & > .json--key { color: $text-primary; }
        & > .json--string { color: $text-success; }
        & > .json--number { color: $text-warning; }
        & > .json--literal { color: $text-accent; }
        & > .json--punctuation { color: $text-muted; }
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._sections: list[Section] = []
        self._starts: list[int] = []
        self._wrappings: list[Wrapping] = []
        self._count = 0
        # The width that the rows were computed for.
        self._layout_width = 0

    @property
    def line_count(self) -> int:
        # Headings, folded lines, and a blank row between sections.
        return self._count

    @property
    def text_width(self) -> int:
        """The width available to text: all cells but those of the scrollbar, which are reserved."""
        return max(0, self.size.width - self.scrollbar_size_vertical)

    @property
    def text(self) -> str:
        return "\n".join(section.document.pretty() for section in self._sections)

    def show(self, *sections: Section) -> None:
        """Show documents from the top."""
        self._sections = list(sections)
        self._lay_out()
        self.scroll_home(animate=False, immediate=True)

    def on_resize(self) -> None:
        if self.size.width != self._layout_width:
            self._lay_out()

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        number = bisect_right(self._starts, index) - 1
        section, row = self._sections[number], index - self._starts[number]
        if section.heading:
            if row == 0:
                return self.paint([(fit(section.heading, width), section.heading_class)])
            row -= 1
        wrapping = self._wrappings[number]
        if row >= wrapping.row_count:
            return Strip.blank(width, self.rich_style)
        line, part = wrapping.at(row)
        whole = self.paint((text, f"json--{kind}") for text, kind in section.document.line(line))
        room = max(1, self.text_width)
        return whole.crop(part * room, (part + 1) * room)

    def _lay_out(self) -> None:
        width = max(1, self.text_width)
        self._layout_width = self.size.width
        self._starts, self._wrappings, count = [], [], 0
        for section in self._sections:
            document = section.document
            wrapping = Wrapping(document.line_count, document.bound, partial(_measure, document), width)
            self._starts.append(count)
            self._wrappings.append(wrapping)
            count += wrapping.row_count + bool(section.heading) + 1
        self._count = max(0, count - 1)
        self.lines_changed()


def _measure(document: JsonDocument, line: int) -> int:
    return cell_len(document.plain_line(line))
