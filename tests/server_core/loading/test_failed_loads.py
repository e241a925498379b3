"""Failed loads: the last good catalog stays, and the problem names the line."""

import sys
from pathlib import Path

import pytest

from server_core.catalog.building.assembly import Assembler
from server_core.errors import ConfigurationError
from server_core.loading.file_source import FileSource
from server_core.loading.project import Project
from tests.server_core.loading.projects import Folder, names, problems_of, run, tool


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "from server_core import tool\n\ndef broken(:\n    pass\n",
            ("a.py", 3, "a.py has a syntax error: invalid syntax."),
        ),
        (
            "from server_core import tool\nimport no_such_thing\n",
            ("a.py", 2, "a.py cannot be imported: ModuleNotFoundError: No module named 'no_such_thing'."),
        ),
        (
            "from server_core import tool\n1 / 0\n",
            ("a.py", 2, "a.py cannot be imported: ZeroDivisionError: division by zero."),
        ),
        ("import server_core\nraise SystemExit(3)\n", ("a.py", 2, "a.py cannot be imported: SystemExit: 3.")),
        ("import server_core\nx = '\0'\n", ("a.py", 1, None)),
    ],
)
def test_a_file_that_breaks_leaves_the_last_good_catalog_and_reports_the_line(
    folder: Folder, text: str, problem: tuple[str, int, str | None]
) -> None:
    folder.write(a=tool("a"), b=tool("b", "return a.a()", "import a"))
    project = folder.open()
    first = project.load()
    module = sys.modules["a"]
    broken = project.reload(folder.write(a=text))
    assert not broken.ok
    assert broken.catalog is first.catalog
    assert not broken.changes
    assert broken.reloaded == ()
    file, line, message = problems_of(broken)[0]
    assert file == problem[0]
    assert problem[2] is None or (line, message) == problem[1:]
    assert broken.problems[0].fix
    assert sys.modules["a"] is module
    assert folder.path / "a.py" in project.source.files.watched
    mended = project.reload(folder.write(a=tool("a", "return 'mended'")))
    assert mended.ok
    assert mended.problems == ()
    assert run(mended, "b") == "mended"


def test_the_blame_for_a_broken_import_is_with_the_file_that_is_broken(folder: Folder) -> None:
    folder.write(a=tool("a", before="import shared"), b=tool("b"), shared="x = 1\n")
    project = folder.open()
    project.load()
    broken = project.reload(folder.write(shared="x = 1\ny = nothing\n"))
    assert [(file, line) for file, line, _ in problems_of(broken)] == [("shared.py", 2)]
    assert broken.problems[0].source_line == "y = nothing"
    assert names(broken) == ["a", "b"]


def test_changes_beside_a_broken_file_are_loaded_with_its_repair(folder: Folder) -> None:
    folder.write(a=tool("a"), b=tool("b", "return 1"))
    project = folder.open()
    project.load()
    assert not project.reload(folder.write(a="import server_core\n)", b=tool("b", "return 2"))).ok
    mended = project.reload(folder.write(a=tool("a")))
    assert run(mended, "b") == 2


def test_at_the_first_load_a_broken_file_does_not_hide_the_others(folder: Folder) -> None:
    folder.write(
        a="from server_core import tool\n)",
        b=tool("b"),
        c="import server_core\nserver_core.tool(1 / 0)\n@server_core.tool\ndef c() -> None: ...\n",
    )
    project = folder.open()
    first = project.load()
    assert names(first) == ["b"]
    assert not first.ok
    assert [(file, line) for file, line, _ in problems_of(first)] == [("a.py", 2), ("c.py", 2)]
    # A file that never worked delays no other.
    second = project.reload(folder.write(b=tool("b", "return 'new'")))
    assert run(second, "b") == "new"
    assert names(project.reload(folder.write(a=tool("a")))) == ["a", "b"]


def test_a_deleted_module_that_others_import_leaves_the_last_good_catalog(folder: Folder) -> None:
    folder.write(a=tool("a", before="import shared"), shared="")
    project = folder.open()
    project.load()
    (folder.path / "shared.py").unlink()
    broken = project.reload({folder.path / "shared.py"})
    assert not broken.ok
    assert names(broken) == ["a"]
    assert project.reload(folder.write(shared="")).ok


def test_a_deleted_folder_leaves_the_last_good_catalog(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "gone")
    (file,) = folder.write(a=tool("a"))
    project = folder.open()
    project.load()
    file.unlink()
    folder.path.rmdir()
    broken = project.reload({file})
    assert not broken.ok
    assert names(broken) == ["a"]
    assert "does not exist" in broken.problems[0].message


def test_a_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not exist"):
        Project(FileSource(tmp_path / "missing"))


def test_a_file_that_is_nested_too_deeply_is_a_problem_of_its_own(folder: Folder) -> None:
    folder.write(good=tool("good"), deep="import server_core\nx = " + "-" * 50_000 + "1\n")
    generation = folder.open().load()
    assert names(generation) == ["good"]
    assert [Path(problem.file).name for problem in generation.problems] == ["deep.py"]


def test_an_unexpected_error_while_loading_is_a_problem_and_leaves_the_last_good_catalog(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder.write(a=tool("a"))
    project = folder.open()
    project.load()
    changed = folder.write(a=tool("a", "return 'new'"))
    with monkeypatch.context() as broken:
        broken.setattr(Assembler, "assemble", lambda *_: 1 / 0)
        generation = project.reload(changed)
    assert (names(generation), generation.ok, run(generation, "a")) == (["a"], False, "x")
    assert "ZeroDivisionError" in generation.problems[0].message
    assert "ZeroDivisionError" in caplog.text
    assert run(project.reload(()), "a") == "new"
