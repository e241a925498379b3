"""JSON of any length, pretty-printed and coloured: it folds, is searched, and its values are copied.

Only the visible lines are highlighted. The row under the cursor is marked while the view has the focus.
"""

from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from workbench.model.traffic.json_document import JsonDocument
from workbench.model.traffic.json_path import path_of
from workbench.model.traffic.json_table import read_table
from workbench.tui.widgets.document_rows import Rows
from workbench.tui.widgets.json_rows import JsonRows
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.links import is_on_link, with_links
from workbench.tui.widgets.markdown_rows import MarkdownRows
from workbench.tui.widgets.paint import fit
from workbench.tui.widgets.search_line import SearchLine
from workbench.tui.widgets.sections import HEADING, Section, Sections, hints_of, with_hints
from workbench.tui.widgets.table_rows import TableRows

if TYPE_CHECKING:
    from workbench.model.pictures import Picture

# The width until the view has its place on the screen.
_UNKNOWN_WIDTH = 80


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
        self._sections = Sections()
        self._search = SearchLine()

    @property
    def line_count(self) -> int:
        # Headings, wrapped lines, and a blank row between sections.
        return self._sections.count

    @property
    def text_width(self) -> int:
        """The width available to text: all cells but those of the scrollbar, which are reserved."""
        return max(0, self.size.width - self.scrollbar_size_vertical)

    @property
    def text(self) -> str:
        return "\n".join(section.document.pretty() for section in self._sections.shown)

    @property
    def section(self) -> Section | None:
        """The section under the cursor."""
        return self._sections.shown[self._sections.place(self.cursor)[0]] if self._sections.shown else None

    @property
    def document_line(self) -> tuple[JsonDocument, int] | None:
        """The document and the line under the cursor; None on a heading, and between sections."""
        if not self._sections.shown:
            return None
        number, row = self._sections.place(self.cursor)
        rows = self._sections.rows[number]
        return (rows.document, rows.line_of(row)) if 0 <= row < rows.row_count else None

    @property
    def path(self) -> str:
        """The path of the value under the cursor; empty where there is none."""
        if (place := self.document_line) is None or not place[0].is_pretty:
            return ""
        return path_of(*place)

    def show(self, *sections: Section) -> None:
        """Show documents from the top."""
        self._sections.show(sections, [self._first_rows(section) for section in sections])
        if self.is_attached and self.text_selection is not None:
            self.screen.clear_selection()
        self.lay_out_again()
        self.cursor = 0
        self.scroll_home(animate=False, immediate=True)

    def is_selected(self, index: int) -> bool:
        return self.has_focus and super().is_selected(index)

    def render_line(self, y: int) -> Strip:
        if self.footer_height and y == self.size.height - 1:
            width = self.size.width
            return self.paint([(fit(self._search.describe(), width), "json--search")])
        if y == 0 and (table := self._sections.table_at(self._row_at(0))) is not None:
            # Its heading does not scroll.
            return table.strip(0, "", self._search.search).adjust_cell_length(self.size.width, self._paint.style())
        return super().render_line(y)

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        number, row = self._sections.place(index)
        section, rows = self._sections.shown[number], self._sections.rows[number]
        if row == HEADING:
            heading = f"▸ {section.heading}" if self._sections.is_closed(number) else section.heading
            has_hints = self.IS_RENDERED and self.has_focus and number == self._sections.place(self.cursor)[0]
            hints = hints_of(section, rows, is_source=number in self._sections.sources) if has_hints else []
            strip = self.paint(with_hints(heading, hints, width, section.heading_class, "json--other"), selected)
            return strip if section.links == "none" else with_links(strip)
        background = "lines--cursor" if selected else ""
        if row >= rows.row_count:
            return Strip.blank(width, self._paint.style(background=background))
        strip = rows.strip(row, background, self._search.search)
        return with_links(strip) if section.links == "all" else strip

    def selected_text(self, index: int, start: int, end: int | None) -> str:
        number, row = self._sections.place(index)
        rows = self._sections.rows[number]
        if isinstance(rows, TableRows) and 0 <= row < rows.row_count:
            return rows.selected_text(row, start, end)
        return super().selected_text(index, start, end)

    def continues(self, index: int) -> bool:
        number, row = self._sections.place(index)
        rows = self._sections.rows[number]
        return 0 <= row < rows.row_count and rows.continues(row)

    def action_move(self, rows: int) -> None:
        # After the mouse wheel: go on from what is visible.
        top = self.scroll_offset.y
        bottom = top + max(1, self.size.height - self.footer_height) - 1
        if not top <= self.cursor <= bottom:
            self.cursor = min(max(self.cursor, top), bottom, max(0, self.line_count - 1))
        super().action_move(rows)

    def action_select(self) -> None:
        """Fold or unfold what begins or ends at the row under the cursor; in a table, show the row as JSON."""
        if self._sections.table_at(self.cursor) is not None:
            self.action_toggle_source()
        elif (index := self._sections.toggle(self.cursor)) is None:
            raise SkipAction
        else:
            self.lines_changed()
            self.move_to(index)

    def watch_cursor(self, before: int, now: int) -> None:
        super().watch_cursor(before, now)
        if self._sections.shown and self._sections.place(before)[0] != self._sections.place(now)[0]:
            self.refresh()  # The hints in the headings.

    def action_fold_all(self) -> None:
        """Unfold everything in the section under the cursor if something is folded; else fold it."""
        if self._sections.shown:
            number, line = self._sections.line_at(self.cursor)
            self._sections.rows[number].toggle_all()
            self._go_to(number, line)

    def action_toggle_source(self) -> None:
        """Switch the section under the cursor between a table or rendered Markdown and its source."""
        if not self._sections.shown:
            raise SkipAction
        self._toggle_source(*self._sections.line_at(self.cursor))

    def _toggle_source(self, number: int, line: int) -> None:
        section, rows = self._sections.shown[number], self._sections.rows[number]
        rendered = self._rendered_rows(section)
        if rendered is None:
            raise SkipAction
        new = rendered if isinstance(rows, JsonRows) else self._json_rows(section)
        new.lay_out(self.text_width)
        self._sections.replace_rows(number, new)
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
        if not self._search.is_open or not self._sections.shown:
            raise SkipAction
        if (place := self._search.move(self._sections.line_at(self.cursor), step)) is not None:
            self._go_to(*place)
        self.refresh()

    def action_copy_menu(self) -> None:
        if not self._sections.shown:
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
            if self._sections.table_at(index) is None:
                with suppress(SkipAction):
                    self.action_select()

    def _search_changed(self) -> None:
        """Show the search, and go to the first match from the cursor on."""
        self.footer_height = int(self._search.is_open)
        if self._search.is_stale:
            self._search.find(self._sections.documents)
            self.cursor = min(self.cursor, max(0, self.line_count - 1))
            number, line = self._sections.line_at(self.cursor)
            if (place := self._search.move((number, line - 1), 1)) is not None:
                self._go_to(*place)
        self.lines_changed()

    def go_to_section(self, number: int) -> None:
        """Put the cursor on the first row of a section, and scroll it to the top."""
        index = self._sections.start(number)
        self.cursor = index
        self.scroll_to(y=index, animate=False, immediate=True)

    def _go_to(self, number: int, line: int) -> None:
        """Put the cursor on a line of a section, and unfold what hides it."""
        index = self._sections.reveal(number, line)
        self.lines_changed()
        self.move_to(index)

    def _first_rows(self, section: Section) -> Rows:
        rendered = self._rendered_rows(section) if self.IS_RENDERED else None
        return self._json_rows(section) if rendered is None else rendered

    def _json_rows(self, section: Section) -> JsonRows:
        return JsonRows(section.document, self._paint, is_message=section.is_message)

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
        if self.cursor == top and self._sections.table_at(top) is not None:
            # Its heading covers the first row.
            self.scroll_to(y=top - 1, animate=False, immediate=True)

    def lay_out(self) -> None:
        self._sections.lay_out(self.text_width or _UNKNOWN_WIDTH)
        self._search.find(self._sections.documents)
        self.lines_changed()
