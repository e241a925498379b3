"""Keys that the user has chosen."""

import subprocess
import sys

import pytest

from workbench.tui.actions import ACTIONS, Action
from workbench.tui.key_remapping import remapped


def keys_of(table: tuple[Action, ...]) -> dict[tuple[str, str], str]:
    return {(action.place, action.id): action.keys for action in table}


def test_keys_are_chosen_for_one_place_or_for_all() -> None:
    table, problems = remapped(ACTIONS, {"copy": "f15", "tools.run": "^k,f12", "restart": "f10"})
    assert problems == []
    keys = keys_of(table)
    assert (keys["tools", "copy"], keys["inspector", "copy"]) == ("f15", "f15")
    assert keys["tools", "run"] == "ctrl+k,f12"
    assert keys["", "restart"] == "f10"


@pytest.mark.parametrize(
    ("name", "key", "problem"),
    [
        ("fly", "f12", "there is no action fly"),
        ("inspector.run", "f12", "there is no action inspector.run"),
        ("restart", "not a key", "is no key"),
        ("restart", "ctrl+banana", "is no key"),
        ("tools.search", "f5", "f5 is a key of both tools.search and restart; tools.search keeps its own"),
        ("restart", "slash", "slash is a key of both restart and tools.search"),
    ],
)
def test_a_mistake_is_reported_and_the_action_keeps_its_keys(name: str, key: str, problem: str) -> None:
    table, problems = remapped(ACTIONS, {name: key})
    assert table == ACTIONS
    assert len(problems) == 1
    assert problem in problems[0]
    assert remapped(ACTIONS, {name: key}, {name: 7})[1][0].startswith("line 7: ")


def test_every_key_of_the_table_can_be_chosen() -> None:
    keys = {key for action in ACTIONS for key in action.keys.split(",")}
    assert [key for key in sorted(keys) if "is no key" in "".join(remapped(ACTIONS, {"restart": key})[1])] == []


def test_two_actions_can_exchange_their_keys() -> None:
    own = keys_of(ACTIONS)
    swapped = {"switch_revision": own["", "set_log_level"], "set_log_level": own["", "switch_revision"]}
    table, problems = remapped(ACTIONS, swapped)
    assert problems == []
    assert keys_of(table)["", "set_log_level"] == own["", "switch_revision"]


def test_bindings_and_texts_use_the_chosen_keys() -> None:
    code = """
from workbench.tui.key_remapping import use_keys
assert use_keys({"restart": "f10", "tools.run": "f12"}) == []
from workbench.tui.app import WorkbenchApp
from workbench.tui.header import hint_items
from workbench.tui.screens.core_dialogs import no_core_text
assert "Press f10 to" in no_core_text("")
assert any(binding.key == "f10" for binding in WorkbenchApp.BINDINGS if hasattr(binding, "key"))
assert any("f12" in item.text for item in hint_items("tools")[0])
"""
    subprocess.run([sys.executable, "-c", code], check=True)
