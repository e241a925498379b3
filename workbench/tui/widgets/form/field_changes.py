"""Messages by which the widgets of a form request changes of fields; the form view applies them to the form model."""

from typing import TYPE_CHECKING, Any

from textual.message import Message

if TYPE_CHECKING:
    from workbench.tui.widgets.form.row import FieldRow


class FieldChange(Message):
    """A request to change the field of a row."""

    def __init__(self, row: "FieldRow") -> None:
        super().__init__()
        self.row = row
        self.path = row.field.path


class SetText(FieldChange):
    """Set the text of the field, as the user typed it."""

    def __init__(self, row: "FieldRow", text: str) -> None:
        super().__init__(row)
        self.text = text


class SetValue(FieldChange):
    """Set the field to a value that the user chose."""

    def __init__(self, row: "FieldRow", value: Any) -> None:
        super().__init__(row)
        self.value = value


class Include(FieldChange):
    """Give the field a value: its previous value, its default, or the simplest value."""


class Omit(FieldChange):
    """Omit the field from the value of the form."""


class SetNull(FieldChange):
    """Set the field to null."""


class AddItem(FieldChange):
    """Append an item to the field, which is a list."""


class AddKey(FieldChange):
    """Add a key to the field, which is a map."""

    def __init__(self, row: "FieldRow", key: str) -> None:
        super().__init__(row)
        self.key = key


class RemoveItem(FieldChange):
    """Remove the field, which is an item of a list or a key of a map."""


class ChooseVariant(FieldChange):
    """Switch the field to another variant of its schema, by index."""

    def __init__(self, row: "FieldRow", index: int) -> None:
        super().__init__(row)
        self.index = index
