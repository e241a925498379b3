"""What the widgets of a form ask for when a person does something; the form view does it on the form model."""

from typing import TYPE_CHECKING, Any

from textual.message import Message

if TYPE_CHECKING:
    from workbench.tui.widgets.form.row import FieldRow


class Order(Message):
    """One thing to do to the field of a row."""

    def __init__(self, row: "FieldRow") -> None:
        super().__init__()
        self.row = row
        self.path = row.field.path


class SetText(Order):
    """The person typed."""

    def __init__(self, row: "FieldRow", text: str) -> None:
        super().__init__(row)
        self.text = text


class SetValue(Order):
    """The person chose a value."""

    def __init__(self, row: "FieldRow", value: Any) -> None:
        super().__init__(row)
        self.value = value


class Include(Order):
    """Give the field a value: what it held before, its default, or the plainest one."""


class Omit(Order):
    """Leave the field out."""


class SetNull(Order):
    """Make the field null."""


class AddItem(Order):
    """Put one more item at the end of the list."""


class AddKey(Order):
    """Put one more key into the map."""

    def __init__(self, row: "FieldRow", key: str) -> None:
        super().__init__(row)
        self.key = key


class RemoveItem(Order):
    """Take this item or key away."""


class ChooseVariant(Order):
    """Fill in the field by another of its variants."""

    def __init__(self, row: "FieldRow", index: int) -> None:
        super().__init__(row)
        self.index = index
