"""The files with what terminals remember."""

import stat

import pytest

from server_core.runtime.paths import data_folder
from workbench.model.terminal_memory import TerminalMemory
from workbench.workspace import memory_file
from workbench.workspace.memory_file import forget_memory, load_memory, save_memory


def test_each_project_has_a_memory_that_only_its_owner_reads() -> None:
    save_memory("/one", TerminalMemory("inspector", "greet", {"greet": {"name": "Ada"}}, "err").to_json())
    assert load_memory("/one") == TerminalMemory("inspector", "greet", {"greet": {"name": "Ada"}}, "err")
    assert load_memory("/two") == TerminalMemory()
    [file] = (data_folder() / "terminals").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "3"])
def test_an_invalid_file_is_an_empty_memory(text: str) -> None:
    save_memory("/one", TerminalMemory("inspector").to_json())
    [file] = (data_folder() / "terminals").iterdir()
    file.write_text(text)
    assert load_memory("/one") == TerminalMemory()


def test_the_number_of_files_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_file, "_MAX_FILES", 2)
    for project in ("/one", "/two", "/three"):
        save_memory(project, TerminalMemory("inspector").to_json())
    assert len(list((data_folder() / "terminals").iterdir())) == 2


def test_a_memory_is_forgotten() -> None:
    save_memory("/one", TerminalMemory("inspector").to_json())
    assert forget_memory("/one")
    assert load_memory("/one") == TerminalMemory()
    assert not forget_memory("/one")
