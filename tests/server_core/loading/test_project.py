"""Projects: the generation that a source gives, with its names and its problems."""

from pathlib import Path

import pytest

from server_core.authoring.app import MCPApp
from server_core.catalog.toolkit import Toolkit
from server_core.loading.file_source import FileSource
from server_core.loading.project import Project
from server_core.loading.project_source import AppSource
from tests.server_core.loading.projects import Folder, names, tool


def test_a_folder_without_tools_is_an_empty_project(folder: Folder) -> None:
    generation = folder.open().load()
    assert generation.ok
    assert names(generation) == []
    assert generation.problems == ()


def test_an_app_object_is_a_project_without_files() -> None:
    app = MCPApp("mine", "2.0", toolkit="")

    @app.tool
    def a() -> str:
        """D."""
        return "x"

    project = Project(AppSource(app))
    assert project.identity.name == "mine"
    assert project.source.files.watched == frozenset()
    first = project.load()
    assert names(first) == ["a"]
    app.add_tool(lambda: None, name="b", desc="D.")
    second = project.reload(set())
    assert second.changes.tools.added == ("b",)
    assert second.number == 2


def test_every_problem_of_a_project_has_its_line_and_a_fix(folder: Folder) -> None:
    folder.write(
        a="""
            from server_core import tool

            @tool
            def good() -> str:
                "D."
                return "x"

            @tool
            def bad(a, *rest: int) -> str:
                "D."
                return "x"

            @tool(name="no good")
            def worse() -> str:
                return "x"
        """,
        b=tool("good"),
    )
    generation = folder.open().load()
    assert names(generation) == ["good"]
    assert generation.ok
    assert [(problem.severity, Path(problem.file).name, problem.line) for problem in generation.problems] == [
        ("error", "a.py", 10),
        ("error", "a.py", 10),
        ("error", "a.py", 14),
        ("warning", "a.py", 15),
        ("error", "b.py", 4),
    ]
    assert generation.problems[0].source_line == "def bad(a, *rest: int) -> str:"
    assert all(problem.fix for problem in generation.problems)
    assert generation.problems[-1].message == (
        f"Tool 'good' already exists in the catalog. The first is at {folder.path}/a.py:5,"
        " and only the first is served."
    )
    assert set(generation.problems[0].to_json()) == {
        "severity",
        "message",
        "file",
        "line",
        "source_line",
        "fix",
        "kind",
        "subject",
        "text",
    }


def test_a_file_that_serves_itself_when_imported_is_loaded_with_a_warning(folder: Folder) -> None:
    folder.write(
        a="""
            from server_core import MCPApp
            app = MCPApp('x', toolkit='')
            @app.tool
            def a() -> str:
                "D."
                return ''
            app.run()
        """
    )
    generation = folder.open().load()
    assert names(generation) == ["a"]
    assert [problem.severity for problem in generation.problems] == ["warning"]
    assert "calls run()" in generation.problems[0].message


def test_the_tools_of_a_folder_get_the_given_toolkit_and_those_of_an_app_have_their_own(folder: Folder) -> None:
    folder.write(
        a=tool("one"),
        b="""
        from server_core import MCPApp

        app = MCPApp("own_kit")

        @app.tool
        def two() -> str:
            "D."
            return ""
        """,
    )
    project = Project(FileSource(folder.path, toolkit=Toolkit("my_kit", "1.0.0")))
    generation = project.load()
    assert names(generation) == ["MyKit_One", "OwnKit_Two"]
    assert generation.catalog.find_tool("MyKit.One@1.0.0").name == "MyKit_One"


def test_tools_that_are_disabled_in_the_environment_are_not_in_the_catalog(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write(a=tool("one"), b=tool("two"))
    monkeypatch.setenv("ARCADE_DISABLED_TOOLS", "One,three")
    generation = folder.open().load()
    assert names(generation) == ["two"]
    assert [(problem.severity, problem.file) for problem in generation.problems] == [("warning", "")]
    assert "ARCADE_DISABLED_TOOLS names the tool 'three'" in generation.problems[0].message
