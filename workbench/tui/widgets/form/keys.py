"""Keys that reach a form and no text in it: they are typed ahead, or for nobody, and never for commands."""

from textual import events
from textual.widget import Widget
from textual.widgets import Input, TextArea


def is_typing(event: events.Key) -> bool:
    """Whether a key is one that people write texts with."""
    return event.is_printable or event.key in ("enter", "backspace")


def has_binding(widget: Widget | None, key: str) -> bool:
    """Whether a widget itself does something on a key."""
    return widget is not None and key in widget._bindings.key_to_bindings


def keep_from_commands(event: events.Key, focused: Widget | None) -> None:
    """Stop a key that writes, where nothing can be written: what follows it upwards are the keys of the screen."""
    if event.is_printable and not has_binding(focused, event.key):
        event.stop()


def type_into(editor: Input | TextArea, event: events.Key) -> None:
    """Do in an editor what a key does that was pressed before the focus had come there."""
    if event.key == "backspace":
        editor.action_delete_left()
    elif isinstance(editor, TextArea):
        editor.insert("\n" if event.key == "enter" else event.character or "")
    elif event.is_printable:
        editor.insert_text_at_cursor(event.character or "")
