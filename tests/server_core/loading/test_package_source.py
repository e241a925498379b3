"""Served packages: the names of their tools, problems of missing packages, and reloading."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server_core.core import Core
from server_core.errors import ConfigurationError
from server_core.loading.file_source import FileSource
from server_core.loading.package_source import PackageSource
from server_core.loading.project import Generation, Project
from server_core.settings import Settings
from tests.server_core.catalog.installing import Site, site_at, tool

pytestmark = pytest.mark.promises("discovery", "tool packages")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with site_at(tmp_path) as site:
        yield site


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Any]:
    projects: list[Project] = []

    def open_packages(**settings: Any) -> Project:
        projects.append(Project(PackageSource(tmp_path, Settings(**settings))))
        return projects[-1]

    yield open_packages
    for project in projects:
        project.source.leave()


def words(generation: Generation) -> dict[str, str]:
    return {name: tool.function() for name, tool in generation.catalog.tools.items()}


def test_the_tools_of_packages_are_named_after_their_toolkits(site: Site, opened: Any) -> None:
    site.install("arcade_math", {"arcade_math/__init__.py": "", "arcade_math/tools/sums.py": tool("add_up", "1")})
    site.install("words", {"words/__init__.py": tool("say", "2")}, editable=True)
    generation = opened(tool_package="math, words").load()
    assert generation.problems == ()
    assert words(generation) == {"Words_Say": "2", "Math_AddUp": "1"}
    tools = generation.catalog.tools
    assert [tool.qualified_name for tool in tools.values()] == ["Words.Say", "Math.AddUp"]
    assert tools["Math_AddUp"].toolkit.version == "1.2.0"
    assert {path.name for path in generation.files} == {"sums.py", "__init__.py"}


def test_the_server_is_named_after_its_only_package_or_by_the_settings(site: Site, opened: Any) -> None:
    site.install("arcade_math", {"arcade_math/__init__.py": tool("add")})
    site.install("arcade_words", {"arcade_words/__init__.py": tool("say")})
    only = opened(tool_package="math").identity
    assert (only.name, only.version) == ("math", "1.2.0")
    assert opened(tool_package="math,words").identity.name == "ArcadeMCP"
    named = opened(discover_installed=True, server_name="both", server_version="2.0.0").identity
    assert (named.name, named.version) == ("both", "2.0.0")


def test_a_package_that_is_missing_is_a_problem_and_the_others_are_served(site: Site, opened: Any) -> None:
    site.install("arcade_math", {"arcade_math/__init__.py": tool("add")})
    generation = opened(tool_package="nothing,math").load()
    assert [*generation.catalog.tools] == ["Math_Add"]
    (problem,) = generation.problems
    assert problem.severity == "error"
    assert problem.message == "The package 'nothing' is not served: Package 'nothing' not found."


def test_a_package_with_only_the_name_of_a_toolkit_is_just_a_warning(site: Site, opened: Any) -> None:
    site.install("arcade_math", {"arcade_math/__init__.py": tool("add")})
    site.install("arcade_words", {"arcade_words/__init__.py": ""})
    (problem,) = opened(discover_installed=True).load().problems
    assert problem.severity == "warning"
    assert "'arcade_words' is not served: No tools found in package arcade_words" in problem.message


def test_without_any_package_nothing_is_served(site: Site, opened: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"^No tools found\. Package 'a' not found\. Package 'b' not found\."):
        opened(tool_package="a,b")
    with pytest.raises(ConfigurationError, match=r"^No tools found\. .*group `arcade_toolkits`"):
        opened(discover_installed=True)


def test_a_module_that_cannot_be_imported_hides_no_other(site: Site, opened: Any) -> None:
    files = {
        "arcade_math/__init__.py": "",
        "arcade_math/bad.py": "from arcade_tdk import ToolContext\n" + tool("never"),
        "arcade_math/good.py": tool("add"),
    }
    site.install("arcade_math", files)
    generation = opened(tool_package="math").load()
    assert [*generation.catalog.tools] == ["Math_Add"]
    (problem,) = generation.problems
    assert (Path(problem.file).name, problem.line) == ("bad.py", 1)
    assert problem.fix.startswith("Change the import to server_core")


def test_an_editable_package_is_reloaded_with_its_importers_and_an_installed_package_is_not(
    site: Site, opened: Any
) -> None:
    files = {
        "kit/__init__.py": "",
        "kit/shared.py": "WORD = 'old'\n",
        "kit/deep/tools.py": tool("say", "x")
        .replace("return 'x'", "return WORD")
        .replace("\n\n", "\nfrom kit.shared import WORD\n", 1),
    }
    place = site.install("kit", files, editable=True)
    installed = site.install("fixed", {"fixed/__init__.py": tool("stay", "old")})
    project = opened(tool_package="kit,fixed")
    assert words(project.load()) == {"Kit_Say": "old", "Fixed_Stay": "old"}
    watched = project.source.files.watched
    assert {place / "kit", place / "kit" / "deep", place / "kit" / "shared.py"} <= watched
    assert not any(path.is_relative_to(installed) for path in watched)
    (place / "kit" / "shared.py").write_text("WORD = 'new'\n")
    (installed / "fixed" / "__init__.py").write_text(tool("stay", "new"))
    (place / "kit" / "more.py").write_text(tool("more", "too"))
    generation = project.reload(watched)
    assert words(generation) == {"Kit_Say": "new", "Kit_More": "too", "Fixed_Stay": "old"}
    assert set(generation.changes.tools.added) == {"Kit_More"}
    (place / "kit" / "shared.py").write_text("WORD = (\n")
    assert not project.reload(watched).ok
    assert words(project.reload(watched))["Kit_Say"] == "new"


def test_a_file_of_the_folder_shadows_no_package(site: Site, opened: Any, tmp_path: Path) -> None:
    site.install("arcade_math", {"arcade_math/__init__.py": tool("add", "installed")})
    (tmp_path / "arcade_math.py").write_text(tool("add", "loose"))
    assert words(opened(tool_package="math").load()) == {"Math_Add": "installed"}


def test_tools_of_an_app_in_a_package_keep_their_toolkit(site: Site, opened: Any) -> None:
    app = "from server_core import MCPApp\napp = MCPApp('own', '3.0.0')\n"
    app += "@app.tool\ndef one() -> str:\n    'D.'\n    return ''\n"
    site.install("arcade_math", {"arcade_math/__init__.py": app})
    project = opened(tool_package="math")
    assert project.identity.name == "own"
    assert [*project.load().catalog.tools] == ["Own_One"]


def test_a_core_serves_packages_when_its_settings_name_them(site: Site, tmp_path: Path) -> None:
    site.install("arcade_math", {"arcade_math/__init__.py": tool("add")})
    core = Core(project=tmp_path, settings=Settings(tool_package="math"), capture=False, link=False)
    assert (core.title, core.identity.name) == ("arcade_math", "math")
    with pytest.raises(ConfigurationError, match="No tools found"):
        Core(project=tmp_path, settings=Settings(tool_package="other"), capture=False, link=False)


def test_the_tools_of_loose_files_are_named_after_the_toolkit_that_the_settings_name(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(tool("say_hi"))
    project = Project(FileSource(tmp_path, Settings(toolkit="my_kit", server_version="2.0.0")))
    generation = project.load()
    project.source.leave()
    assert [*generation.catalog.tools] == ["MyKit_SayHi"]
    assert [tool.toolkit.version for tool in generation.catalog.tools.values() if tool.toolkit] == ["2.0.0"]
