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


GREET = """from server_core import tool


@tool
def greet(name: str{more}) -> str:
    \"\"\"Greet the guest who asks for it.\"\"\"
    return name
"""


@pytest.fixture
def earlier(run: Run, tmp_path: Path) -> Path:
    """A list of a project whose tool is changed later."""
    (tmp_path / "tools.py").write_text(GREET.format(more=""))
    _, out, _ = run("list", "--project", str(tmp_path), "--json")
    file = tmp_path / "before.json"
    file.write_text(out)
    return file


def test_an_unchanged_server_has_no_changes_since_an_earlier_list(run: Run, earlier: Path) -> None:
    code, out, _ = run("lint", str(earlier.parent), "--against", str(earlier))
    assert code == 0
    assert f"0 changes since {earlier}" in out


def test_a_change_that_breaks_callers_fails(run: Run, earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(earlier.parent)
    Path("tools.py").write_text(GREET.format(more=", times: int"))
    code, out, _ = run("lint", "--against", "before.json")
    assert code == 1
    assert "tools.py:5: breaking: Tool 'greet': `times` is new and required. [breaking for callers]" in out
    assert "1 change since before.json: breaking for callers" in out
    code, out, _ = run("lint", "--against", "before.json", "--json")
    [change] = json.loads(out)["changes"]
    assert (code, change["name"], change["breaking"]) == (1, "greet", True)
    assert change["place"] == "inputSchema.properties.times"


def test_a_change_that_breaks_nothing_passes(run: Run, earlier: Path) -> None:
    (earlier.parent / "tools.py").write_text(GREET.format(more=", times: int = 1"))
    code, out, _ = run("lint", str(earlier.parent), "--against", str(earlier))
    assert code == 0
    assert "`times` is new and optional. [not breaking]" in out


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tools": 3}', "[" * 100_000])
def test_a_file_that_is_no_list_is_a_mistake(run: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "before.json"
    file.write_text(text)
    code, out, err = run("lint", str(DEMO), "--against", str(file))
    assert (code, out) == (2, "")
    assert "before.json" in err
    assert "workbench list --json" in err
