"""Assert that all tools of a project can be served."""

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.testing.assertion_errors import ProblemsFound

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp
    from server_core.catalog.problems import Problem


def assert_no_problems(what: "MCPApp | Path | str", *, warnings: bool = True) -> None:
    """Fail the test with all problems of a folder, a file or an app.

    Args:
        what: an app object, or the path of a folder or file of tools.
        warnings: whether problems that do not prevent serving count as well.

    Raises:
        ProblemsFound: with each problem, its file and line, and how to solve it.
        ConfigurationError: when the path does not exist.
    """
    __tracebackhide__ = True
    problems = [problem for problem in _problems(what) if warnings or problem.severity == "error"]
    if problems:
        raise ProblemsFound(problems)


def _problems(target: "MCPApp | Path | str") -> "tuple[Problem, ...]":
    from server_core.loading.file_source import FileSource
    from server_core.loading.project import Project
    from server_core.loading.project_source import AppSource
    from server_core.settings import Settings

    if not isinstance(target, str | Path):
        return Project(AppSource(target)).load().problems
    project = Project(FileSource(Path(target), Settings(), shares_modules=True))
    try:
        return project.load().problems
    finally:
        project.source.leave()
