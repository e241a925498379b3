"""Commands in a folder that has been removed meanwhile."""

from pathlib import Path

import pytest

from tests.commands import DEMO
from tests.workbench.cli.conftest import Run


@pytest.fixture
def removed_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "removed"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()


@pytest.mark.parametrize(
    "words", ["list", "lint", "files", "settings", "secret list", "serve --stdio", "list --project x"]
)
def test_a_removed_folder_is_named_as_the_reason(removed_folder: None, run: Run, words: str) -> None:
    code, out, err = run(*words.split())
    assert (code, out) == (2, "")
    assert "the current folder was removed; change to another" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("words", ["list --project", "call greet name=Ada --project", "lint", "files"])
def test_a_project_can_be_named_from_a_removed_folder(removed_folder: None, run: Run, words: str) -> None:
    code, out, _ = run(*words.split(), str(DEMO))
    assert code == 0
    assert "greet" in out or "Hello, Ada!" in out
