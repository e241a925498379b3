"""Modules of a project: their names, what they import, and what they leave in the process."""

import importlib
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from server_core.loading.file_source import FileSource
from server_core.loading.project import Project
from tests.server_core.loading.projects import Folder, names, problems_of, run, tool


def test_files_of_tools_are_loaded_with_what_they_import_from_their_siblings(folder: Folder) -> None:
    folder.write(
        entry="""
            from server_core import MCPApp
            from lib.relative import relative
            app = MCPApp("mine", "1.0", toolkit="")
            @app.tool
            def top() -> str:
                "D."
                return relative()
            if __name__ == "__main__":
                app.run()
        """,
        lib__relative=tool("relative", "return value()", "from .shared import value"),
        lib__sibling=tool("sibling", "return shared.value()", "import shared"),
        lib__absolute=tool("absolute", "return value()", "from lib.shared import value"),
        lib__shared="def value(): return __name__\n",
    )
    generation = folder.open().load()
    assert generation.problems == ()
    assert names(generation) == ["top", "absolute", "relative", "sibling"]
    # One module, whatever name it was imported by.
    assert {run(generation, name) for name in names(generation)} == {"lib.shared"}
    assert generation.ok
    assert generation.number == 1
    assert generation.identity.name == "mine"
    assert generation.reloaded == ("entry", "lib.absolute", "lib.relative", "lib.shared", "lib.sibling")
    assert {path.name for path in generation.files} == {
        "entry.py",
        "absolute.py",
        "relative.py",
        "shared.py",
        "sibling.py",
    }
    assert generation.changes.tools.added == tuple(names(generation))


def test_tools_in_a_package_are_loaded_as_parts_of_it(folder: Folder) -> None:
    folder.write(
        src__pack__init="NAME = 'pack'\n",
        src__pack__a=tool("a", "return pack.NAME + __name__", "import pack\nfrom . import b\nfrom .deep import c"),
        src__pack__b="",
        src__pack__deep__init="",
        src__pack__deep__c="from .. import NAME\n",
    )
    assert run(folder.open().load(), "a") == "packpack.a"


def test_a_folder_inside_of_a_package_is_loaded_as_part_of_it(folder: Folder) -> None:
    folder.write(
        outer__init="NAME = 'outer'\n",
        outer__inner__init="",
        outer__inner__a=tool("a", "return NAME + __name__", "from .. import NAME\nfrom ..other import x"),
        outer__other="x = 1\n",
    )
    generation = Project(FileSource(folder.path / "outer" / "inner")).load()
    assert generation.problems == ()
    assert run(generation, "a") == "outerouter.inner.a"


@pytest.mark.parametrize("name", ["v1.0", "my-tools", "2024"])
def test_tools_in_a_folder_that_cannot_be_a_package_import_their_neighbours(folder: Folder, name: str) -> None:
    inner = Folder(folder.path / "all" / name)
    inner.write(
        a=tool("a", "return b.b() + helper.WORD + plain.WORD", "from . import b, helper\nimport plain\n"),
        b=tool("b"),
        helper="WORD = 'y'\n",
        plain="WORD = 'z'\n",
    )
    project = folder.open()
    generation = project.load()
    assert (list(generation.catalog.tools), problems_of(generation)) == (["a", "b"], [])
    assert generation.catalog.tools["a"].function() == "xyz"
    changed = project.reload(inner.write(helper="WORD = '!'\n"))
    assert changed.catalog.tools["a"].function() == "x!z"


def test_a_file_whose_name_is_no_identifier_is_loaded(folder: Folder) -> None:
    (folder.path / "my-tools.v2.py").write_text(tool("a"))
    assert names(folder.open().load()) == ["a"]


def test_a_file_that_is_imported_through_a_link_is_a_single_module(folder: Folder) -> None:
    folder.write(real=tool("a"), user=tool("b", "return linked.a()", "import linked"))
    (folder.path / "linked.py").symlink_to("real.py")
    generation = folder.open().load()
    assert (list(generation.catalog.tools), problems_of(generation)) == (["a", "b"], [])
    assert sys.modules["linked"] is sys.modules["real"]


@pytest.mark.parametrize("name", ["calendar", "email", "logging", "server_core", "pydantic", "tests"])
def test_a_file_with_the_name_of_a_known_module_does_not_replace_it(folder: Folder, name: str) -> None:
    folder.write(**{name: tool("a"), "b": tool("b", "return module.__file__", f"import {name} as module")})
    before = sys.modules.get(name)
    generation = folder.open().load()
    assert names(generation) == ["b", "a"] or names(generation) == ["a", "b"]
    assert run(generation, "a") == "x"
    assert not run(generation, "b").startswith(str(folder.path))
    assert before is None or sys.modules[name] is before


@pytest.mark.parametrize("name", ["pydantic", "watchfiles", "websockets", "typing_extensions"])
def test_a_file_with_the_name_of_a_module_that_a_core_imports_later_does_not_shadow_it(
    folder: Folder, name: str
) -> None:
    folder.write(**{name: tool("a"), "b": tool("b", "return module.__file__", f"import {name} as module")})
    listed = subprocess.run(  # A fresh interpreter: in this one it is imported already.
        [sys.executable, "-m", "workbench", "call", "b", "--project", str(folder.path)], capture_output=True, text=True
    )
    assert listed.returncode == 0, listed.stderr
    assert "site-packages" in listed.stdout


def test_everything_that_a_core_imports_is_known_by_name() -> None:
    program = """
        import importlib, pkgutil, server_core, sys, sysconfig
        for module in pkgutil.walk_packages(server_core.__path__, "server_core."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
        import httpx, jsonschema_rs, jwt, pydantic.networks, textual.app, typer, watchfiles
        import uvicorn.protocols.http.httptools_impl, websockets.asyncio.client, websockets.asyncio.server
        installed = sysconfig.get_path("purelib")
        files = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}
        names = {name.partition(".")[0] for name, file in files.items() if file.startswith(installed)}
        from server_core.loading.module_names import RESERVED
        print(*sorted(names - RESERVED))
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() in ([], ["_distutils_hack"])


@pytest.mark.parametrize("name", ["email", "tools"])
def test_a_folder_that_is_called_like_a_known_package_is_loaded_as_a_whole(
    folder: Folder, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = ModuleType(name)
    known.__path__ = ["/elsewhere"]
    monkeypatch.setitem(sys.modules, name, known)
    folder.write(
        **{
            f"{name}__a": tool("a", "return value()", "from .shared_by_both import value"),
            f"{name}__b": tool("b", "return value()", "import shared_by_both\nvalue = shared_by_both.value"),
            f"{name}__shared_by_both": "def value(): return __name__\n",
        }
    )
    generation = folder.open().load()
    assert generation.problems == ()
    assert {run(generation, "a"), run(generation, "b")} == {f"_project_{name}.shared_by_both"}
    assert sys.modules[name] is known


def test_files_that_are_imported_already_are_loaded_again_for_the_project(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write(a=tool("a", "return helping.value()", "import helping"), helping="def value(): return 'x'\n")
    monkeypatch.syspath_prepend(folder.path)
    theirs = importlib.import_module("a")
    project = folder.open()
    assert names(project.load()) == ["a"]
    assert run(project.reload(folder.write(helping="def value(): return 'new'\n")), "a") == "new"
    assert theirs.a() == "x"
    project.source._importer.deactivate()
    assert sys.modules.pop("a") is theirs
    del sys.modules["helping"]


def test_two_projects_with_the_same_file_names_are_separate(tmp_path: Path) -> None:
    first_folder, second_folder = Folder(tmp_path / "one"), Folder(tmp_path / "two")
    for number, each in enumerate((first_folder, second_folder)):
        each.write(lib__a=tool("a", "return x()", "from lib.b import x"), lib__b=f"def x(): return {number}\n")
    first, second = first_folder.open(), second_folder.open()
    assert run(first.load(), "a") == 0
    assert run(second.load(), "a") == 1
    (changed,) = first_folder.write(lib__b="def x(): return 'new'\n")
    assert run(first.reload({changed}), "a") == "new"
    assert sys.modules["lib.b"].__file__ == str(changed)


def test_dataclasses_and_models_of_a_project_find_their_module(folder: Folder) -> None:
    folder.write(
        a="""
            from __future__ import annotations
            import dataclasses
            from pydantic import BaseModel
            from server_core import tool

            @dataclasses.dataclass
            class Point:
                x: int

            class Path(BaseModel):
                points: list[Point]
                after: Path | None = None

            @tool
            def walk(path: Path) -> Path:
                "D."
                return path
        """
    )
    generation = folder.open().load()
    assert generation.problems == ()
    tool = generation.catalog.tools["walk"]
    assert tool.bind({"path": {"points": [{"x": 1}]}})["path"].points[0].x == 1
    assert tool.output_schema is not None
    assert tool.output_schema["type"] == "object"


def test_no_bytecode_is_left_in_the_folder(folder: Folder) -> None:
    folder.write(a=tool("a", before="import shared"), shared="")
    folder.open().load()
    assert not (folder.path / "__pycache__").exists()


def test_sys_path_is_left_alone(folder: Folder) -> None:
    before = list(sys.path)
    folder.write(a=tool("a"))
    folder.open().load()
    assert sys.path == before


class TestSharingModules:
    """A project that is served beside the tests of it, which import its files themselves."""

    @pytest.fixture
    def imported(self, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
        """A file of tools that was imported before the project is opened."""
        folder.write(shared_tools=tool("one", "return GREETING", "GREETING = 'hello'"), others=tool("two"))
        monkeypatch.syspath_prepend(folder.path)
        yield importlib.import_module("shared_tools")
        del sys.modules["shared_tools"]

    def test_modules_that_are_imported_already_are_served_as_they_are(
        self, folder: Folder, imported: ModuleType
    ) -> None:
        generation = Project(FileSource(folder.path, shares_modules=True)).load()
        assert generation.problems == ()
        assert generation.catalog.tools["one"].function is imported.one
        assert set(generation.catalog.tools) == {"one", "two"}

    def test_it_stays_imported_even_if_the_project_changes(self, folder: Folder, imported: ModuleType) -> None:
        project = Project(FileSource(folder.path, shares_modules=True))
        project.load()
        assert sys.modules["shared_tools"] is imported
        folder.write(others="from server_core import tool\ndef broken(:")
        assert not project.reload({folder.path / "others.py", folder.path / "shared_tools.py"}).ok
        assert sys.modules["shared_tools"] is imported
        project.source.leave()
        assert sys.modules["shared_tools"] is imported
        assert "others" not in sys.modules

    def test_without_sharing_a_project_has_modules_of_its_own(self, folder: Folder, imported: ModuleType) -> None:
        project = folder.open()
        assert project.load().catalog.tools["one"].function is not imported.one
        project.source.leave()
        assert sys.modules["shared_tools"] is imported
