"""`workbench lint`: what is found, where, and the exit codes."""

import json
import subprocess
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


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder in a git repository, whose only commit has a tool that uses another file."""
    folder = tmp_path / "repository" / "cafe"
    folder.mkdir(parents=True)
    (folder / "words.py").write_text("TITLE = 'the guest'\n")
    (folder / "tools.py").write_text("from words import TITLE\n" + GREET.format(more=""))
    _git(folder, "init", "--quiet")
    _git(folder, "add", "tools.py", "words.py")
    _git(folder, "commit", "--quiet", "-m", "Greet")
    return folder


def _git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_the_tools_are_compared_with_a_git_revision_and_the_work_tree_stays(run: Run, repository: Path) -> None:
    assert "0 changes since HEAD" in run("lint", str(repository), "--since", "HEAD")[1]
    (repository / "words.py").unlink()
    (repository / "tools.py").write_text(GREET.format(more=", times: int"))
    before = _git(repository, "status", "--porcelain")
    code, out, err = run("lint", str(repository), "--since", "HEAD")
    assert (code, err) == (1, "")
    assert "breaking: Tool 'greet': `times` is new and required. [breaking for callers]" in out
    assert "1 change since HEAD: breaking for callers" in out
    assert _git(repository, "status", "--porcelain") == before
    assert run("lint", str(repository / "tools.py"), "--since", "HEAD")[1].count("breaking: ") == 1


def test_a_revision_that_cannot_be_compared_with_is_a_mistake(
    run: Run, repository: Path, earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for arguments, reason in (
        ((repository, "--since", "v9"), "git knows no revision 'v9'"),
        ((repository, "--since", "--all"), "git knows no revision '--all'"),
        ((earlier.parent, "--since", "HEAD"), "is in no git repository"),
        ((repository, "--since", "HEAD", "--against", earlier), "choose one to compare with"),
        (("--url", "http://127.0.0.1:9/mcp", "--since", "HEAD"), "--since needs a folder of tools"),
    ):
        code, out, err = run("lint", *map(str, arguments))
        assert (code, out) == (2, "")
        assert reason in err
    monkeypatch.setenv("PATH", str(repository))
    assert "--since needs git" in run("lint", str(repository), "--since", "HEAD")[2]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tools": 3}', "[" * 100_000])
def test_a_file_that_is_no_list_is_a_mistake(run: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "before.json"
    file.write_text(text)
    code, out, err = run("lint", str(DEMO), "--against", str(file))
    assert (code, out) == (2, "")
    assert "before.json" in err
    assert "workbench list --json" in err
