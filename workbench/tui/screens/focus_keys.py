"""The keys of the focused widget, for the help: those that its kind has, and the actions that apply to it."""

from textual.widget import Widget
from textual.widgets import Button, Input, Select, TextArea

from workbench.tui.actions import actions_of
from workbench.tui.key_bindings import keys_label
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.form.json_area import JsonArea
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.widgets.json_view import JsonView
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.traffic import TrafficList

KeyTexts = list[tuple[str, str]]
"""The labels of keys, each with a sentence about what they do."""

VIEW_KEYS = (
    ("enter space", "Fold or unfold the object, list, text or section under the cursor; so does a click"),
    ("-", "Unfold everything, or fold everything but the outermost level"),
    ("t", "Switch between a table and JSON, between rendered Markdown and its source, or hide a picture"),
    ("/ n N", "Search; go to the next or the previous match; esc closes the search"),
    ("y", "Copy the value under the cursor, its JSON, its path, or everything"),
    ("s o", "Save the content of a result to a file, or open an image, audio or PDF with the viewer of the system"),
    ("enter", "Show the row of a table as JSON; read the resource of a link, or open a web page; esc goes back"),
    ("drag ^c", "Select text with the mouse, and copy it"),
)
"""The keys of a result or a message; also for the documentation."""
LIST_KEYS: KeyTexts = [
    ("↑ ↓ j k", "Move by one row"),
    ("pgup pgdn", "Move by a page"),
    ("g G", "Move to the first or last row"),
    ("enter", "Open the row"),
]
MOUSE: KeyTexts = [
    ("click", "Go to a part, a field, a row or a tab; press a key of the footer; click the row again to open it"),
    ("drag", "Move the line between two columns; select text, which ^c copies"),
    ("wheel", "Scroll what is under the mouse"),
]
"""What the mouse does; also for the documentation."""
CALL_KEYS: KeyTexts = [
    ("→ l", "Show below the call what belongs to it; in an unfolded call go to the first record"),
    ("← h", "Go to the call, and fold it"),
    ("space", "Unfold the call, or fold it"),
]
"""The keys of the list of calls, in addition to those of a list; also for the documentation."""
_PAGE_KEYS: KeyTexts = [
    ("↑ ↓ j k", "Scroll by one row"),
    ("pgup pgdn", "Scroll by a page"),
    ("g G", "Scroll to the start or the end"),
]
_TEXT_KEYS: KeyTexts = [
    ("← → home end", "Move the cursor; with shift, select"),
    ("enter", "Confirm the text"),
    ("esc", "Leave the text"),
]
_FIELD_KEYS: KeyTexts = [
    ("enter", "Go to the next field, open a group, or add an item"),
    ("tab shift+tab", "Go to the next or previous field"),
    ("↓ ↑", "Go to the next or previous field, where the editor has no use for them"),
    ("← → space", "Choose a value, where there are choices"),
]
FIELD_ACTIONS = (
    "newline",
    "propose",
    "omit",
    "set_null",
    "remove_item",
    "move_item_up",
    "move_item_down",
    "toggle_items",
)
"""The actions of a pane that apply to some fields of a form."""


def keys_at(focused: Widget | None, place: str) -> tuple[str, KeyTexts] | None:
    """Return the name of the focused part of a pane with its keys; None if it has none of its own."""
    around = [] if focused is None else focused.ancestors_with_self
    editor = next((node for node in around if isinstance(node, FormEditor)), None)
    if editor is not None and editor.view in around:
        return "This field", [*_FIELD_KEYS, *field_keys(place, editor)]
    match focused:
        case JsonArea() if editor is not None:
            return "This JSON", [_TEXT_KEYS[0], *field_keys(place, editor), _TEXT_KEYS[-1]]
        case JsonView():
            return "This text", [*VIEW_KEYS, *LIST_KEYS[:-1]]
        case TrafficList() if focused.view.is_by_call:
            return "These calls", [*LIST_KEYS, *CALL_KEYS]
        case Lines():
            return ("This list", LIST_KEYS) if focused.HAS_CURSOR else ("This text", _PAGE_KEYS)
        case Input() | TextArea():
            return "This text", _TEXT_KEYS
        case Segments():
            return "These choices", [("← → space", "Choose")]
        case Select():
            return "This drop-down", [("enter space", "Open it"), ("↑ ↓", "Choose")]
        case Button():
            return "This button", [("enter", "Press it")]
        case _:
            return None


def field_keys(place: str, editor: FormEditor | None = None) -> KeyTexts:
    """Return the keys of the actions on fields; with an editor, of those that do something where the focus is."""
    actions = [action for action in actions_of(place) if action.id in FIELD_ACTIONS]
    return [
        (keys_label(action) or "no key", action.help)
        for action in actions
        if editor is None or editor.can_do(action.id)
    ]
