"""Where the focus of a form goes while its rows are created, and recreated after a change."""

from typing import TYPE_CHECKING

from textual.widget import Widget

from workbench.model.forms.field import Path
from workbench.tui.widgets.form.children import Children
from workbench.tui.widgets.form.form_keys import FormKeys
from workbench.tui.widgets.form.groups import GroupRow
from workbench.tui.widgets.form.row import FieldRow, first_focusable
from workbench.tui.widgets.form.text import AreaEditor, LineEditor

if TYPE_CHECKING:
    from workbench.tui.widgets.form.form_view import FormView


class FormFocus:
    """Moves the focus to rows that may not be mounted yet; until then the form itself has it, and keys wait."""

    def __init__(self, view: "FormView", keys: FormKeys) -> None:
        self._view = view
        self._keys = keys
        # Whether the first editor gets the focus once the rows are mounted.
        self._wants_first = False
        # The field whose row is being created, and gets the focus then.
        self._path: Path | None = None
        # Whether its text is selected then.
        self._selects_text = False

    @property
    def is_moving(self) -> bool:
        return self._wants_first or self._path is not None

    @property
    def path(self) -> Path | None:
        """The field whose row is about to get the focus."""
        return self._path

    def forget_field(self) -> None:
        self._path = None

    def forget(self) -> None:
        """Move the focus nowhere: the user has moved it."""
        self._wants_first, self._path = False, None

    def move_to_first(self) -> None:
        """Focus the first editor, as soon as the rows are mounted."""
        rows = self._view.rows
        self._wants_first = rows is not None and not rows.is_mounted
        if self._wants_first:
            self._view.take_focus()
        elif (editor := first_focusable(self._view)) is not None:
            self._view.screen.set_focus(editor)

    def move_to(self, path: Path, *, selects_text: bool = False) -> None:
        """Focus the row of a field, as soon as it is mounted."""
        self._path, self._selects_text = path, selects_text
        self._view.take_focus()
        self._view.call_after_refresh(self._arrive)

    async def rows_ready(self, container: Children) -> None:
        """Continue once more rows are mounted."""
        if container is self._view.rows and self._wants_first:
            self.move_to_first()
            await self._keys.release()
        elif self._path is not None:
            self.unfold(self._path)
            self._view.call_after_refresh(self._arrive)

    def unfold(self, path: Path) -> None:
        """Show the row of a field that is folded with other optional fields, or in a closed group."""
        field = self._view.field(path)
        while field is not None:
            for rows in self._view.query(Children):
                if rows.folds(field):
                    rows.unfold()
            for group in self._view.query(GroupRow):
                if group.field is field and field.path != path:
                    group.unfold()
            field = field.parent

    async def _arrive(self) -> None:
        """Focus the row that has replaced the focused row, or the field next to it."""
        view, path = self._view, self._path
        row = None if path is None else view.row_at(path)
        if path is None or view.screen.focused is not view or (row is None and path and view.field(path) is not None):
            return  # The user has moved on, or the row is mounted later and this is called again then.
        if row is not None and not is_complete(row):
            view.call_after_refresh(self._arrive)
            return
        self._path = None
        if row is None:
            self.move_to_first()
        else:
            row.focus_editor()
            if view.screen.focused is view:
                self.move_to_first()  # A constant has no editor.
            editor = view.screen.focused
            if isinstance(editor, AreaEditor):
                editor.move_cursor(editor.document.end)
            elif isinstance(editor, LineEditor) and self._selects_text:
                editor.select_text()
            elif isinstance(editor, LineEditor):
                editor.keep_cursor()
        await self._keys.release()


def is_complete(row: FieldRow) -> bool:
    """Whether the widgets in a row are mounted, at every level."""
    return row.is_mounted and all(widget.is_mounted for widget in row.walk_children(Widget))
