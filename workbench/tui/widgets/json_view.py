"""JSON of any length, pretty-printed and coloured: it folds, is searched, and its values are copied.

Only the visible lines are highlighted. The row under the cursor is marked while the view has the focus.
"""

from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from workbench.model.markdown_signs import is_markdown
from workbench.model.traffic.json_document import JsonDocument
from workbench.model.traffic.json_path import path_of
from workbench.model.traffic.json_table import read_table
from workbench.tui.widgets.json_rows import JsonRows
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.links import is_on_link, with_links
from workbench.tui.widgets.markdown_rows import MarkdownRows
from workbench.tui.widgets.paint import fit
from workbench.tui.widgets.rows import Rows
from workbench.tui.widgets.search_line import SearchLine
from workbench.tui.widgets.section_hints import hints_of, with_hints
from workbench.tui.widgets.table_rows import TableRows

if TYPE_CHECKING:
    from workbench.model.pictures import Picture

_HEADING = -1


@dataclass(frozen=True, slots=True)
class Section:
    """A document of a view, under a heading; an empty heading has no row."""

    heading: str
    document: JsonDocument
    heading_class: str = "json--heading"  # The component class of the heading.
    item: dict[str, Any] | None = None  # The content of a result that the document describes, for saving and following.
    picture: "Picture | None" = None  # Shown below the document.
    seq: int = 0  # The message that the document is, by its number.
    links: Literal["none", "heading", "all"] = "none"  # Where "#4" leads to a message: nowhere in texts of others.

    @property
    def is_markdown(self) -> bool:
        """Whether the document is a text from a server that is clearly Markdown."""
        return self.item is not None and not self.document.is_json and is_markdown(self.document.text)


class JsonView(Lines):
    """One or more JSON documents, one under the other."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "select", show=False),
        Binding("minus", "fold_all", show=False),
        Binding("t", "toggle_source", show=False),
        Binding("slash", "search", show=False),
        Binding("n", "go_to_match(1)", show=False),
        Binding("N", "go_to_match(-1)", show=False),
        Binding("y", "copy_menu", show=False),
        Binding("escape", "close_search", show=False),
    ]

    IS_RENDERED: ClassVar[bool] = False
    """Whether lists of objects are first shown as tables, and Markdown rendered."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "json--heading",
        "json--other",
        "json--key",
        "json--string",
        "json--number",
        "json--literal",
        "json--punctuation",
        "json--plain",
        "json--column",
        "json--fold",
        "json--match",
        "json--search",
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
        & > .json--column { color: $text-primary; text-style: bold; }
        & > .json--fold { color: $text-muted; text-style: italic; }
        & > .json--match { color: $background; background: $warning; }
        & > .json--search { color: $text; background: $panel; }
    }
    """

    class CopyRequested(Message):
        """The user wants to copy something of the view."""

        def __init__(self, view: "JsonView") -> None:
            super().__init__()
            self.view = view

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._sections: list[Section] = []
        self._rows: list[Rows] = []
        self._starts: list[int] = []
        # The numbers of the sections of which only the heading is shown.
        self._closed_sections: set[int] = set()
        # Those whose source the user has chosen to see.
        self._sources: set[int] = set()
        self._count = 0
        # The width that the rows were computed for.
        self._layout_width = 0
        self._search = SearchLine()

    @property
    def line_count(self) -> int:
        # Headings, wrapped lines, and a blank row between sections.
        return self._count

    @property
    def text_width(self) -> int:
        """The width available to text: all cells but those of the scrollbar, which are reserved."""
        return max(0, self.size.width - self.scrollbar_size_vertical)

    @property
    def text(self) -> str:
        return "\n".join(section.document.pretty() for section in self._sections)

    @property
    def section(self) -> Section | None:
        """The section under the cursor."""
        return self._sections[self._place(self.cursor)[0]] if self._sections else None

    @property
    def document_line(self) -> tuple[JsonDocument, int] | None:
        """The document and the line under the cursor; None on a heading, and between sections."""
        if not self._sections:
            return None
        number, row = self._place(self.cursor)
        rows = self._rows[number]
        return (rows.document, rows.line_of(row)) if 0 <= row < rows.row_count else None

    @property
    def path(self) -> str:
        """The path of the value under the cursor; empty where there is none."""
        if (place := self.document_line) is None or not place[0].is_pretty:
            return ""
        return path_of(*place)

    def show(self, *sections: Section) -> None:
        """Show documents from the top."""
        self._sections = list(sections)
        self._rows = [self._first_rows(section) for section in sections]
        self._closed_sections, self._sources = set(), set()
        if self.is_attached and self.text_selection is not None:
            self.screen.clear_selection()
        self._lay_out()
        self._search.find(self._documents)
        self.cursor = 0
        self.scroll_home(animate=False, immediate=True)

    def on_resize(self) -> None:
        if self.size.width != self._layout_width:
            self._lay_out()

    def is_selected(self, index: int) -> bool:
        return self.has_focus and super().is_selected(index)

    def render_line(self, y: int) -> Strip:
        if self.footer_height and y == self.size.height - 1:
            width = self.size.width
            return self.paint([(fit(self._search.describe(), width), "json--search")])
        if y == 0 and (table := self._table_at(self._row_at(0))) is not None:
            # Its heading does not scroll.
            return table.strip(0, "", self._search.search).adjust_cell_length(self.size.width, self._paint.style())
        return super().render_line(y)

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        number, row = self._place(index)
        section, rows = self._sections[number], self._rows[number]
        if row == _HEADING:
            heading = f"▸ {section.heading}" if number in self._closed_sections else section.heading
            has_hints = self.IS_RENDERED and self.has_focus and number == self._place(self.cursor)[0]
            hints = hints_of(section, rows, is_source=number in self._sources) if has_hints else []
            strip = self.paint(with_hints(heading, hints, width, section.heading_class, "json--other"), selected)
            return strip if section.links == "none" else with_links(strip)
        background = "lines--cursor" if selected else ""
        if row >= rows.row_count:
            return Strip.blank(width, self._paint.style(background=background))
        strip = rows.strip(row, background, self._search.search)
        return with_links(strip) if section.links == "all" else strip

    def selected_text(self, index: int, start: int, end: int | None) -> str:
        number, row = self._place(index)
        rows = self._rows[number]
        if isinstance(rows, TableRows) and 0 <= row < rows.row_count:
            return rows.selected_text(row, start, end)
        return super().selected_text(index, start, end)

    def continues(self, index: int) -> bool:
        number, row = self._place(index)
        return 0 <= row < self._rows[number].row_count and self._rows[number].continues(row)

    def action_move(self, rows: int) -> None:
        # After the mouse wheel: go on from what is visible.
        top = self.scroll_offset.y
        bottom = top + max(1, self.size.height - self.footer_height) - 1
        if not top <= self.cursor <= bottom:
            self.cursor = min(max(self.cursor, top), bottom, max(0, self.line_count - 1))
        super().action_move(rows)

    def action_select(self) -> None:
        """Fold or unfold what begins or ends at the row under the cursor; in a table, show the row as JSON."""
        if self._table_at(self.cursor) is not None:
            self.action_toggle_source()
        elif not self._toggle(self.cursor):
            raise SkipAction

    def watch_cursor(self, before: int, now: int) -> None:
        super().watch_cursor(before, now)
        if self._sections and self._place(before)[0] != self._place(now)[0]:
            self.refresh()  # The hints in the headings.

    def action_fold_all(self) -> None:
        """Unfold everything in the section under the cursor if something is folded; else fold it."""
        if not self._sections:
            return
        number, row = self._place(self.cursor)
        rows = self._rows[number]
        line = rows.line_of(min(max(row, 0), rows.row_count - 1))
        rows.toggle_all()
        self._place_rows()
        self._go_to(number, line)

    def action_toggle_source(self) -> None:
        """Switch the section under the cursor between a table or rendered Markdown and its source."""
        if not self._sections:
            raise SkipAction
        self._toggle_source(*self._place(self.cursor))

    def _toggle_source(self, number: int, row: int) -> None:
        section, rows = self._sections[number], self._rows[number]
        rendered = self._rendered_rows(section)
        if rendered is None:
            raise SkipAction
        line = rows.line_of(min(max(row, 0), rows.row_count - 1))
        new = rendered if isinstance(rows, JsonRows) else JsonRows(section.document, self._paint)
        new.lay_out(self.text_width)
        self._rows[number] = new
        self._sources ^= {number}
        self._place_rows()
        # Lines of rendered Markdown are not those of its source.
        is_markdown = isinstance(rendered, MarkdownRows)
        self._go_to(number, min(line, new.document.line_count - 1) if is_markdown else line)

    def action_search(self) -> None:
        """Search in the documents; what is typed next is the text."""
        self._search.begin()
        self._search_changed()

    def action_close_search(self) -> None:
        if not self._search.is_open:
            raise SkipAction
        self._search.close()
        self._search_changed()

    def action_go_to_match(self, step: int) -> None:
        if not self._search.is_open or not self._sections:
            raise SkipAction
        number, row = self._place(self.cursor)
        rows = self._rows[number]
        line = rows.line_of(min(max(row, 0), rows.row_count - 1))
        if (place := self._search.move((number, line), step)) is not None:
            self._go_to(*place)
        self.refresh()

    def action_copy_menu(self) -> None:
        if not self._sections:
            raise SkipAction
        self.post_message(self.CopyRequested(self))

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return self._search.is_typing and character is not None and character.isprintable()

    def on_key(self, event: events.Key) -> None:
        """Read the text to search for."""
        if self._search.is_typing and self._search.press(event.key, event.character if event.is_printable else None):
            event.stop()
            event.prevent_default()
            self._search_changed()

    def on_paste(self, event: events.Paste) -> None:
        if self._search.is_typing:
            event.stop()
            self._search.add(event.text)
            self._search_changed()

    def on_blur(self) -> None:
        self._search.stop_typing()

    def on_click(self, event: events.Click) -> None:
        if is_on_link(event):
            return
        # Textual would call the handler of the base class as well, which selects the row under the cursor.
        event.prevent_default()
        if (index := self.row_clicked(event)) is not None:
            self.cursor = index
            # A row of a table, and a row that opens nothing, is only selected.
            if self._table_at(index) is None:
                with suppress(SkipAction):
                    self.action_select()

    @property
    def _documents(self) -> list[JsonDocument]:
        return [rows.document for rows in self._rows]

    def _search_changed(self) -> None:
        """Show the search, and go to the first match from the cursor on."""
        self.footer_height = int(self._search.is_open)
        if self._search.is_stale:
            self._search.find(self._documents)
            self.cursor = min(self.cursor, max(0, self.line_count - 1))
            number, row = self._place(self.cursor) if self._sections else (0, 0)
            line = self._rows[number].line_of(max(row, 0)) if row < self._row_count(number) else 0
            if (place := self._search.move((number, line - 1), 1)) is not None:
                self._go_to(*place)
        self.lines_changed()

    def _row_count(self, number: int) -> int:
        return self._rows[number].row_count if number < len(self._rows) else 0

    def _toggle(self, index: int) -> bool:
        if not self._sections:
            return False
        number, row = self._place(index)
        rows = self._rows[number]
        if row == _HEADING:
            self._closed_sections ^= {number}
            self._place_rows()
            return True
        if row >= rows.row_count or (line := rows.toggle(rows.line_of(row))) is None:
            return False
        self._place_rows()
        self._go_to(number, line)
        return True

    def _go_to(self, number: int, line: int) -> None:
        """Put the cursor on a line of a section, and unfold what hides it."""
        rows = self._rows[number]
        if rows.reveal(line) or number in self._closed_sections:
            self._closed_sections -= {number}
            self._place_rows()
        self.move_to(self._starts[number] + bool(self._sections[number].heading) + rows.row_of(line))

    def _first_rows(self, section: Section) -> Rows:
        rendered = self._rendered_rows(section) if self.IS_RENDERED else None
        return JsonRows(section.document, self._paint) if rendered is None else rendered

    def _rendered_rows(self, section: Section) -> Rows | None:
        """Return a list of objects as a table, Markdown rendered, or a picture; None for other documents."""
        if section.picture is not None:
            return self._picture_rows(section.document, section.picture)
        if (table := read_table(section.document)) is not None:
            return TableRows(section.document, table, self._paint)
        return MarkdownRows(section.document, self._paint) if section.is_markdown else None

    def _picture_rows(self, document: JsonDocument, picture: "Picture") -> Rows:
        from workbench.tui.widgets.picture_rows import PictureRows

        has_colours = self.app.console.color_system is not None
        # The heading of the section is visible as well.
        return PictureRows(document, picture, self._paint, lambda: self.size.height - 1, has_colours=has_colours)

    def _show_cursor(self) -> None:
        super()._show_cursor()
        top = self.scroll_offset.y
        if self.cursor == top and self._table_at(top) is not None:
            # Its heading covers the first row.
            self.scroll_to(y=top - 1, animate=False, immediate=True)

    def _table_at(self, index: int) -> TableRows | None:
        """Return the table that a row below its heading belongs to."""
        if not self._sections:
            return None
        number, row = self._place(index)
        rows = self._rows[number]
        return rows if isinstance(rows, TableRows) and 0 < row < rows.row_count else None

    def _place(self, index: int) -> tuple[int, int]:
        """Return the section of a row, and the row in its document; `_HEADING` for the heading."""
        number = max(0, bisect_right(self._starts, index) - 1)
        return number, index - self._starts[number] - bool(self._sections[number].heading)

    def _lay_out(self) -> None:
        self._layout_width = self.size.width
        for rows in self._rows:
            rows.lay_out(self.text_width)
        self._place_rows()

    def _place_rows(self) -> None:
        self._starts, count = [], 0
        for number, (section, rows) in enumerate(zip(self._sections, self._rows, strict=True)):
            self._starts.append(count)
            is_closed = number in self._closed_sections
            count += bool(section.heading) + (0 if is_closed else rows.row_count) + (0 if is_closed else 1)
        is_last_closed = len(self._sections) - 1 in self._closed_sections
        self._count = max(0, count if is_last_closed else count - 1)
        self.lines_changed()
