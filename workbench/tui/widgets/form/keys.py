"""Keys that reach a form and no text in it: they are typed ahead, or for nobody, and never for commands."""

from textual import events
from textual.widget import Widget
from textual.widgets import Input, TextArea

from workbench.tui.widgets.form.text import NEW_LINE, LineEditor


def new_line_key(focused: Widget) -> events.Key:
    """Return the key that writes a new line, or a space in a text of one row."""
    if isinstance(focused, TextArea):
        return events.Key("enter", "\r")
    if isinstance(focused, Input) and not (isinstance(focused, LineEditor) and focused.may_grow):
        return events.Key("space", " ")
    return events.Key(NEW_LINE, "\n")


def is_typing(event: events.Key) -> bool:
    """Whether a key is one that people write texts with."""
    return event.is_printable or event.key in ("enter", "backspace", NEW_LINE)


def has_binding(widget: Widget | None, key: str) -> bool:
    """Whether a widget itself does something on a key."""
    return widget is not None and key in widget._bindings.key_to_bindings


def keep_from_commands(event: events.Key, focused: Widget | None) -> None:
    """Stop a key that writes, where nothing can be written: what follows it upwards are the keys of the screen."""
    if event.is_printable and not has_binding(focused, event.key):
        event.stop()


def type_into(editor: Input | TextArea, event: events.Key) -> None:
    """Do in an editor what a key does that was pressed before the focus had come there."""
    if isinstance(editor, LineEditor):
        # The focus may be an event that the editor has not handled yet.
        editor.select_default()
        editor.default = ""
    if event.key == "backspace":
        editor.action_delete_left()
    elif isinstance(editor, TextArea):
        editor.insert("\n" if event.key in ("enter", NEW_LINE) else event.character or "")
    elif event.is_printable:
        editor.replace(event.character or "", *editor.selection)
