"""Messages by which the widgets of a form request changes of fields; the form view applies them to the form model."""

from typing import TYPE_CHECKING, Any

from textual.message import Message

if TYPE_CHECKING:
    from workbench.model.forms.form import Form
    from workbench.tui.widgets.form.row import FieldRow


class FormEdited(Message):
    """The user has changed the value of a form, and paused."""


class FieldChange(Message):
    """A request to change the field of a row."""

    def __init__(self, row: "FieldRow") -> None:
        super().__init__()
        self.row = row
        self.path = row.field.path

    def apply(self, form: "Form") -> None:
        """Change the field in the form; ValueError, with the reason for the user, if the form does not accept that."""
        raise NotImplementedError


class SetText(FieldChange):
    """Set the text of the field, as the user typed it."""

    def __init__(self, row: "FieldRow", text: str) -> None:
        super().__init__(row)
        self.text = text

    def apply(self, form: "Form") -> None:
        form.set_text(self.path, self.text)


class SetValue(FieldChange):
    """Set the field to a value that the user chose."""

    def __init__(self, row: "FieldRow", value: Any) -> None:
        super().__init__(row)
        self.value = value

    def apply(self, form: "Form") -> None:
        form.set_value(self.path, self.value)


class Include(FieldChange):
    """Give the field a value: its previous value, its default, or the simplest value."""

    def apply(self, form: "Form") -> None:
        form.include(self.path)


class Omit(FieldChange):
    """Omit the field from the value of the form."""

    def apply(self, form: "Form") -> None:
        form.omit(self.path)


class SetNull(FieldChange):
    """Set the field to null."""

    def apply(self, form: "Form") -> None:
        form.set_null(self.path)


class AddItem(FieldChange):
    """Append an item to the field, which is a list."""

    def apply(self, form: "Form") -> None:
        form.add_item(self.path)


class AddKey(FieldChange):
    """Add a key to the field, which is a map."""

    def __init__(self, row: "FieldRow", key: str) -> None:
        super().__init__(row)
        self.key = key

    def apply(self, form: "Form") -> None:
        form.add_key(self.path, self.key)


class RemoveItem(FieldChange):
    """Remove the field, which is an item of a list or a key of a map."""

    def apply(self, form: "Form") -> None:
        form.remove_item(self.path)


class MoveItem(FieldChange):
    """Move the field, which is an item of a list, by a number of places."""

    def __init__(self, row: "FieldRow", by: int) -> None:
        super().__init__(row)
        self.by = by

    def apply(self, form: "Form") -> None:
        form.move_item(self.path, self.by)


class ShowItems(FieldChange):
    """Give each item of the field, which is a list of scalars, a row, or write them on one line."""

    def __init__(self, row: "FieldRow", shows_items: bool) -> None:
        super().__init__(row)
        self.shows_items = shows_items

    def apply(self, form: "Form") -> None:
        form.show_items(self.path, self.shows_items)


class ChooseVariant(FieldChange):
    """Switch the field to another variant of its schema, by index; what is typed may change one that is not picked."""

    def __init__(self, row: "FieldRow", index: int, *, is_picked: bool = True) -> None:
        super().__init__(row)
        self.index = index
        self.is_picked = is_picked

    def apply(self, form: "Form") -> None:
        form.choose_variant(self.path, self.index, is_picked=self.is_picked)


class TypeVariant(FieldChange):
    """Fill in the variant of the field that accepts a value, which was typed among the variants."""

    def __init__(self, row: "FieldRow", text: str) -> None:
        super().__init__(row)
        self.text = text

    def apply(self, form: "Form") -> None:
        form.type_variant(self.path, self.text)
