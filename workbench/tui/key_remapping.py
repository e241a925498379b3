"""Keys that the user has chosen for actions, in place of those of the table.

A key of the user is taken from the actions that have it by default. Of two keys of the user that clash, the first
applies. All are applied before any module that shows or binds keys is imported: bindings and texts are made from the
table.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from string import punctuation
from typing import NamedTuple

from textual.keys import Keys, _character_to_key

from server_core.runtime.suggestions import closest_name
from workbench.tui import actions
from workbench.tui.actions import ACTIONS, EVERYWHERE, Action
from workbench.tui.key_bindings import key_label, keys_label

DEFAULTS = ACTIONS
"""The table before the keys of the user were applied."""
_NAME = re.compile(r"((ctrl|alt|shift)\+)*(?P<key>[A-Za-z0-9_]+|@)")
# Lists handle these keys themselves: an action of a pane never gets them.
_LIST_KEYS = frozenset(
    ["j", "k", "g", "G", "up", "down", "home", "end", "pageup", "pagedown", "enter", "tab", "shift+tab"]
)
# The list of the Inspector unfolds and folds calls with these.
_CALL_KEYS = frozenset(["h", "l", "left", "right", "space"])
# Texts handle these, and all signs: an action that takes its key from the focused text would prevent typing.
_TEXT_KEYS = _LIST_KEYS | frozenset(["left", "right", "space", "backspace", "delete"])
# What a user needs to get out of any place, also out of a text.
_WAYS_OUT = frozenset(["help", "palette", "quit"])


class Remapped(NamedTuple):
    """A table with the keys of the user."""

    actions: tuple[Action, ...]
    problems: list[str]  # with their lines; the keys in them are not used
    losses: list[str]  # which actions have lost a key to an action of the user


def use_keys(keys: Mapping[str, str], lines: Mapping[str, int] | None = None) -> Remapped:
    """Use keys for actions from now on."""
    result = remapped(DEFAULTS, keys, lines)
    actions.ACTIONS = result.actions
    return result


def remapped(table: tuple[Action, ...], keys: Mapping[str, str], lines: Mapping[str, int] | None = None) -> Remapped:
    """Return a table with these keys of `ID` or `PLACE.ID`; `lines` are those of the configuration file."""
    problems: list[str] = []
    chosen: dict[Action, str] = {}
    wheres: dict[Action, str] = {}
    for name, text in keys.items():
        where = f"line {(lines or {})[name]}" if name in (lines or {}) else "keys"
        place, _, action_id = name.rpartition(".")
        matches = [action for action in table if action.id == action_id and place in ("", action.place)]
        names = _key_names(text)
        if not matches:
            problems.append(f"{where}: there is no action {name}; {_similar_action(name, table)}")
        elif names is None:
            problems.append(f"{where}: {name} = {text!r} is no key; {_similar_key(text)}")
        elif reason := next(filter(None, (_why_never(action, names) for action in matches)), ""):
            problems.append(f"{where}: {name} keeps its own keys: {reason}")
        else:
            chosen |= dict.fromkeys(matches, names)
            wheres |= dict.fromkeys(matches, where)
    problems += _drop_clashes(chosen, wheres)
    problems += _drop_last_ways_out(table, chosen, wheres)
    changed = tuple(replace(action, keys=_keys_left(action, chosen)) for action in table)
    return Remapped(changed, problems, list(_losses(table, changed, chosen)))


def _drop_clashes(chosen: dict[Action, str], wheres: Mapping[Action, str]) -> Iterator[str]:
    """Drop the choices that have a key of an earlier choice; yield the problems."""
    for mine in list(chosen):
        for earlier in list(chosen):
            if earlier is mine:
                break
            if _are_beside(mine, earlier) and (shared := _shared(chosen[mine], chosen[earlier])):
                del chosen[mine]
                yield (
                    f"{wheres[mine]}: {key_label(shared)} is set for {action_name(earlier)} ({wheres[earlier]}), which"
                    f" applies, and for {action_name(mine)}, which does not get it"
                )
                break


def _drop_last_ways_out(
    table: tuple[Action, ...], chosen: dict[Action, str], wheres: Mapping[Action, str]
) -> Iterator[str]:
    """Drop the choices that leave help, palette or quit without a key that works in texts; yield the problems."""
    for action in (each for each in table if each.place == EVERYWHERE and each.id in _WAYS_OUT):
        in_texts = [key for key in action.key_names if key not in _TEXT_KEYS and len(key_label(key)) > 1]
        left = set(_keys_left(action, chosen).split(","))
        if action in chosen or not in_texts or left & set(in_texts):
            continue
        for mine in [each for each in chosen if set(chosen[each].split(",")) & set(in_texts)]:
            key = _shared(chosen.pop(mine), ",".join(in_texts))
            yield (
                f"{wheres[mine]}: {action_name(mine)} keeps its own keys: {key_label(key)} is the only key of"
                f" {action.id} that works in texts; set keys.{action.id} to another one first"
            )


def _keys_left(action: Action, chosen: Mapping[Action, str]) -> str:
    """Return the keys of an action: those of the user, or its own without those that the user gave to others."""
    if action in chosen:
        return chosen[action]
    taken = {key for mine, names in chosen.items() if _are_beside(mine, action) for key in names.split(",")}
    return ",".join(key for key in action.key_names if key not in taken)


def _losses(table: tuple[Action, ...], changed: tuple[Action, ...], chosen: Mapping[Action, str]) -> Iterator[str]:
    for before, after in zip(table, changed, strict=True):
        for mine, names in chosen.items():
            if before not in chosen and _are_beside(mine, before) and (key := _shared(names, before.keys)):
                left = f"keeps {keys_label(after)}" if after.keys else "has no key"
                yield f"{key_label(key)} is now {action_name(mine)}; {action_name(before)} {left}"


def _are_beside(action: Action, other: Action) -> bool:
    return EVERYWHERE in (action.place, other.place) or action.place == other.place


def _shared(keys: str, others: str) -> str:
    return min({*keys.split(",")} & {*others.split(",")}, default="")


def _why_never(action: Action, names: str) -> str:
    """Return why an action cannot have one of these keys; empty if it can have all."""
    for key in names.split(","):
        label = key_label(key)
        if key in action.key_names:
            continue
        if action.has_priority and (key in _TEXT_KEYS or len(label) == 1):
            return f"it also acts in texts, where {label} is typed or moves the cursor; choose one such as alt+x or f12"
        if key in _LIST_KEYS:
            return f"{label} is a key of lists, which do not pass it on"
        if key in _CALL_KEYS and action.place == "inspector":
            return f"{label} unfolds or folds a call of the Inspector"
    return ""


def _similar_action(name: str, table: tuple[Action, ...]) -> str:
    place, _, action_id = name.rpartition(".")
    names = {action_name(action): action for action in table}
    within = (full for full, action in names.items() if action_id in action.id and place in ("", action.place))
    close = closest_name(name, [*names, *(action.id for action in table)], 0.75) or next(within, None)
    return f"did you mean {close}?" if close else "`workbench config keys` lists them"


def _similar_key(text: str) -> str:
    modifiers, _, key = text.strip().rpartition("+")
    close = closest_name(key, _named_keys(), 0.75) if len(key) > 2 else None
    if close is None:
        return "examples: f9, ctrl+x, alt+enter, g"
    return f"did you mean {modifiers}+{close}?" if modifiers else f"did you mean {close}?"


def _key_names(text: str) -> str | None:
    """Return Textual's names of some keys; None if one of them is no key."""
    names = []
    for part in text.split(",") if text.strip() != "," else [","]:
        key = part.strip()
        if len(key) == 2 and key[0] == "^":
            key = f"ctrl+{key[1].lower()}"
        if len(key) == 1:
            key = _character_to_key(key)
        match = _NAME.fullmatch(key)
        if match is None or not (len(match["key"]) == 1 or match["key"] in _named_keys()):
            return None
        names.append(key)
    return ",".join(names)


def _named_keys() -> frozenset[str]:
    """Return Textual's names of the keys that have more than one letter: `f9`, `enter`, `slash`."""
    return frozenset([key.value.rpartition("+")[2] for key in Keys] + [_character_to_key(sign) for sign in punctuation])


def action_name(action: Action) -> str:
    return f"{action.place}.{action.id}" if action.place else action.id
