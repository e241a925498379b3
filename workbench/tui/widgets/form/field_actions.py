"""The actions on the field that has the focus in a form, or on the item or list around it.

Each returns False if there is no such field.
"""

from collections.abc import Callable

from workbench.model.forms.field import Field, FieldState
from workbench.tui.widgets.form.field_changes import Include, MoveItem, Omit, RemoveItem, SetNull, ShowItems
from workbench.tui.widgets.form.form_view import FormView
from workbench.tui.widgets.form.list_row import ListLineRow
from workbench.tui.widgets.form.row import FieldRow


def acts_on_field(view: FormView, action: str) -> bool:
    """Whether an action, by its name, has something to act on with the focus where it is."""
    row = view.focused_row
    match action:
        case "remove_item":
            return isinstance(row, ListLineRow) or _removable(row) is not None
        case "move_item_up" | "move_item_down":
            return isinstance(row, ListLineRow) or _movable(row) is not None
        case "toggle_items":
            return _list_of_scalars(row) is not None
        case _:
            return row is not None


def omit_field(view: FormView) -> bool:
    """Omit the field, or include it if it is omitted."""
    row = view.focused_row
    return row is not None and view.change(Include(row) if row.field.state is FieldState.OMITTED else Omit(row))


def null_field(view: FormView) -> bool:
    row = view.focused_row
    return row is not None and view.change(SetNull(row))


def remove_item(view: FormView) -> bool:
    """Remove the innermost item of a list, or the innermost key that was added."""
    row = view.focused_row
    if isinstance(row, ListLineRow) and row.remove_item():
        return True
    row = _removable(row)
    return row is not None and view.change(RemoveItem(row))


def move_item(view: FormView, by: int) -> bool:
    """Move the innermost item of a list by a number of places; the focus goes with it."""
    focused = view.focused_row
    if isinstance(focused, ListLineRow) and focused.move_item(by):
        return True
    row = _movable(focused)
    if row is None or focused is None or not view.can_move(row.field.path, by):
        return False
    path = row.field.path
    below = focused.field.path[len(path) :]
    is_moved = view.change(MoveItem(row, by))
    view.focus_field((*path[:-1], int(path[-1]) + by, *below))
    return is_moved


def toggle_items(view: FormView) -> bool:
    """Show a list of scalars on one line, or each of its items in a row."""
    row = _list_of_scalars(view.focused_row)
    if row is None:
        return False
    path, shows_items = row.field.path, row.field.is_line
    is_changed = view.change(ShowItems(row, shows_items))
    view.focus_field(path)
    return is_changed


def _removable(row: FieldRow | None) -> FieldRow | None:
    return _innermost(row, lambda field: field.can_remove)


def _movable(row: FieldRow | None) -> FieldRow | None:
    return _innermost(row, lambda field: isinstance(field.key, int) and field.can_remove)


def _list_of_scalars(row: FieldRow | None) -> FieldRow | None:
    return _innermost(row, lambda field: field.is_list_of_scalars)


def _innermost(row: FieldRow | None, fits: Callable[[Field], bool]) -> FieldRow | None:
    """Return the row itself, or the nearest around it, whose field fits."""
    while row is not None and not fits(row.field):
        row = next((above for above in row.ancestors if isinstance(above, FieldRow)), None)
    return row
