"""Changes that the widgets of a form request on user input; the form view applies them to the form model."""

from typing import TYPE_CHECKING, Any

from textual.message import Message

if TYPE_CHECKING:
    from workbench.tui.widgets.form.row import FieldRow


class FormOrder(Message):
    """A change of the field of a row."""

    def __init__(self, row: "FieldRow") -> None:
        super().__init__()
        self.row = row
        self.path = row.field.path


class SetText(FormOrder):
    """The user has typed a text."""

    def __init__(self, row: "FieldRow", text: str) -> None:
        super().__init__(row)
        self.text = text


class SetValue(FormOrder):
    """The user has chosen a value."""

    def __init__(self, row: "FieldRow", value: Any) -> None:
        super().__init__(row)
        self.value = value


class Include(FormOrder):
    """Give the field a value: its previous value, its default, or the simplest value."""


class Omit(FormOrder):
    """Omit the field."""


class SetNull(FormOrder):
    """Set the field to null."""


class AddItem(FormOrder):
    """Append an item to the list."""


class AddKey(FormOrder):
    """Add a key to the map."""

    def __init__(self, row: "FieldRow", key: str) -> None:
        super().__init__(row)
        self.key = key


class RemoveItem(FormOrder):
    """Remove this item or key."""


class ChooseVariant(FormOrder):
    """Switch the field to another variant."""

    def __init__(self, row: "FieldRow", index: int) -> None:
        super().__init__(row)
        self.index = index
