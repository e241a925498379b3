"""The keys of actions: as bindings of Textual, and as labels in texts."""

from textual.binding import Binding, BindingType

from workbench.tui.actions import EVERYWHERE, Action, actions_of, find_action

_SIGNS = {
    "question_mark": "?",
    "slash": "/",
    "underscore": "_",
    "equals_sign": "=",
    "number_sign": "#",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "plus": "+",
    "minus": "-",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}


def bindings(place: str) -> list[BindingType]:
    return [
        Binding(action.keys, f"act('{action.id}')", action.title, show=False, priority=action.has_priority)
        for action in actions_of(place)
        if action.keys
    ]


def dialog_bindings(action_id: str, place: str, call: str) -> list[BindingType]:
    """Return the keys of an action as bindings of a dialog, in which they make another call."""
    keys = find_action(action_id, place).keys
    return [Binding(keys, call, show=False, priority=True)] if keys else []


def key_label(key: str) -> str:
    if key.startswith("ctrl+"):
        return "^" + key_label(key.removeprefix("ctrl+"))
    return _SIGNS.get(key, key)


def keys_label(action: Action) -> str:
    """Return the keys of an action as they are shown: `?`, `^p`, `enter s`."""
    return " ".join(key_label(key) for key in action.key_names)


def key_for(action_id: str, place: str = EVERYWHERE) -> str:
    """Return the label of an action's first key, for texts: `f5`, `^j`; without a key, where the palette has it."""
    action = find_action(action_id, place)
    if action.keys:
        return key_label(action.key_names[0])
    return f"{key_for('palette')} {action.title}" if action.in_palette else action.title


def keys_while_writing(action: Action) -> list[str]:
    """Return the keys that also work where letters, digits, signs and Enter are text."""
    return [key for key in action.key_names if len(_SIGNS.get(key, key)) > 1 and key not in ("enter", "delete")]
