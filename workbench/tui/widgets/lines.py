"""A virtual list for everything that grows: only the visible rows are rendered.

A subclass defines `line_count` and `render_row`, and calls :meth:`Lines.lines_changed` when the rows have changed.
Rows are painted from texts, each with one of the widget's component classes; foreign text is safe, since control
characters are escaped before they are painted.
"""

from collections.abc import Iterable
from typing import ClassVar

from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from workbench.tui.widgets.links import MessageLinked, RunLinked, is_on_link
from workbench.tui.widgets.paint import Paint, StyledText, fit, highlighted

# The number of rows that a selection may copy.
_MAX_COPIED = 50_000


class Lines(ScrollView, can_focus=True):
    """A list of one-line rows, with a cursor that may follow the newest row."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown", "move_page(1)", show=False),
        Binding("pageup", "move_page(-1)", show=False),
        Binding("home,g", "first", show=False),
        Binding("end,G", "last", show=False),
        Binding("enter", "select", show=False),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {"lines--cursor", "lines--heading", "lines--empty"}

    DEFAULT_CSS = """
    Lines {
        height: 1fr;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 1;
        & > .lines--heading { color: $text-muted; }
        & > .lines--empty { color: $text-muted; }
        & > .lines--cursor {
            background: $block-cursor-blurred-background;
            color: $block-cursor-blurred-foreground;
        }
        &:focus > .lines--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: bold;
        }
    }
    """

    HAS_CURSOR: ClassVar[bool] = True
    """Without a cursor, the keys scroll."""

    HAS_HEADING: ClassVar[bool] = False
    """Whether the first line of the widget is a heading, which does not scroll."""

    empty_text: str = ""
    """A line that is shown while there are no rows."""

    footer_height: int = 0
    """The number of lines below the rows that do not scroll; a subclass paints them."""

    cursor: var[int] = var(0)
    """The index of the row under the cursor."""

    is_following: var[bool] = var(False)
    """Whether the cursor stays on the last row when rows are added."""

    class Highlighted(Message):
        """The cursor has moved to another row."""

        def __init__(self, lines: "Lines", index: int) -> None:
            super().__init__()
            self.lines = lines
            self.index = index

        @property
        def control(self) -> "Lines":
            # Textual matches the selectors of `@on` against this.
            return self.lines

    class Selected(Highlighted):
        """The user has opened a row: enter, or a click on the row under the cursor."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._paint = Paint(self)
        # The width that the rows were laid out for.
        self._layout_width = 0
        # Whether the lines are rendered for the screen, rather than to find what is under the mouse.
        self._is_painting = False

    @property
    def allow_select(self) -> bool:
        return True

    @property
    def line_count(self) -> int:
        raise NotImplementedError

    def render_heading(self, width: int) -> Strip:
        """Return the line above the rows, if the list has a heading."""
        raise NotImplementedError

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        """Return a row of any length; the visible cells are its width, and the row of the cursor is selected."""
        raise NotImplementedError

    def continues(self, index: int) -> bool:
        """Return whether a row continues the one above, so that both are copied as one line."""
        return False

    def lay_out(self) -> None:
        """Compute the rows for the current width; a list whose rows depend on it overrides this."""

    def lines_changed(self) -> None:
        """Update the list after a change of its rows, and paint the visible ones."""
        count = self.line_count
        self._resize_virtually(Size(0, count + self.HAS_HEADING + self.footer_height))
        if self.is_vertical_scrollbar_grabbed:
            self.is_following = False
        if self.is_following:
            self.cursor = max(0, count - 1)
            self.scroll_end(animate=False, immediate=True, x_axis=False)
        elif self.cursor >= count:
            self.cursor = max(0, count - 1)
        self.refresh()

    def paint(self, texts: Iterable[StyledText], selected: bool = False) -> Strip:
        return self._paint.strip(texts, "lines--cursor" if selected else "")

    def move_to(self, index: int) -> None:
        """Put the cursor on the row with this index, or the nearest row, and scroll to it."""
        self.cursor = min(max(0, index), max(0, self.line_count - 1))
        self._show_cursor()

    def render_lines(self, crop: Region) -> list[Strip]:
        # Textual paints once at a new size before it reports it.
        self._lay_out_at_width()
        self._is_painting = True
        try:
            return super().render_lines(crop)
        finally:
            self._is_painting = False

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if self.HAS_HEADING and y == 0:
            return self.render_heading(width).adjust_cell_length(width, self.rich_style)
        index = self._row_at(y)
        if index == 0 == self.line_count and self.empty_text:
            return self.paint([(fit(f" {self.empty_text}", width), "lines--empty")])
        if index >= self.line_count:
            return Strip.blank(width, self.rich_style)
        selected = self.is_selected(index)
        row = self.render_row(index, width, selected)
        # Textual also asks for the line under the mouse, to learn which letter a selection begins or ends at.
        row = self._with_selection(row, index) if self._is_painting else row.apply_offsets(0, index)
        return row.adjust_cell_length(width, self._paint.style(background="lines--cursor" if selected else ""))

    def is_selected(self, index: int) -> bool:
        """Return whether a row is painted as the row under the cursor."""
        return self.HAS_CURSOR and index == self.cursor

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the text that the user has selected with the mouse."""
        first = 0 if selection.start is None else selection.start.y
        last = self.line_count - 1 if selection.end is None else min(selection.end.y, self.line_count - 1)
        lines: list[str] = []
        for index in range(first, min(last, first + _MAX_COPIED) + 1):
            start, end = selection.get_span(index) or (0, 0)
            row = self.selected_text(index, start, None if end < 0 else end)
            if lines and self.continues(index):
                lines[-1] += row.lstrip()
            else:
                lines.append(row)
        return "\n".join(line.rstrip() for line in lines), "\n"

    def selected_text(self, index: int, start: int, end: int | None) -> str:
        """Return the text of a row between two characters of it; a subclass returns more than it shows."""
        return self.render_row(index, self.size.width, False).text[start:end]

    def notify_style_update(self) -> None:
        # The theme or the focus has changed.
        self._paint.clear()
        super().notify_style_update()

    def watch_cursor(self, before: int, now: int) -> None:
        if before != now:
            self.refresh_line(before + self.HAS_HEADING)
            self.refresh_line(now + self.HAS_HEADING)
            self.post_message(self.Highlighted(self, now))

    def watch_is_following(self, is_following: bool) -> None:
        if is_following:
            self.lines_changed()

    def action_move(self, rows: int) -> None:
        if not self.HAS_CURSOR:
            self.scroll_relative(y=rows, animate=False)
            return
        if rows < 0:
            self.is_following = False
        self.move_to(self.cursor + rows)

    def action_move_page(self, pages: int) -> None:
        self.action_move(pages * max(1, self.size.height - 1))

    def action_first(self) -> None:
        self.is_following = False
        self.cursor = 0
        self.scroll_home(animate=False, x_axis=False)

    def action_last(self) -> None:
        self.cursor = max(0, self.line_count - 1)
        self.scroll_end(animate=False, x_axis=False)

    def action_select(self) -> None:
        if not self.line_count or not self.HAS_CURSOR:
            # The key is then the pane's.
            raise SkipAction
        self.post_message(self.Selected(self, self.cursor))

    def action_go_to_message(self, seq: int) -> None:
        self.post_message(MessageLinked(seq))

    def action_go_to_run(self, number: int) -> None:
        self.post_message(RunLinked(number))

    def row_clicked(self, event: events.Click) -> int | None:
        """Return the row that was clicked; None beside the rows, on a link, and at the end of a selection."""
        if is_on_link(event):
            return None
        index = self._row_at(event.y)
        is_row = 0 <= index < self.line_count and event.y >= self.HAS_HEADING
        return index if is_row and self.HAS_CURSOR and self.text_selection is None else None

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the row under the mouse; a click on the row under the cursor opens it."""
        if (index := self.row_clicked(event)) is None:
            return
        self.is_following = False
        if index == self.cursor:
            self.action_select()
        else:
            self.cursor = index

    def on_mouse_scroll_up(self) -> None:
        # The user reads older rows.
        self.is_following = False

    def on_resize(self) -> None:
        self._lay_out_at_width()
        self.lines_changed()
        if self.HAS_CURSOR:
            self._show_cursor()

    def _lay_out_at_width(self) -> None:
        if self.size.width != self._layout_width:
            self.lay_out_again()

    def lay_out_again(self) -> None:
        """Compute the rows of other content; those of a hidden list, which has no width, again when it is shown."""
        self._layout_width = self.size.width
        self.lay_out()

    def _resize_virtually(self, size: Size) -> None:
        if size == self.virtual_size:
            return
        if self.styles.is_auto_height:
            self.virtual_size = size
            return
        # An assignment would lay out the whole screen, where only the scrollbar of this list has to move. So the value
        # is set silently, and the scrollbar is updated by the private method that the layout would call.
        self.set_reactive(Lines.virtual_size, size)
        self._scroll_update(size)

    def _with_selection(self, row: Strip, index: int) -> Strip:
        """Return a row with the part that the user has selected with the mouse."""
        selection = self.text_selection
        span = None if selection is None else selection.get_span(index)
        return (
            row if span is None else highlighted(row, *span, self.screen.get_component_rich_style("screen--selection"))
        )

    def _row_at(self, y: int) -> int:
        return self.scroll_offset.y + y - self.HAS_HEADING

    def _show_cursor(self) -> None:
        top, height = self.scroll_offset.y, max(1, self.size.height - self.HAS_HEADING - self.footer_height)
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, immediate=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, immediate=True)
