"""Projects: loading folders of files, reloading what changed, and falling back to the last good state."""

import importlib
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from server_core.authoring.app import MCPApp
from server_core.catalog.building.assembly import Assembler
from server_core.catalog.naming import Toolkit
from server_core.errors import ConfigurationError
from server_core.loading.file_source import FileSource
from server_core.loading.project import Generation, Project
from server_core.loading.project_source import AppSource


@pytest.fixture(autouse=True)
def no_traces() -> Iterator[None]:
    """Put the modules of the last project aside, so that tests do not meet those of another."""
    yield
    from server_core.loading import modules

    if modules._active is not None:
        modules._active.deactivate()


class Folder:
    """A folder of tools on disk, and the project in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, **files: str) -> set[Path]:
        """Write files (`a__b` is a/b.py) and return their paths."""
        paths = set()
        for name, text in files.items():
            path = self.path / (name.replace("__", "/") + ".py")
            path = path.with_name("__init__.py") if path.stem == "init" else path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
            paths.add(path)
        return paths

    def open(self) -> Project:
        return Project(FileSource(self.path))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def tool(name: str, body: str = "return 'x'", before: str = "") -> str:
    return f"from server_core import tool\n{before}\n@tool\ndef {name}() -> str:\n    '''D.'''\n    {body}\n"


def names(generation: Generation) -> list[str]:
    return list(generation.catalog.tools)


def run(generation: Generation, name: str) -> Any:
    return generation.catalog.tools[name].function()


def problems_of(generation: Generation) -> list[tuple[str, int, str]]:
    return [(Path(problem.file).name, problem.line, problem.message) for problem in generation.problems]


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


@pytest.mark.parametrize("name", ["calendar", "email", "logging", "server_core", "pydantic", "tests"])
def test_a_file_that_is_called_like_a_known_module_does_not_stand_in_for_it(folder: Folder, name: str) -> None:
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
        from server_core.loading.modules import _RESERVED
        print(*sorted(names - _RESERVED))
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() in ([], ["_distutils_hack"])


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


def test_a_method_that_is_declared_a_tool_is_a_problem(folder: Folder) -> None:
    folder.write(
        a="""
        from server_core import tool

        class Till:
            @tool
            def plain(self) -> int: ...

            @staticmethod
            @tool
            def static() -> int: ...

            @tool
            @staticmethod
            def outside() -> int: ...

        Alias = Till
        """
    )
    generation = folder.open().load()
    assert names(generation) == []
    assert [problem.message for problem in generation.problems] == [
        f"{name!r} is declared in the class 'Till', so it is not served." for name in ("plain", "static", "outside")
    ]


def test_any_callable_passed_to_the_decorator_is_served(folder: Folder) -> None:
    folder.write(helpers="def imported(count: int) -> int:\n    'Count.'\n    return count\n")
    folder.write(
        a="""
        import functools
        from server_core import tool
        from helpers import imported

        def greet(greeting: str, name: str) -> str:
            \"\"\"Greet somebody.\"\"\"
            return f"{greeting}, {name}!"

        class Till:
            def sell(self, count: int) -> int:
                \"\"\"Sell some.\"\"\"
                return count

            def __call__(self, count: int) -> int:
                \"\"\"Count.\"\"\"
                return count

        welcome = tool(functools.partial(greet, "Hello"))
        tool(name="shout")(functools.partial(greet, greeting="HEY"))
        tool(Till().sell)
        tool(Till())
        count = tool(imported)
        """
    )
    generation = folder.open().load()
    tools = generation.catalog.tools
    assert {name: tool.description for name, tool in tools.items()} == {
        "greet": "Greet somebody.",
        "shout": "Greet somebody.",
        "sell": "Sell some.",
        "Till": "Count.",
        "imported": "Count.",
    }
    assert tools["greet"].function(**tools["greet"].bind({"name": "Ada"})) == "Hello, Ada!"
    assert tools["sell"].function(**tools["sell"].bind({"count": 3})) == 3
    assert not generation.problems
    assert list(folder.open().load().catalog.tools) == list(tools)


def test_the_last_declaration_of_a_function_is_served(folder: Folder) -> None:
    folder.write(
        a="""
        from server_core import MCPApp, tool

        app = MCPApp("shop")

        @tool(name="above")
        @tool(name="below")
        def first() -> None:
            \"\"\"Do it.\"\"\"

        @tool
        def second() -> None:
            \"\"\"Do it.\"\"\"

        app.add_tool(second)

        @tool
        def third() -> None:
            \"\"\"Do it.\"\"\"

        app.add_tool(third)
        app.tools.remove("third")
        """
    )
    generation = folder.open().load()
    assert (names(generation), generation.problems) == (["above", "Shop_Second"], ())


def test_proxy_objects_that_raise_keep_no_tool_from_being_served(folder: Folder) -> None:
    # As Flask's `request` and Django's `settings` are outside of an application.
    absent = """
        class Absent:
            __slots__ = ()

            @property
            def __class__(self):
                raise RuntimeError("Working outside of request context.")

            def __getattr__(self, name):
                raise RuntimeError("Working outside of request context.")

            def __eq__(self, other):
                raise RuntimeError("Working outside of request context.")

        request = Absent()
    """
    folder.write(absent=absent, tools=tool("greet", before="from absent import request"))
    generation = folder.open().load()
    assert names(generation) == ["greet"]
    assert not generation.problems


@pytest.mark.parametrize(
    "hostile",
    [
        """
        class Meta(type):
            def __getattribute__(owner, name):
                raise SystemExit(3)

        class Hostile(metaclass=Meta): ...
        """,
        """
        class Hostile:
            @property
            def __dict__(self):
                raise SystemExit(3)

        hostile = Hostile()
        """,
    ],
    ids=["a class", "an object"],
)
def test_objects_that_end_the_process_when_inspected_keep_no_tool_from_being_served(
    folder: Folder, hostile: str
) -> None:
    folder.write(tools=hostile, greet=tool("greet"))
    generation = folder.open().load()
    assert names(generation) == ["greet"]
    assert not generation.problems


def test_a_file_that_is_nested_too_deeply_is_a_problem_of_its_own(folder: Folder) -> None:
    folder.write(good=tool("good"), deep="import server_core\nx = " + "-" * 50_000 + "1\n")
    generation = folder.open().load()
    assert names(generation) == ["good"]
    assert [Path(problem.file).name for problem in generation.problems] == ["deep.py"]


def test_a_folder_that_is_recreated_with_other_files_has_only_their_tools(folder: Folder) -> None:
    folder.write(a=tool("a"))
    project = folder.open()
    project.load()
    shutil.rmtree(folder.path)
    assert names(project.reload({folder.path})) == ["a"]
    folder.path.mkdir()
    assert names(project.reload(folder.write(b=tool("b")))) == ["b"]


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


def test_a_file_whose_name_is_no_identifier_is_loaded(folder: Folder) -> None:
    (folder.path / "my-tools.v2.py").write_text(tool("a"))
    assert names(folder.open().load()) == ["a"]


def test_two_projects_with_the_same_file_names_do_not_meet(tmp_path: Path) -> None:
    first_folder, second_folder = Folder(tmp_path / "one"), Folder(tmp_path / "two")
    for number, each in enumerate((first_folder, second_folder)):
        each.write(lib__a=tool("a", "return x()", "from lib.b import x"), lib__b=f"def x(): return {number}\n")
    first, second = first_folder.open(), second_folder.open()
    assert run(first.load(), "a") == 0
    assert run(second.load(), "a") == 1
    (changed,) = first_folder.write(lib__b="def x(): return 'new'\n")
    assert run(first.reload({changed}), "a") == "new"
    assert sys.modules["lib.b"].__file__ == str(changed)


def test_only_changed_modules_and_their_importers_are_reloaded(folder: Folder) -> None:
    folder.write(
        a=tool("a", "return value()", "from middle import value"),
        b=tool("b"),
        middle="from base import value\n",
        base="def value(): return 1\n",
    )
    project = folder.open()
    first = project.load()
    b = sys.modules["b"]
    second = project.reload(folder.write(base="def value(): return 2\n"))
    assert second.reloaded == ("a", "base", "middle")
    assert sys.modules["b"] is b
    assert second.catalog.tools["b"] is first.catalog.tools["b"]
    assert (run(first, "a"), run(second, "a")) == (1, 2)
    assert second.number == 2
    assert not second.changes


def test_an_edit_of_the_same_length_within_the_same_moment_counts(folder: Folder) -> None:
    folder.write(a=tool("a", "return '1'"))
    project = folder.open()
    project.load()
    for number in "23456":
        assert run(project.reload(folder.write(a=tool("a", f"return '{number}'"))), "a") == number


def test_running_calls_continue_with_the_old_code(folder: Folder) -> None:
    folder.write(a=tool("a", "return step()", "def step(): return 'old'"))
    project = folder.open()
    old = project.load().catalog.tools["a"].function
    new = project.reload(folder.write(a=tool("a", "return step()", "def step(): return 'new'")))
    assert (old(), run(new, "a")) == ("old", "new")


def test_changes_name_the_definitions_that_differ_for_clients(folder: Folder) -> None:
    folder.write(a=tool("kept") + tool("changed") + tool("removed"))
    project = folder.open()
    project.load()
    text = tool("kept", "return 'other code'") + tool("changed").replace("'''D.'''", "'''Other.'''") + tool("added")
    changes = project.reload(folder.write(a=text)).changes
    assert changes.to_json()["tools"] == {"added": ["added"], "removed": ["removed"], "changed": ["changed"]}
    assert bool(changes)


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
    # A file that never worked holds up nobody else.
    second = project.reload(folder.write(b=tool("b", "return 'new'")))
    assert run(second, "b") == "new"
    assert names(project.reload(folder.write(a=tool("a")))) == ["a", "b"]


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


def test_a_new_file_of_tools_is_added_and_a_deleted_file_is_removed(folder: Folder) -> None:
    folder.write(a=tool("a"))
    project = folder.open()
    project.load()
    (new,) = folder.write(deep__b=tool("b"))
    added = project.reload({new})
    assert added.changes.tools.added == ("b",)
    assert folder.path / "deep" in project.source.files.watched
    new.unlink()
    generation = project.reload({new})
    assert generation.ok
    assert generation.changes.tools.removed == ("b",)
    assert new not in project.source.files.watched


def test_a_deleted_module_that_others_import_leaves_the_last_good_catalog(folder: Folder) -> None:
    folder.write(a=tool("a", before="import shared"), shared="")
    project = folder.open()
    project.load()
    (folder.path / "shared.py").unlink()
    broken = project.reload({folder.path / "shared.py"})
    assert not broken.ok
    assert names(broken) == ["a"]
    assert project.reload(folder.write(shared="")).ok


def test_a_missing_module_is_loaded_when_it_is_created(folder: Folder) -> None:
    folder.write(a=tool("a", "return str(extra)", "try:\n    import extra\nexcept ImportError:\n    extra = None\n"))
    project = folder.open()
    assert run(project.load(), "a") == "None"
    assert "extra.py" in run(project.reload(folder.write(extra="")), "a")


def test_a_file_that_is_imported_and_declares_nothing_is_watched(folder: Folder) -> None:
    folder.write(a=tool("a", before="import shared"), shared="", unrelated="")
    project = folder.open()
    project.load()
    assert project.source.files.watched == {folder.path, folder.path / "a.py", folder.path / "shared.py"}


def test_tools_of_an_app_in_another_file_are_replaced_and_not_doubled(folder: Folder) -> None:
    folder.write(
        server="from server_core import MCPApp\napp = MCPApp('x', toolkit='')\n",
        a="from server import app\n@app.tool\ndef a() -> str:\n    '''D.'''\n    return '1'\n",
    )
    project = folder.open()
    project.load()
    second = project.reload(
        folder.write(a="from server import app\n@app.tool\ndef a() -> str:\n    '''D.'''\n    return '2'\n")
    )
    assert second.problems == ()
    assert second.reloaded == ("a",)
    assert run(second, "a") == "2"
    broken = project.reload(folder.write(a="from server import app\n@app.tool\ndef a() -> str: return '3'\n1 / 0\n"))
    assert (broken.ok, run(broken, "a")) == (False, "2")
    third = project.reload(
        folder.write(a="from server import app\n@app.tool\ndef a() -> str:\n    '''D.'''\n    return '4'\n")
    )
    assert (third.problems, run(third, "a")) == ((), "4")


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


def test_a_folder_without_tools_is_an_empty_project(folder: Folder) -> None:
    generation = folder.open().load()
    assert generation.ok
    assert names(generation) == []
    assert generation.problems == ()


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


def test_no_bytecode_is_left_in_the_folder(folder: Folder) -> None:
    folder.write(a=tool("a", before="import shared"), shared="")
    folder.open().load()
    assert not (folder.path / "__pycache__").exists()


def test_sys_path_is_left_alone(folder: Folder) -> None:
    before = list(sys.path)
    folder.write(a=tool("a"))
    folder.open().load()
    assert sys.path == before


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


def test_a_file_that_is_imported_through_a_link_is_a_single_module(folder: Folder) -> None:
    folder.write(real=tool("a"), user=tool("b", "return linked.a()", "import linked"))
    (folder.path / "linked.py").symlink_to("real.py")
    generation = folder.open().load()
    assert (list(generation.catalog.tools), problems_of(generation)) == (["a", "b"], [])
    assert sys.modules["linked"] is sys.modules["real"]


def test_a_file_outside_of_the_folder_that_is_linked_into_it_is_reloaded(folder: Folder) -> None:
    far = Folder(folder.path / "far")
    far.write(real=tool("a"))
    project = Folder(folder.path / "project")
    project.write(near=tool("b"))
    (project.path / "linked.py").symlink_to(far.path / "real.py")
    opened = project.open()
    assert list(opened.load().catalog.tools) == ["a", "b"]
    assert far.path / "real.py" in opened.source.files.watched
    assert list(opened.reload(far.write(real=tool("c"))).catalog.tools) == ["c", "b"]


@pytest.mark.parametrize("name", ["v1.0", "my-tools", "2024"])
def test_a_folder_that_cannot_be_a_package_holds_tools_that_import_their_neighbours(folder: Folder, name: str) -> None:
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


@pytest.mark.parametrize("init", [True, False], ids=["package", "plain folder"])
def test_a_changed_neighbour_is_reimported_from_its_package(folder: Folder, init: bool) -> None:
    if init:
        folder.write(more__init="")
    folder.write(more__a=tool("a", "return helper.WORD", "from . import helper"), more__helper="WORD = 'old'\n")
    project = folder.open()
    old = project.load().catalog.tools["a"].function
    new = project.reload(folder.write(more__helper="WORD = 'new'\n")).catalog.tools["a"].function
    assert (old(), new()) == ("old", "new")


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

    def test_it_stays_imported_whatever_becomes_of_the_project(self, folder: Folder, imported: ModuleType) -> None:
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


def test_of_two_tools_with_the_same_name_in_a_file_the_first_is_served_and_both_positions_are_reported(
    folder: Folder,
) -> None:
    folder.write(
        a="""
        from server_core import prompt, tool

        @tool
        def f() -> str:
            "First."
            return "1"

        @tool
        def f() -> str:
            "Second."
            return "2"

        @prompt
        def f() -> str:
            "A prompt has names of its own."
            return "3"
        """
    )
    project = folder.open()
    for generation in (project.load(), project.reload([folder.path / "a.py"])):
        assert generation.catalog.tools["f"].description == "First."
        assert list(generation.catalog.prompts) == ["f"]
        (problem,) = generation.problems
        assert (problem.kind, problem.line) == ("TOOLKIT_LOAD_FAILED", 10)
        assert f"The first is at {folder.path}/a.py:5, and only the first is served." in problem.message


def test_a_tool_whose_name_is_rebound_is_reported(folder: Folder) -> None:
    folder.write(
        a="""
        from functools import wraps
        from server_core import MCPApp, tool

        def hiding(function):
            return lambda: function()

        def showing(function):
            return wraps(function)(lambda: function())

        @hiding
        @tool
        def hidden() -> str:
            "D."
            return ""

        @showing
        @tool
        def shown() -> str:
            "D."
            return ""

        @tool
        def replaced() -> str:
            "D."
            return ""

        @tool
        def withdrawn() -> str:
            "D."
            return ""

        @tool
        def owned() -> str:
            "D."
            return ""

        app = MCPApp("x", toolkit="")
        app.add_tool(owned, name="named")
        replaced = 3
        del withdrawn
        """
    )
    generation = folder.open().load()
    assert names(generation) == ["shown", "named"]
    assert [(problem.severity, problem.line) for problem in generation.problems] == [("error", 13), ("error", 24)]
    assert "'hidden' is declared, but its name refers to another object" in generation.problems[0].message
    assert "functools.wraps" in generation.problems[0].fix


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


def test_texts_and_files_of_an_app_in_another_file_are_replaced_and_not_doubled(folder: Folder) -> None:
    last = "@app.resource('x://last')\ndef last(): return ''\n"
    folder.write(
        app="from server_core import MCPApp\napp = MCPApp('x')\n",
        kept="from app import app\n\napp.add_text_resource('x://text', text='1')\n"
        f"app.add_file_resource('x://file', path='/nowhere/at/all')\n\n{last}",
    )
    project = folder.open()
    first = project.load()
    assert list(first.catalog.resources) == ["x://text", "x://file", "x://last"]
    (problem,) = first.problems
    assert (Path(problem.file).name, problem.line) == ("kept.py", 4)
    second = project.reload(
        folder.write(kept=f"from app import app\n\napp.add_text_resource('x://text', text='2', title='New')\n{last}")
    )
    assert second.problems == ()
    assert [resource.title for resource in second.catalog.resources.values()] == ["New", None]
