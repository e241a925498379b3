"""`workbench config`."""

import json
from pathlib import Path

import pytest

from server_core.runtime.paths import config_file
from workbench.__main__ import main
from workbench.model.terminal_memory import TerminalMemory
from workbench.workspace.config_file import read_config
from workbench.workspace.memory_file import load_memory, save_memory


def test_a_setting_is_set_shown_and_removed_and_comments_stay(capfd: pytest.CaptureFixture[str]) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text('# mine\neditor = "nano"  # small\n')
    assert main(["config", "set", "theme", "nord"]) == 0
    assert main(["config", "set", "keys.run", "f12"]) == 0
    assert config_file().read_text().startswith('# mine\neditor = "nano"  # small\n')
    capfd.readouterr()
    assert main(["config", "get", "theme"]) == 0
    assert capfd.readouterr().out == "nord\n"
    assert main(["config", "--json"]) == 0
    shown = json.loads(capfd.readouterr().out)
    assert shown["path"] == str(config_file())
    assert shown["values"] == {"theme": "nord", "editor": "nano", "keys.run": "f12"}
    assert main(["config", "set", "theme", ""]) == 0
    assert read_config().theme == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["set", "colour", "red"], "there is no setting 'colour'"),
        (["set", "keys.fly", "f12"], "there is no action fly"),
        (["set", "keys.tools.run", "pagup"], "'pagup' is no key; did you mean pageup?"),
        (["set", "keys.restart", "f1"], "f1 is the only key of help that works in texts"),
        (["set", "theme", "nordd"], "there is no theme 'nordd'; did you mean nord?"),
    ],
)
def test_a_mistake_changes_nothing(words: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["config", *words]) == 2
    assert message in capfd.readouterr().err
    assert not config_file().exists()


def test_the_file_lists_its_mistakes_with_their_lines_and_a_key_of_another_setting_is_refused(
    capfd: pytest.CaptureFixture[str],
) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text('theme = "nordd"\n[keys]\neditr = "f9"\ntools.run = "f9"\ntools.omit = "a"\n')
    assert main(["config"]) == 2
    assert main(["config", "--json"]) == 2
    err = capfd.readouterr().err
    assert all(f"line {line}: " in err for line in (1, 3, 5))
    assert "line 4: " not in err
    assert main(["config", "set", "keys.restart", "f9"]) == 2
    assert "f9 is set for tools.run (line 4), which applies, and for restart" in capfd.readouterr().err
    assert main(["config", "set", "keys.tools.toggle_history", "r"]) == 0
    assert "r is now tools.toggle_history; tools.run_again has no key" in capfd.readouterr().err


def test_keys_in_a_table_of_a_pane_and_a_link_to_the_file_stay(tmp_path: Path) -> None:
    shared = tmp_path / "shared.toml"
    shared.write_text('[keys.tools]\nrun = "f11"\n')
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().symlink_to(shared)
    assert main(["config", "set", "keys.tools.run", "f12"]) == 0
    assert shared.read_text() == '[keys.tools]\nrun = "f12"\n'
    assert main(["config", "set", "keys.tools.run", ""]) == 0
    assert read_config().keys == {}
    assert config_file().is_symlink()


def test_a_file_with_mistakes_is_not_changed_and_its_line_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text("theme = \n")
    assert main(["config"]) == 2
    assert "line 1" in capfd.readouterr().err
    assert main(["config", "set", "theme", "nord"]) == 2
    assert config_file().read_text() == "theme = \n"


def test_the_actions_are_listed_with_the_keys_that_are_used(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "set", "keys.tools.run", "f12"]) == 0
    capfd.readouterr()
    assert main(["config", "keys"]) == 0
    lines = [line.split() for line in capfd.readouterr().out.splitlines()]
    assert ["tools.run", "f12"] in [line[:2] for line in lines]
    assert "restart" in [line[0] for line in lines]


def test_what_terminals_remember_of_a_project_is_forgotten(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    save_memory(str(tmp_path), {"place": "inspector"})
    assert main(["config", "forget", "--project", str(tmp_path)]) == 0
    assert f"What terminals remembered of {tmp_path} is deleted." in capfd.readouterr().err
    assert load_memory(str(tmp_path)) == TerminalMemory()


def test_a_filter_is_saved_under_a_name_if_it_is_valid(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "set", "filters.slow", "dur>1s"]) == 0
    assert main(["config", "set", "filters.bad", "@slow status:oops"]) == 2
    assert "the filter bad: status: is one of" in capfd.readouterr().err
    assert read_config().filters == {"slow": "dur>1s"}
    assert main(["config", "set", "filters.slow", ""]) == 0
    assert read_config().filters == {}
