"""The prompts of the start screen, and the input that it refuses."""

from pathlib import Path

import pytest

from workbench.tui.screens.start import open_request, prompt_for
from workbench.workspace.open_request import Wanted


@pytest.mark.parametrize(
    ("choice", "text", "expected"),
    [
        ("demo", "", Wanted(demo=True)),
        ("new", "my_tools", Wanted(new=Path("my_tools"))),
        ("connect", "http://127.0.0.1:8000/mcp", Wanted(url="http://127.0.0.1:8000/mcp")),
        ("connect", "npx -y 'a server'", Wanted(command=("npx", "-y", "a server"))),
        ("stay", "", None),
    ],
)
def test_a_choice_becomes_a_request_for_a_workspace(choice: str, text: str, expected: Wanted | None) -> None:
    assert open_request(choice, text) == expected


def test_only_choices_that_need_a_text_ask_for_it() -> None:
    assert prompt_for("demo") is None
    assert prompt_for("stay") is None
    assert prompt_for("new") is not None
    assert prompt_for("connect") is not None


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    prompt = prompt_for("new")
    assert prompt is not None
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    (tmp_path / "empty").mkdir()
    assert "not empty" in str(prompt.problem(str(tmp_path / "full")))
    assert "not empty" in str(prompt.problem(str(tmp_path / "full" / "file")))
    assert prompt.problem(str(tmp_path / "empty")) is None
    assert prompt.problem(str(tmp_path / "none yet")) is None
    assert prompt.problem("  ") is not None


def test_a_command_that_cannot_be_split_is_refused() -> None:
    prompt = prompt_for("connect")
    assert prompt is not None
    assert "not a command line" in str(prompt.problem("run 'this"))
    assert prompt.problem("run this") is None
    assert prompt.problem("") is not None
