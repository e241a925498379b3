"""Digits are text in the fields of a form, and on its buttons the keys of the screens."""

from textual.widget import Widget
from textual.widgets import Button

from workbench.tui.widgets.form.row import FieldRow
from workbench.tui.widgets.form.segments import Segments


def is_digit(character: str | None) -> bool:
    return character is not None and character.isascii() and character.isdigit()


def are_digits_commands(focused: Widget | None) -> bool:
    """Whether digits show a screen with the focus here: not in a field, even if its value is chosen."""
    if not isinstance(focused, Button | Segments):
        return False
    return not any(isinstance(node, FieldRow) for node in focused.ancestors)
