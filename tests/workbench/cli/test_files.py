"""`workbench files`, packages on the command line, and the message where nothing is found."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server_core.catalog.installing import Site, site_at, tool
from tests.workbench.cli.conftest import Run

pytestmark = pytest.mark.promises("discovery", "tool packages")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with site_at(tmp_path) as site:
        site.install("arcade_math", {"arcade_math/__init__.py": "", "arcade_math/sums.py": tool("add_up", "three")})
        yield site


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(autouse=True)
def own_environment() -> Iterator[None]:
    """Take back what options set for the run that a test is."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


def test_the_state_of_each_file_is_shown_with_the_reason(run: Run, folder: Path) -> None:
    (folder / "server.py").write_text("from server_core import MCPApp\napp = MCPApp('x')\n")
    (folder / "good.py").write_text(tool("say") + "@tool\ndef more() -> None: 'D.'\n")
    (folder / "lost.py").write_text("import nothing\n" + tool("never"))
    (folder / "d_test.py").write_text(tool("never"))
    (folder / "helper.py").write_text("x = 1\n")
    code, out, _ = run("files")
    assert code == 0
    assert out.splitlines() == [
        "served   good.py    say, more",
        "failed   lost.py    lost.py cannot be imported: ModuleNotFoundError: No module named 'nothing'. "
        "Install 'nothing', or correct the name of the import.",
        "loaded   server.py  it declares nothing that is served",
        "skipped  d_test.py  it is a test",
        "skipped  helper.py  it declares no tools",
        "1 served, 1 failed, 1 loaded, 2 skipped",
    ]
    code, out, _ = run("files", str(folder), "--json")
    first = json.loads(out)["files"][0]
    assert first == {"path": str(folder / "good.py"), "state": "served", "reason": None, "offers": ["say", "more"]}


def test_a_file_for_arcade_is_shown_with_the_required_change(run: Run, folder: Path) -> None:
    (folder / "a.py").write_text("from arcade_tdk import tool\n@tool\ndef never() -> None: ...\n")
    code, out, _ = run("files")
    assert code == 0
    assert "skipped  a.py  a.py is not served: it imports arcade_tdk" in out
    assert "Change the import to server_core" in out


def test_output_during_the_import_is_not_data_and_shows_no_secret(run: Run, folder: Path) -> None:
    (folder / ".env").write_text("KEY=sesame-open\n")
    text = tool("say").replace("@tool", "@tool(requires_secrets=['KEY'])")
    (folder / "a.py").write_text(f"from pathlib import Path\nprint('printed', Path('.env').read_text())\n{text}")
    code, out, err = run("files")
    assert (code, "printed" in out) == (0, False)
    assert "sesame" not in out + err


def test_a_folder_without_files_is_reported(run: Run, folder: Path) -> None:
    assert run("files")[1] == "No Python files.\n"


def test_files_of_packages_are_shown_with_missing_packages(run: Run, folder: Path, site: Site) -> None:
    code, out, err = run("files", "-p", "math,nothing", "--json")
    rows = {Path(entry["path"]).name: entry for entry in json.loads(out)["files"]}
    assert code == 0
    assert rows["sums.py"]["offers"] == ["Math_AddUp"]
    assert rows["__init__.py"]["state"] == "skipped"
    assert "error: The package 'nothing' is not served: Package 'nothing' not found." in err


@pytest.mark.parametrize("options", [["--tool-package", "math"], ["--discover-installed"], ["--all"]])
def test_the_tools_of_packages_are_listed_and_called(run: Run, folder: Path, site: Site, options: list[str]) -> None:
    code, out, _ = run("list", *options, "--json")
    assert (code, [entry["name"] for entry in json.loads(out)["tools"]]) == (0, ["Math_AddUp"])
    code, out, _ = run("call", "add_up", *options)
    assert (code, out) == (0, "three\n")
    assert run("lint", *options)[0] in (0, 1)


def test_without_any_package_the_command_is_refused(run: Run, folder: Path) -> None:
    code, out, err = run("list", "--tool-package", "nothing")
    assert (code, out) == (2, "")
    assert "No tools found. Package 'nothing' not found." in err


@pytest.mark.parametrize("command", [["list"], ["lint"], ["call", "x"]])
def test_packages_are_refused_with_another_server(run: Run, folder: Path, command: list[str]) -> None:
    code, _, err = run(*command, "--tool-package", "math", "--url", "http://127.0.0.1:1/mcp")
    assert code == 2
    assert "cannot be combined with --url" in err


def test_a_program_that_only_echoes_is_no_server(run: Run, folder: Path) -> None:
    code, out, err = run("call", "x", "--", "cat")
    assert (code, out) == (3, "")
    assert "cat is not an MCP server" in err
