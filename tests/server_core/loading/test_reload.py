"""Watching: a save makes a new generation, whatever way the editor saves in."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from server_core.loading.file_source import FileSource
from server_core.loading.project import Generation, Project
from server_core.loading.project_source import AppSource
from server_core.loading.reload import watch
from server_core.runtime.background import spawn
from tests.waiting import within


def tool(name: str, text: str = "x", before: str = "") -> str:
    return f"from server_core import tool\n{before}\n@tool\ndef {name}() -> str:\n    '''D.'''\n    return '{text}'\n"


@asynccontextmanager
async def watching(folder: Path) -> AsyncIterator["asyncio.Queue[Generation]"]:
    """Watch a project that is loaded, and give what comes of it."""
    project = Project(FileSource(folder))
    project.load()
    generations: asyncio.Queue[Generation] = asyncio.Queue()
    stop = asyncio.Event()
    task = spawn(watch(project, generations.put_nowait, stop), "watch")
    try:
        yield generations
    finally:
        stop.set()
        await within(task)


async def saved(path: Path, text: str, generations: "asyncio.Queue[Generation]") -> Generation:
    """Save and wait for what comes of it."""
    path.write_text(text)
    return await within(generations.get())


async def test_a_save_makes_a_new_generation(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(tool("a"))
    async with watching(tmp_path) as generations:
        generation = await saved(tmp_path / "a.py", tool("b"), generations)
        assert list(generation.catalog.tools) == ["b"]


@pytest.mark.parametrize(
    ("files", "names"), [({"a.py": tool("b")}, ["b"]), ({"c.py": tool("c")}, ["a", "c"])], ids=["change", "new file"]
)
async def test_a_save_between_the_load_and_the_watching_is_not_lost(
    tmp_path: Path, files: dict[str, str], names: list[str]
) -> None:
    (tmp_path / "a.py").write_text(tool("a"))
    project = Project(FileSource(tmp_path))
    project.load()
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    generations: asyncio.Queue[Generation] = asyncio.Queue()
    stop = asyncio.Event()
    task = spawn(watch(project, generations.put_nowait, stop), "watch")
    assert list((await within(generations.get())).catalog.tools) == names
    stop.set()
    await within(task)


async def test_a_save_by_renaming_counts(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(tool("a"))
    async with watching(tmp_path) as generations:
        await saved(tmp_path / "a.py", tool("b"), generations)
        (tmp_path / "a.py.tmp").write_text(tool("c"))
        os.replace(tmp_path / "a.py.tmp", tmp_path / "a.py")
        generation = await within(generations.get())
        assert list(generation.catalog.tools) == ["c"]


async def test_a_file_that_tools_import_is_watched_in_any_folder(tmp_path: Path) -> None:
    (tmp_path / "src" / "lib").mkdir(parents=True)
    (tmp_path / "src" / "lib" / "__init__.py").write_text("")
    (tmp_path / "src" / "lib" / "deep.py").write_text("VALUE = 1\n")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.py").write_text(tool("a", before="from lib.deep import VALUE"))
    async with watching(tmp_path) as generations:
        generation = await saved(tmp_path / "src" / "lib" / "deep.py", "VALUE = 2\n", generations)
        assert generation.reloaded == ("lib.deep", "mine.a")


async def test_a_broken_save_and_its_repair_are_both_reported(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(tool("a"))
    async with watching(tmp_path) as generations:
        broken = await saved(tmp_path / "a.py", tool("a") + ")", generations)
        assert not broken.ok
        assert list(broken.catalog.tools) == ["a"]
        (tmp_path / "a.py").write_text(tool("a", "mended"))
        mended = await within(generations.get())
        assert mended.ok
        assert mended.problems == ()


async def test_new_files_and_new_folders_are_noticed_and_deleted_ones_too(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(tool("a"))
    async with watching(tmp_path) as generations:
        await saved(tmp_path / "a.py", tool("a", "y"), generations)
        (tmp_path / "b.py").write_text(tool("b"))
        assert list((await within(generations.get())).catalog.tools) == ["a", "b"]
        (tmp_path / "more").mkdir()
        (tmp_path / "more" / "c.py").write_text(tool("c"))
        assert list((await within(generations.get())).catalog.tools) == ["a", "b", "c"]
        generation = await saved(tmp_path / "more" / "c.py", tool("d"), generations)
        assert list(generation.catalog.tools) == ["a", "b", "d"]
        (tmp_path / "b.py").unlink()
        assert list((await within(generations.get())).catalog.tools) == ["a", "d"]


async def test_a_save_that_changes_nothing_and_files_of_others_make_no_generation(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(tool("a"))
    async with watching(tmp_path) as generations:
        first = await saved(tmp_path / "a.py", tool("a", "y"), generations)
        (tmp_path / "a.py").write_text((tmp_path / "a.py").read_text())
        (tmp_path / "notes.txt").write_text("x")
        (tmp_path / "test_a.py").write_text("x = 1")
        (tmp_path / "Makefile").write_text("x")
        (tmp_path / "a.py").write_text(tool("a", "z"))
        generation = await within(generations.get())
        assert generation.reloaded == ("a",)
        assert generation.catalog.tools["a"].function() == "z"
        assert generations.empty()
        assert generation.number > first.number


async def test_a_project_without_files_needs_no_watching() -> None:
    from server_core.authoring.app import MCPApp

    await within(watch(Project(AppSource(MCPApp("x", toolkit=""))), lambda generation: None, asyncio.Event()))


@pytest.mark.parametrize("name", ["v1.0", "my-tools", "notes.d"])
async def test_a_new_folder_that_cannot_be_a_package_is_noticed_and_so_is_its_end(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.py").write_text(tool("a"))
    async with watching(tmp_path) as generations:
        (tmp_path / "made" / name).mkdir(parents=True)
        (tmp_path / "made" / name / "b.py").write_text(tool("b"))
        os.replace(tmp_path / "made" / name, tmp_path / name)
        generation = await within(generations.get())
        assert (list(generation.catalog.tools), generation.problems) == (["a", "b"], ())
        generation = await saved(tmp_path / name / "b.py", tool("c"), generations)
        assert list(generation.catalog.tools) == ["a", "c"]
        os.replace(tmp_path / name, tmp_path / f".{name}")
        generation = await within(generations.get())
        assert list(generation.catalog.tools) == ["a"]
