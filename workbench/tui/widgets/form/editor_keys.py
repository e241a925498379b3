"""Keys of text editors: line breaks, and keys that write text, which are never a command."""

from textual import events
from textual.widget import Widget
from textual.widgets import Button, Input

from workbench.tui.widgets.form.json_area import JsonArea
from workbench.tui.widgets.form.row import FieldRow
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.widgets.form.text import NEW_LINE, AreaEditor, LineEditor, NumberEditor
from workbench.tui.widgets.steady import TextArea


def new_line_key(focused: Widget) -> events.Key:
    """Return the key that writes a line break, or a space in a one-line text."""
    if isinstance(focused, TextArea) and not isinstance(focused, JsonArea):
        return events.Key("enter", "\r")
    if isinstance(focused, Input) and not (
        isinstance(focused, LineEditor) and (focused.may_grow or focused.JOINT != " ")
    ):
        return events.Key("space", " ")
    return events.Key(NEW_LINE, "\n")


def is_typing(event: events.Key) -> bool:
    return event.is_printable or event.key in ("enter", "backspace", NEW_LINE)


def is_text(character: str | None, focused: Widget | None) -> bool:
    """Whether a key writes text in a form, with the focus on one of its widgets, and is no command there."""
    if character is None or not character.isprintable():
        return False
    if isinstance(focused, NumberEditor) and not focused.check_consume_key(character, character):
        return False
    return not (is_digit(character) and are_digits_commands(focused))


def has_binding(widget: Widget | None, key: str) -> bool:
    # Private, since the public `active_bindings` of a screen have those of all widgets around it, too.
    return widget is not None and key in widget._bindings.key_to_bindings


def keep_from_commands(event: events.Key, focused: Widget | None) -> None:
    """Stop a key that writes text from bubbling to the key bindings of the screen."""
    if is_text(event.character, focused) and not has_binding(focused, event.key):
        event.stop()


def type_into(editor: Input | TextArea, event: events.Key) -> None:
    """Apply a key to an editor, if it was pressed before the editor had the focus."""
    if isinstance(editor, LineEditor):
        # The editor may not have handled its focus event yet.
        editor.enter()
    if event.key == "backspace":
        editor.action_delete_left()
    elif isinstance(editor, TextArea):
        editor.insert("\n" if event.key in ("enter", NEW_LINE) else event.character or "")
    elif event.is_printable:
        editor.replace(event.character or "", *editor.selection)


def accepts_newline(focused: Widget | None) -> bool:
    return isinstance(focused, TextArea) or (isinstance(focused, LineEditor) and focused.may_grow)


def type_newline(focused: Widget | None) -> bool:
    """Insert a line break after all keys typed before; False if the focused widget accepts none."""
    if isinstance(focused, LineEditor) and focused.may_grow:
        focused.call_later(focused.begin_line)
    elif isinstance(focused, TextArea):
        focused.call_later(focused.insert, "\n")
    else:
        return False
    return True


def replace_text(editor: LineEditor | AreaEditor, text: str) -> None:
    """Replace the whole text of an editor, as if the user had typed it."""
    if isinstance(editor, AreaEditor):
        editor.replace(text, editor.document.start, editor.document.end)
    elif text:
        editor.select_all()
        editor.write(text)
    else:
        editor.value = ""


def is_digit(character: str | None) -> bool:
    return character is not None and character.isascii() and character.isdigit()


def are_digits_commands(focused: Widget | None) -> bool:
    """Whether digits show a screen with the focus here: not in a field, even if its value is chosen."""
    if not isinstance(focused, Button | Segments):
        return False
    return not any(isinstance(node, FieldRow) for node in focused.ancestors)
