"""The row of a list of scalars on one line: `1, 2, 3`."""

from workbench.model.forms.field import Path
from workbench.model.forms.list_text import item_at, item_text, read_items, with_item_moved, without_item
from workbench.tui.widgets.form.label import placeholder_text
from workbench.tui.widgets.form.text import AreaEditor, LineEditor
from workbench.tui.widgets.form.text_row import TextRow


class ListEditor(LineEditor):
    """The items with commas between them; the lines of a pasted text become items."""

    JOINT = ", "


class ListLineRow(TextRow):
    @property
    def line(self) -> ListEditor:
        return self.query_one(ListEditor)

    @property
    def item(self) -> str:
        """The item at the cursor; empty if there is none."""
        items = read_items(self.line.value)
        index = item_at(items, self.line.cursor_position)
        return "" if index is None else items[index].text

    @property
    def item_path(self) -> Path:
        """The path of the item at the cursor, or of the item that can be typed there."""
        items = read_items(self.line.value)
        index = item_at(items, self.line.cursor_position)
        return (*self.field.path, len(items) if index is None else index)

    def replace_item(self, text: str) -> None:
        """Write an item in the place of that at the cursor."""
        line = self.line
        items = read_items(line.value)
        index = item_at(items, line.cursor_position)
        start = end = line.cursor_position
        if index is not None:
            start, end = items[index].start, items[index].end
        line.replace(item_text(text, is_first=not index), start, end)

    def remove_item(self) -> bool:
        """Remove the item at the cursor; False if there is none."""
        return self._write(without_item(self.line.value, self.line.cursor_position))

    def move_item(self, by: int) -> bool:
        """Move the item at the cursor; False at the ends of the list."""
        return self._write(with_item_moved(self.line.value, self.line.cursor_position, by))

    def show_problem(self) -> None:
        """Select the first item with a problem."""
        items = read_items(self.line.value)
        if self.field.problem is None and (problems := self.field.item_problems) and problems[0][0] < len(items):
            item = items[problems[0][0]]
            self.line.keep_cursor()
            self.line.selection = type(self.line.selection)(item.start, item.end)

    def _write(self, result: tuple[str, int] | None) -> bool:
        if result is None:
            return False
        text, cursor = result
        self.line.value, self.line.cursor_position = text, cursor
        return True

    @property
    def _may_grow(self) -> bool:
        return False

    def _make_editor(self, is_large: bool) -> LineEditor | AreaEditor:
        return ListEditor(self.field.text, placeholder_text(self.field), may_grow=False)
