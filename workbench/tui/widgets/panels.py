"""Framed lists, each with the details of the row under its cursor beside it, or below it in a narrow terminal."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Static

from workbench.model.arrangement import moved
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.columns import STEP, Columns
from workbench.tui.widgets.paint import StyledText

# The height below which the details have no title.
_LOW = 16


class Titled(Widget):
    """A title in a frame, or in a line above, where Textual would leave no room beside it.

    Textual reads styles from the first base class only, so this mixin comes after the widget's class.
    """

    frame_title: var[str] = var("")
    has_frame: var[bool] = var(True)

    def watch_frame_title(self) -> None:
        self.border_title = self.frame_title if self.has_frame else f" {self.frame_title} "

    def watch_has_frame(self) -> None:
        self.watch_frame_title()


class TablePanel(Vertical, Titled):
    """A table in a frame, whose title has the number of items."""

    def __init__(self, title: str, table: Table, *, id: str) -> None:
        super().__init__(table, id=id)
        self.frame_title = self._title = title
        self.table = table

    def show_rows(self, rows: Sequence[Sequence[StyledText]], count: int | None = None) -> None:
        """Show rows, which stand for so many items; by default for one each."""
        self.table.show_rows(rows)
        count = len(rows) if count is None else count
        self.frame_title = f"{self._title} · {count:,}" if rows else self._title


class KeyScroll(VerticalScroll, can_focus=True):
    """Widgets one below the other, which the keys of lists scroll."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", show=False),
        Binding("k", "scroll_up", show=False),
        Binding("g", "scroll_home", show=False),
        Binding("G", "scroll_end", show=False),
    ]


class DetailPanel(KeyScroll, Titled):
    """A text in a frame, which has the focus only if there is more of it to scroll to."""

    DEFAULT_CSS = """
    DetailPanel {
        padding: 0 1;
        scrollbar-size-vertical: 1;
        & > Static { height: auto; }
    }
    """

    def __init__(self, title: str, *, id: str, classes: str = "") -> None:
        super().__init__(id=id, classes=classes)
        self.frame_title = title

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def allow_focus(self) -> bool:
        return self.max_scroll_y > 0

    def show(self, text: Content | None) -> None:
        self.set_class(text is None, "-empty")
        self.query_one(Static).update("" if text is None else text)


class Panels(Columns):
    """Panels in two columns, row by row; the lists are in the left one."""

    DEFAULT_CSS = """
    Panels {
        layout: grid;
        grid-size: 2;
        grid-columns: 3fr 2fr;
        &.-maximised { layout: horizontal; }
        &.-narrow {
            layout: vertical;
            & > TablePanel { height: 1fr; border: none; border-top: round $border-blurred; }
            & > TablePanel.-focused { border: none; border-top: heavy $border; }
            & > DetailPanel { height: auto; max-height: 30%; border: none; border-top: round $border-blurred; }
            & > DetailPanel:focus { border: none; border-top: heavy $border; }
            & > DetailPanel.-empty { display: none; }
        }
        &.-narrow.-low {
            & > DetailPanel { border: none; border-left: outer $panel; }
            & > DetailPanel:focus { border: none; border-left: outer $border; }
        }
    }
    """

    def __init__(self, *panels: Widget, narrow: int = 100) -> None:
        super().__init__(*panels)
        # Columns below which the details are below their list.
        self._narrow = narrow

    def on_mount(self) -> None:
        # Before anything is painted: the first resize event arrives only later.
        self._set_size_classes(self.app.size)

    def on_resize(self, event: events.Resize) -> None:
        self._set_size_classes(event.size)

    def _set_size_classes(self, size: Size) -> None:
        self.set_class(size.width < self._narrow, "-narrow")
        self.set_class(size.height < _LOW, "-low")
        for panel in self.children:
            if isinstance(panel, Titled):
                panel.has_frame = size.width >= self._narrow

    def set_shares(self, shares: Mapping[str, int]) -> None:
        self._shares = dict(shares)
        # While the app ends, the panels may be gone already.
        widths = [width for column in self._shown if (width := shares.get(column.id or ""))]
        if len(widths) > 1:
            self.styles.grid_columns = " ".join(f"{width}fr" for width in widths)

    def move_line(self, direction: int) -> None:
        if self.has_lines:
            self._set_widths(moved(self._widths, 0, direction * STEP))

    @property
    def _shown(self) -> list[Widget]:
        return [panel for panel in self.children if panel.display][:2]
