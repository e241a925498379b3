"""The row of each kind of field."""

from collections.abc import Callable

from workbench.model.forms.field import Field
from workbench.tui.widgets.form.choice_rows import ChoicesRow, SegmentsRow, SelectRow, fits_segments
from workbench.tui.widgets.form.groups import GroupRow, ListRow, ObjectRow
from workbench.tui.widgets.form.list_row import ListLineRow
from workbench.tui.widgets.form.row import FieldRow
from workbench.tui.widgets.form.text_row import JsonRow, TextRow
from workbench.tui.widgets.form.variant_row import VariantRow

_ROWS: dict[str, Callable[[Field], FieldRow]] = {
    "string": TextRow,
    "integer": TextRow,
    "number": TextRow,
    "boolean": SegmentsRow,
    "null": SegmentsRow,
    "choices": ChoicesRow,
    "json": JsonRow,
}
_GROUPS: dict[str, type[GroupRow]] = {
    "object": ObjectRow,
    "array": ListRow,
    "map": ObjectRow,
    "variant": VariantRow,
}


def make_row(field: Field) -> FieldRow:
    if field.is_line:
        return ListLineRow(field)
    if (group := _GROUPS.get(field.kind)) is not None:
        return group(field, make_row)
    if field.kind == "choice":
        return SegmentsRow(field) if fits_segments(field) else SelectRow(field)
    return _ROWS[field.kind](field)
