"""Keys that the user has chosen for actions, in place of those of the table.

They are applied before any module that shows or binds keys is imported: bindings and texts are made from the table.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from string import punctuation

from textual.keys import Keys, _character_to_key

from workbench.tui import actions
from workbench.tui.actions import EVERYWHERE, Action

_NAME = re.compile(r"((ctrl|alt|shift)\+)*(?P<key>[A-Za-z0-9_]+|@)")


def use_keys(keys: Mapping[str, str], lines: Mapping[str, int] | None = None) -> list[str]:
    """Use keys for actions from now on; return what is wrong with them."""
    actions.ACTIONS, problems = remapped(actions.ACTIONS, keys, lines)
    return problems


def remapped(
    table: tuple[Action, ...], keys: Mapping[str, str], lines: Mapping[str, int] | None = None
) -> tuple[tuple[Action, ...], list[str]]:
    """Return a table with these keys of `ID` or `PLACE.ID`, and the problems; keys with one are not used.

    `lines` are those of the configuration file, for the problems.
    """
    problems: list[str] = []
    chosen: dict[Action, str] = {}
    wheres = {name: f"line {(lines or {})[name]}" if name in (lines or {}) else "keys" for name in keys}
    sources: dict[Action, str] = {}
    for name, text in keys.items():
        place, _, action_id = name.rpartition(".")
        matches = [action for action in table if action.id == action_id and place in ("", action.place)]
        if not matches:
            problems.append(f"{wheres[name]}: there is no action {name}; `workbench config keys` lists them")
        elif (names := _key_names(text)) is None:
            problems.append(f"{wheres[name]}: {name} = {text!r} is no key; examples: f9, ctrl+x, alt+enter, g")
        else:
            chosen |= dict.fromkeys(matches, names)
            sources |= dict.fromkeys(matches, wheres[name])
    while clash := _clash(table, chosen):
        mine, other, key = clash
        del chosen[mine]
        both = f"{action_name(mine)} and {action_name(other)}"
        problems.append(f"{sources[mine]}: {key} is a key of both {both}; {action_name(mine)} keeps its own")
    return tuple(replace(action, keys=chosen.get(action, action.keys)) for action in table), problems


def _clash(table: tuple[Action, ...], chosen: Mapping[Action, str]) -> tuple[Action, Action, str] | None:
    for mine, names in chosen.items():
        for other in table:
            is_beside = EVERYWHERE in (mine.place, other.place) or mine.place == other.place
            if other is mine or not is_beside:
                continue
            if shared := set(names.split(",")) & set(chosen.get(other, other.keys).split(",")):
                return mine, other, min(shared)
    return None


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
    return frozenset([key.rpartition("+")[2] for key in Keys] + [_character_to_key(sign) for sign in punctuation])


def action_name(action: Action) -> str:
    return f"{action.place}.{action.id}" if action.place else action.id
