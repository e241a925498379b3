"""The list of captures on the Sessions screen: which rows it has, and the capture under the cursor."""

from typing import TYPE_CHECKING

from workbench.model.capture_groups import Capture, CaptureGroup, grouped
from workbench.tui.screens.capture_rows import capture_row, group_row
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.panels import TablePanel

if TYPE_CHECKING:
    from workbench.tui.pane import Pane


class CaptureList:
    """The rows of the captures of a workspace, with the groups that are open; :meth:`show` paints them."""

    def __init__(self, pane: "Pane") -> None:
        self._pane = pane
        self._opened: set[str] = set()
        self._marked = ""  # the path of the capture that others are compared with
        self._rows: list[Capture | CaptureGroup] = []

    @property
    def table(self) -> Table:
        return self._pane.query_one("#capture-table", Table)

    @property
    def row(self) -> Capture | CaptureGroup | None:
        """The capture or group under the cursor."""
        return self.table.current_item(self._rows)

    @property
    def capture(self) -> Capture | None:
        """The capture under the cursor; None for a group."""
        row = self.row
        return None if isinstance(row, CaptureGroup) else row

    def show(self) -> None:
        """Show the captures as the workspace has them now."""
        captures = self._pane.workspace.core.captures
        self._rows = grouped(captures, self._opened)
        cells = [
            group_row(row) if isinstance(row, CaptureGroup) else capture_row(row, is_marked=row["path"] == self._marked)
            for row in self._rows
        ]
        self._pane.query_one("#capture-list", TablePanel).show_rows(cells, len(captures))

    @property
    def marked(self) -> Capture | None:
        """The capture that others are compared with, if it is still in the list."""
        captures = self._pane.workspace.core.captures
        return next((capture for capture in captures if capture["path"] == self._marked), None)

    def mark(self, capture: Capture) -> None:
        """Mark a capture, to compare others with it; or remove its mark."""
        self._marked = "" if capture["path"] == self._marked else str(capture["path"])
        self.show()

    def use_of_comparison(self, capture: Capture) -> dict[str, str]:
        """Return the action that the keys of comparing have for a capture, and what it does."""
        marked = self.marked
        if marked is None:
            return {"mark_capture": "marks it, to compare another with it"}
        if marked is capture:
            return {"mark_capture": "removes its mark"}
        return {"compare_captures": "compares the marked one with it"}

    def toggle(self, group: CaptureGroup) -> None:
        """Open a group that is closed, or close it; the cursor stays on its row."""
        self._opened ^= {group.key}
        self.show()

    def move_to(self, path: str) -> bool:
        """Go to the capture of a file, whose group is opened; False if it is not in the list."""
        if not any(capture["path"] == path for capture in self._pane.workspace.core.captures):
            return False
        if self._place_of(path) is None:
            groups = (row for row in self._rows if isinstance(row, CaptureGroup))
            group = next(row for row in groups if any(capture["path"] == path for capture in row.captures))
            self.toggle(group)
        place = self._place_of(path)
        assert place is not None
        self.table.move_to(place)
        return True

    def _place_of(self, path: str) -> int | None:
        rows = enumerate(self._rows)
        return next((i for i, row in rows if not isinstance(row, CaptureGroup) and row["path"] == path), None)
