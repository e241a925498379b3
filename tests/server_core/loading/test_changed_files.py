"""Changed files: which modules are loaded again, and what changes for clients."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.server_core.loading.projects import Folder, names, run, tool


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


@pytest.mark.parametrize("init", [True, False], ids=["package", "plain folder"])
def test_a_changed_neighbour_is_reimported_from_its_package(folder: Folder, init: bool) -> None:
    if init:
        folder.write(more__init="")
    folder.write(more__a=tool("a", "return helper.WORD", "from . import helper"), more__helper="WORD = 'old'\n")
    project = folder.open()
    old = project.load().catalog.tools["a"].function
    new = project.reload(folder.write(more__helper="WORD = 'new'\n")).catalog.tools["a"].function
    assert (old(), new()) == ("old", "new")


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


def test_a_folder_that_is_recreated_with_other_files_has_only_their_tools(folder: Folder) -> None:
    folder.write(a=tool("a"))
    project = folder.open()
    project.load()
    shutil.rmtree(folder.path)
    assert names(project.reload({folder.path})) == ["a"]
    folder.path.mkdir()
    assert names(project.reload(folder.write(b=tool("b")))) == ["b"]


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
