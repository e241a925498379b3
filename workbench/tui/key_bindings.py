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
    ]


def key_label(key: str) -> str:
    if key.startswith("ctrl+"):
        return "^" + key_label(key.removeprefix("ctrl+"))
    return _SIGNS.get(key, key)


def keys_label(action: Action) -> str:
    """Return the keys of an action as they are shown: `?`, `^p`, `enter s`."""
    return " ".join(key_label(key) for key in action.keys.split(","))


def key_for(action_id: str, place: str = EVERYWHERE) -> str:
    """Return the label of an action's first key, for texts: `f5`, `^j`."""
    return key_label(find_action(action_id, place).keys.split(",")[0])


def keys_while_writing(action: Action) -> list[str]:
    """Return the keys that also work where letters, digits, signs and Enter are text."""
    return [key for key in action.keys.split(",") if len(_SIGNS.get(key, key)) > 1 and key not in ("enter", "delete")]
