"""Keys that the user has chosen."""

import subprocess
import sys

import pytest

from workbench.model.terminal_config import parse_config
from workbench.tui.actions import ACTIONS, Action
from workbench.tui.config_check import config_mistakes, mistakes_notice
from workbench.tui.key_remapping import remapped


def keys_of(table: tuple[Action, ...]) -> dict[tuple[str, str], str]:
    return {(action.place, action.id): action.keys for action in table}


def test_keys_are_chosen_for_one_place_or_for_all() -> None:
    table, problems, losses = remapped(ACTIONS, {"copy": "f15", "tools.run": "^k,f12", "restart": "f10"})
    assert (problems, losses) == ([], [])
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
        ("tools.history", "f12", "there is no action tools.history; did you mean tools.toggle_history?"),
        ("tool.run", "f12", "did you mean tools.run?"),
        ("restart", "ctrl+pgup", "is no key; did you mean ctrl+pageup?"),
        ("show_inspector", "j", "show_inspector keeps its own keys: j is a key of lists"),
        ("inspector.copy", "l", "inspector.copy keeps its own keys: l unfolds or folds a call"),
        ("tools.omit", "a", "tools.omit keeps its own keys: it also acts in texts, where a is typed"),
    ],
)
def test_a_mistake_is_reported_and_the_action_keeps_its_keys(name: str, key: str, problem: str) -> None:
    table, problems, _ = remapped(ACTIONS, {name: key})
    assert table == ACTIONS
    assert len(problems) == 1
    assert problem in problems[0]
    assert remapped(ACTIONS, {name: key}, {name: 7})[1][0].startswith("line 7: ")


def test_every_key_of_the_table_can_be_chosen() -> None:
    keys = {key for action in ACTIONS for key in action.keys.split(",")}
    assert [key for key in sorted(keys) if "is no key" in "".join(remapped(ACTIONS, {"restart": key})[1])] == []


def test_a_key_of_the_user_is_taken_from_the_actions_that_have_it_by_default() -> None:
    table, problems, losses = remapped(ACTIONS, {"tools.toggle_history": "r", "restart": "?"})
    assert problems == []
    keys = keys_of(table)
    assert (keys["tools", "toggle_history"], keys["tools", "run_again"]) == ("r", "")
    assert (keys["", "help"], keys["inspector", "send_again"]) == ("f1", "r")
    assert losses == [
        "? is now restart; help keeps f1",
        "r is now tools.toggle_history; tools.run_again has no key",
    ]


def test_of_two_keys_of_the_user_that_clash_the_first_applies() -> None:
    chosen = {"tools.run": "f12", "restart": "f12", "tools.toggle_history": "f5"}
    table, problems, losses = remapped(ACTIONS, chosen, {"tools.run": 3, "restart": 4, "tools.toggle_history": 5})
    assert problems == [
        "line 4: f12 is set for tools.run (line 3), which applies, and for restart, which does not get it",
    ]
    keys = keys_of(table)
    assert (keys["tools", "run"], keys["", "restart"], keys["tools", "toggle_history"]) == ("f12", "", "f5")
    assert losses == ["f5 is now tools.toggle_history; restart has no key"]


def test_the_notice_about_a_file_counts_its_mistakes_and_lists_each_on_a_line() -> None:
    mistakes = config_mistakes(parse_config('theme = "nordd"\ncolour = 1\n[keys]\nfly = "f9"\n'))
    first, *lines, mend = mistakes_notice(mistakes).splitlines()
    assert first == "config.toml has 3 mistakes: f3 shows them."
    assert lines == mistakes
    assert [line.partition(":")[0] for line in lines] == ["line 1", "line 2", "line 4"]
    assert "`workbench config edit`" in mend
    assert mistakes_notice([]) == ""


@pytest.mark.parametrize(("key", "way_out"), [("f1", "help"), ("ctrl+p", "palette"), ("ctrl+q", "quit")])
def test_help_palette_and_quit_keep_a_key_that_works_in_texts(key: str, way_out: str) -> None:
    table, problems, _ = remapped(ACTIONS, {"restart": key})
    assert keys_of(table) == keys_of(ACTIONS)
    assert f"is the only key of {way_out} that works in texts; set keys.{way_out} to another one first" in problems[0]
    table, problems, _ = remapped(ACTIONS, {way_out: "f12", "restart": key})
    assert (problems, keys_of(table)["", "restart"], keys_of(table)["", way_out]) == ([], key, "f12")


def test_two_actions_can_exchange_their_keys() -> None:
    own = keys_of(ACTIONS)
    swapped = {"switch_revision": own["", "set_log_level"], "set_log_level": own["", "switch_revision"]}
    table, problems, losses = remapped(ACTIONS, swapped)
    assert (problems, losses) == ([], [])
    assert keys_of(table)["", "set_log_level"] == own["", "switch_revision"]


def test_bindings_and_texts_use_the_chosen_keys() -> None:
    code = """
from workbench.tui.key_remapping import use_keys
assert use_keys({"restart": "f10", "tools.run": "f12", "tools.save_call": "^j,^enter,h"}).problems != []
losses = use_keys({"restart": "f10", "tools.run": "f12", "tools.search": "h", "show_tools": "^s,?,f3"}).losses
from workbench.tui.app import WorkbenchApp
from workbench.tui.header import hint_items
from workbench.tui.screens.core_dialogs import no_core_text
assert "Press f10 to" in no_core_text("")
assert any(binding.key == "f10" for binding in WorkbenchApp.BINDINGS if hasattr(binding, "key"))
from workbench.tui.key_bindings import key_for
from workbench.tui.screens import composer, help, notice_log
assert "tools.save_call has no key" in "".join(losses)
assert key_for("save_call", "tools") == "^p save call"
hints = [item.text.strip() for item in hint_items("tools")[0]]
assert "f12" in hints and "history" not in hints
"""
    subprocess.run([sys.executable, "-c", code], check=True)
