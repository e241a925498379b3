"""`workbench lint`: what is found, where, and the exit codes."""

import json
from pathlib import Path

import pytest

from tests.commands import DEMO
from tests.workbench.cli.conftest import Run


@pytest.fixture
def sloppy(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(
        "from server_core import tool\n\n\n"
        '@tool(name="things.find", annotations={"readOnlyHint": True})\n'
        "def find(word: str) -> str:\n"
        '    """Find things that have this word."""\n'
        "    return word\n"
    )
    return tmp_path


def test_an_issue_begins_with_its_place_and_warnings_fail(
    run: Run, sloppy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sloppy)
    code, out, _ = run("lint")
    assert code == 1
    assert any(line.startswith("tools.py:5: warning: ") and "[tool-name]" in line for line in out.splitlines())


def test_advice_fails_only_a_strict_run(run: Run, tmp_path: Path) -> None:
    function = 'def greet() -> str:\n    """Greet the guest who asks for it."""\n    return "hi"\n'
    (tmp_path / "tools.py").write_text(f"from server_core import tool\n\n@tool\n{function}")
    assert run("lint", str(tmp_path))[0] == 0
    assert run("lint", str(tmp_path), "--strict")[0] == 1


def test_the_demo_has_no_issues(run: Run) -> None:
    code, out, _ = run("lint", str(DEMO), "--strict")
    assert (code, out.splitlines()[0]) == (0, "No findings.")


def test_the_cost_of_each_definition_is_shown(run: Run) -> None:
    _, out, _ = run("lint", str(DEMO), "--json")
    tokens = json.loads(out)["tokens"]
    assert tokens["total"] == sum(tokens["tools"].values())
    assert tokens["tools"]["greet"] > 20


def test_files_that_could_not_be_loaded_are_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text("from server_core import tool\n\n@tool\ndef broken(x) -> str:\n    return x\n")
    code, out, _ = run("lint", str(tmp_path))
    assert code == 1
    assert "tools.py:4: error: " in out


def test_a_folder_without_tools_is_a_mistake(run: Run, tmp_path: Path) -> None:
    code, out, err = run("lint", str(tmp_path))
    assert (code, out) == (2, "")
    assert "No tools found. Create Python files with @tool decorated functions." in err
