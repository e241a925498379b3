"""Which Python files lie in a folder, and which of its files and folders are left alone, each with the reason."""

import os
from collections.abc import Iterator
from pathlib import Path

_FOLDERS_OF_OTHERS = frozenset({"node_modules", "site-packages", "__pycache__", "build", "dist", "venv", "env"})


def walk(folder: Path, folders: set[Path]) -> Iterator[tuple[Path, str]]:
    """Return every Python file below a folder, its own first, and every folder left out; each with the reason or none.

    Args:
        folder: where to look.
        folders: gets every folder that is looked into.
    """
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield folder, f"it cannot be read: {error.strerror}"
        return
    for entry in entries:
        if entry.name.endswith(".py") and entry.is_file():
            yield Path(entry.path), _is_test(entry.name)
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            continue
        path = Path(entry.path)
        if reason := _leave_out(path):
            yield path, reason
        else:
            folders.add(path)
            yield from walk(path, folders)


def followed(link: Path, taken: set[Path]) -> tuple[Path, str]:
    """Return the file behind a link, to be loaded once; the link itself, with the reason, when that is taken already.

    Args:
        link: the link.
        taken: the files that are loaded; gets this one.
    """
    file = link.resolve()
    if file in taken:
        return link, f"it is a link to {file}, which is loaded by that name"
    taken.add(file)
    return file, ""


def _is_test(name: str) -> str:
    if name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py":
        return "it is a test"
    return ""


def _leave_out(folder: Path) -> str:
    if folder.name.startswith("."):
        return "it is hidden"
    if folder.name in _FOLDERS_OF_OTHERS or folder.name.endswith(".egg-info"):
        return "it holds what was installed or built"
    if (folder / "pyvenv.cfg").is_file():
        return "it is a virtual environment"
    if (folder / "pyproject.toml").is_file():
        return "it is a project of its own; open it by itself"
    return ""
