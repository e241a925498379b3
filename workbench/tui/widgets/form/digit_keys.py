"""Digits are text where something can be typed, and elsewhere the keys of the screens."""

from textual.widget import Widget
from textual.widgets import Button

from workbench.tui.widgets.form.groups import AddButton, GroupHead, GroupRow
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.widgets.steady import Checklist


def is_digit(character: str | None) -> bool:
    return character is not None and character.isascii() and character.isdigit()


def are_digits_commands(focused: Widget | None) -> bool:
    """Whether no digit can be typed with the focus here.

    Typing on `+ add` and on the head of a list begins an item, and selects a choice that begins with a digit.
    """
    match focused:
        case AddButton():
            return False
        case GroupHead():
            return not (isinstance(focused.row, GroupRow) and focused.row.field.can_add_items)
        case Segments():
            return not any(is_digit(label[:1]) for label in focused.labels)
        case Button() | Checklist():
            return True
        case _:
            return False
