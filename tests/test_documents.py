"""The pages are correct: their commands run, their examples load, and what is made from the code is up to date."""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from server_core.loading.file_source import FileSource
from server_core.loading.project import Project
from server_core.runtime.paths import captures_folder
from server_core.settings import Settings
from tests.commands import WORKBENCH, run, serving_http

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
TRIED = ("first-tool", "context", "testing", "captures", "http")
PAGES = [ROOT / "README.md", *(DOCS / f"{name}.md" for name in TRIED)]

OPENS_A_TERMINAL = {"demo", "attach"}
"""Commands that `tests/terminal` runs, in a pseudo-terminal; so does `workbench PATH`."""


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def steps(page: Path) -> list[tuple[str, str]]:
    """Return what a reader of the page types, in its order: the language and the text of each block."""
    blocks = re.findall(r"^```(sh|python)\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [(str(language), str(text)) for language, text in blocks]


def file_of(block: str) -> str:
    """Return the file that a block of Python is to be written to, named in its first line; empty without a name."""
    named = re.match(r"# (\S+\.py)\n", block)
    return named.group(1) if named else ""


def commands(page: Path) -> list[list[str]]:
    """Return the commands of a page, as words, in their order."""
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    return [words for line in lines if (words := shlex.split(line, comments=True))]


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    """The script that makes pages from the code."""
    spec = importlib.util.spec_from_file_location("reference", ROOT / "scripts" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def known_commands(reference: ModuleType) -> set[str]:
    """The words that follow `workbench`."""
    import typer.main

    from workbench.cli.command_parser import app

    return {name.split()[1] for name, _ in reference.walk("workbench", typer.main.get_command(app)) if " " in name}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
async def test_the_commands_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known_commands: set[str]
) -> None:
    folder = tmp_path / "here"
    shutil.copytree(ROOT / "scaffolds" / "demo", folder / "scaffolds" / "demo")
    if page.name == "captures.md":
        assert (await run("new", "cafe", cwd=folder))[0] == 0
        assert (await run("call", "greet", "name=Ada", "--project", "cafe", cwd=folder))[0] == 0
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for language, text in steps(page):
        if language == "python":
            if name := file_of(text):
                (folder / name).write_text(text, encoding="utf-8")
            continue
        for words in filter(None, (shlex.split(line, comments=True) for line in text.splitlines())):
            if words[0] == "cd":
                folder /= words[1]
            else:
                await type_in(words, folder, tmp_path, known_commands)


async def type_in(words: list[str], folder: Path, scratch: Path, known_commands: set[str]) -> None:
    """Run one command of a page, as a reader would, and fail when it does not work."""
    program, *words = words
    if program == "make":
        assert f"\n{words[0]}: " in (ROOT / "Makefile").read_text(encoding="utf-8")
        return
    if program == "python":
        tests = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, timeout=50)
        assert tests.returncode == 0, tests.stdout + tests.stderr
        return
    assert program == "workbench"
    words = [str(newest_capture()) if word == "CAPTURE" else word for word in words]
    if words[0] not in known_commands:
        assert (folder / words[0]).is_dir(), f"neither a command nor a project: {words[0]}"
    elif words[0] == "serve" and "--http" in words:
        words = [word for word in words if word not in ("--port", "8000")]
        with serving_http([*WORKBENCH, *words, "--port", "0"], scratch, cwd=folder) as url:
            assert url
    elif words[0] not in OPENS_A_TERMINAL:
        code, out, err = await run(*words, cwd=folder)
        assert code == 0, f"workbench {shlex.join(words)} ended with {code}\n{out}\n{err}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_load(page: Path, tmp_path: Path) -> None:
    examples = [text for text in blocks(page, "python") if not file_of(text).startswith("tests/")]
    for number, text in enumerate(examples):
        project = tmp_path / f"example_{number}"
        project.mkdir()
        (project / "example.py").write_text(text, encoding="utf-8")
        generation = Project(FileSource(project, Settings())).load()
        assert generation.problems == ()
        catalog = generation.catalog
        assert catalog.tools or catalog.prompts


def test_the_pages_that_are_made_from_the_code_are_up_to_date(
    reference: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reference.main(["--check"]) == 0, capsys.readouterr().out


def test_every_command_is_documented(known_commands: set[str]) -> None:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert [name for name in sorted(known_commands) if f"`workbench {name}" not in text] == []


def test_every_key_is_documented() -> None:
    from workbench.tui.actions import ACTIONS

    text = (ROOT / "docs" / "keys.md").read_text(encoding="utf-8")
    assert [action.id for action in ACTIONS if action.help not in text] == []


def test_the_first_two_commands_of_the_readme_set_everything_up() -> None:
    assert commands(ROOT / "README.md")[:2] == [["make", "demo"], ["make", "test"]]


def newest_capture() -> Path:
    """Return the capture that was made last."""
    return max(captures_folder().glob("*.capture"), key=lambda path: path.stat().st_mtime)


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_file_that_a_page_about_the_code_names_exists(page: str) -> None:
    paths = re.findall(r"(?<![\w/.])[a-z_]+(?:/[a-z_]+)+\.py\b", (ROOT / page).read_text("utf-8"))
    assert paths
    roots = (ROOT, ROOT / "server_core", ROOT / "workbench")
    assert [path for path in paths if not any((root / path).is_file() for root in roots)] == []
