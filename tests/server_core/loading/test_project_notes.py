"""Problems of files that are not served, or not completely: with the line and the fix."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from server_core.link.catalog_description import describe_catalog
from server_core.loading.file_source import FileSource
from server_core.loading.load_problems import load_problem
from server_core.loading.project import Project
from tests.tables import each_row

pytestmark = pytest.mark.promises("discovery")

TOOL = "from server_core import tool\n"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    project = Project(FileSource(tmp_path))
    yield project
    project.source.leave()


def problems_of(project: Project) -> list[tuple[str, int, str]]:
    generation = project.reload(project.source.path.rglob("*.py"))
    return [(Path(problem.file).name, problem.line, problem.message) for problem in generation.problems]


def test_a_tool_inside_of_a_function_is_reported_unless_it_is_served_nevertheless(
    project: Project, tmp_path: Path
) -> None:
    making = (
        TOOL + "def make():\n    @tool\n    def inner() -> str:\n        'D.'\n        return ''\n    return inner\n"
    )
    (tmp_path / "a.py").write_text(making)
    assert problems_of(project) == [("a.py", 3, "'inner' is declared inside the function 'make', so it is not served.")]
    (tmp_path / "a.py").write_text(making + "inner = make()\n")
    assert problems_of(project) == []
    assert [*project.reload([tmp_path]).catalog.tools] == ["inner"]


def test_a_file_for_arcade_is_a_problem_and_the_others_are_served(project: Project, tmp_path: Path) -> None:
    (tmp_path / "theirs.py").write_text("from arcade_mcp_server import tool\n@tool\ndef a() -> str: ...\n")
    (tmp_path / "ours.py").write_text(TOOL + "@tool\ndef b() -> str:\n    'D.'\n    return ''\n")
    assert problems_of(project) == [
        ("theirs.py", 1, "theirs.py is not served: it imports arcade_mcp_server, so its tools are declared for Arcade.")
    ]
    assert [*project.reload([tmp_path]).catalog.tools] == ["b"]


def test_a_file_that_cannot_be_imported_hides_no_other(project: Project, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(TOOL + "@tool\ndef a(:\n")
    (tmp_path / "lost.py").write_text(TOOL + "import does_not_exist\n@tool\ndef c() -> str: ...\n")
    (tmp_path / "ours.py").write_text(TOOL + "@tool\ndef b() -> str:\n    'D.'\n    return ''\n")
    assert [(file, line) for file, line, _ in problems_of(project)] == [("broken.py", 3), ("lost.py", 2)]
    assert [*project.reload([tmp_path]).catalog.tools] == ["b"]


def test_siblings_are_imported_relatively_and_resources_and_prompts_of_loose_files_are_served(
    project: Project, tmp_path: Path
) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "shared.py").write_text("WORD = 'hi'\n")
    (tmp_path / "tools" / "a.py").write_text(
        "from server_core import prompt, resource, tool as t\nfrom .shared import WORD\n"
        "@t\ndef greet() -> str:\n    'D.'\n    return WORD\n"
        "@resource('a://b')\ndef b() -> str:\n    'D.'\n    return WORD\n"
        "@prompt\ndef c() -> str:\n    'D.'\n    return WORD\n"
    )
    assert problems_of(project) == []
    catalog = project.reload([tmp_path]).catalog
    assert ([*catalog.tools], [*catalog.resources], [*catalog.prompts]) == (["greet"], ["a://b"], ["c"])


@each_row(
    ("module", "fix"),
    [
        ("arcade_tdk.errors", "Change the import to server_core"),
        ("arcade_math", "Install 'arcade_math', or correct"),
        ("numpy", "Install 'numpy', or correct"),
    ],
)
def test_the_fix_for_a_missing_module_is_to_install_it_except_for_arcades_own_packages(module: str, fix: str) -> None:
    error = ModuleNotFoundError(f"No module named {module!r}", name=module)
    assert load_problem(Path("a.py"), error, ()).fix.startswith(fix)


def test_a_generation_knows_the_files_that_were_not_loaded_and_why(project: Project, tmp_path: Path) -> None:
    (tmp_path / "d_test.py").write_text(TOOL)
    (tmp_path / "helper.py").write_text("x = 1\n")
    (tmp_path / ".venv").mkdir()
    generation = project.reload([tmp_path])
    assert generation.skipped == (
        (tmp_path / "d_test.py", "it is a test"),
        (tmp_path / "helper.py", "it declares no tools"),
    )
    assert describe_catalog(generation.identity, generation)["skipped"][1] == {
        "file": str(tmp_path / "helper.py"),
        "reason": "it declares no tools",
    }
