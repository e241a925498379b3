"""The dialogs of the list of messages: which columns it has, and what it is sorted by."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip
from textual.widgets import Static

from workbench.model.traffic.list_columns import MAX_SORTED, ListColumns
from workbench.tui.screens.dialogs import Choice, ChoiceScreen, Dialog
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import fit
from workbench.tui.widgets.traffic_columns import COLUMNS

_TEXT = "A column is shown where there is room for it: hide others, or widen the list."
_CHOICES = (
    Choice("time", "t", "time", "in the order of the records"),
    Choice("took", "d", "duration", "between request and response, the slowest first"),
    Choice("size", "s", "size", "the largest first"),
    Choice("message", "n", "name", "of the tool, resource or prompt, else the method"),
    Choice("status", "u", "status", ""),
)
_CHOOSABLE = tuple(column for column in COLUMNS if column.weight)


def sort_dialog(columns: ListColumns) -> ChoiceScreen:
    """Return the dialog that asks what the rows are sorted by."""
    text = f"The same again sorts the other way. Lists of up to {MAX_SORTED:,} rows are sorted: filter a longer one."
    return ChoiceScreen(f"Sort, now by {columns.sort}", text, _CHOICES)


class _ColumnList(Lines):
    COMPONENT_CLASSES: ClassVar[set[str]] = {"columns--note"}
    BINDINGS: ClassVar[list[BindingType]] = [("space", "select")]
    DEFAULT_CSS = """
    _ColumnList {
        height: auto;
        max-height: 45vh;
        & > .columns--note { color: $text-muted; }
    }
    """

    def __init__(self, columns: ListColumns) -> None:
        super().__init__()
        self._columns = columns

    @property
    def line_count(self) -> int:
        return len(_CHOOSABLE)

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        column = _CHOOSABLE[index]
        sign = "[ ]" if column.title in self._columns.hidden else "[x]"
        texts = [(f" {sign} {column.title:<10}", ""), (fit(column.meaning, width - 15), "columns--note")]
        return self.paint(texts, selected)

    def get_content_height(self, *_: object) -> int:
        return len(_CHOOSABLE)


class ColumnsScreen(Dialog[None]):
    """Lets the user choose the columns; each choice applies at once."""

    AUTO_FOCUS = "_ColumnList"

    def __init__(self, columns: ListColumns) -> None:
        super().__init__()
        self._columns = columns

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = Content("Columns")
            box.border_subtitle = "space to show or hide · esc to leave"
            yield Static(Content(_TEXT), classes="text")
            yield _ColumnList(self._columns)

    @on(Lines.Selected)
    def _toggle(self, event: Lines.Selected) -> None:
        self._columns.toggle(_CHOOSABLE[event.index].title)
        event.lines.refresh()
