"""List the Python files in a folder, and the files and folders that are skipped, each with the reason."""

import os
from collections.abc import Iterator
from pathlib import Path

_FOLDERS_OF_OTHERS = frozenset({"node_modules", "site-packages", "__pycache__", "build", "dist", "venv", "env"})


def walk(folder: Path, folders: set[Path]) -> Iterator[tuple[Path, str]]:
    """Yield every Python file below a folder, and every skipped folder, each with the reason or an empty string.

    Args:
        folder: the folder; its own files come before those of subfolders.
        folders: receives every folder that is read.
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


def followed(link: Path, loaded: set[Path]) -> tuple[Path, str]:
    """Return the target of a link; or the link with a reason for skipping it, if the target is loaded already.

    Args:
        link: the link.
        loaded: the files to load; the target is added.
    """
    file = link.resolve()
    if file in loaded:
        return link, f"it is a link to {file}, which is loaded under that name"
    loaded.add(file)
    return file, ""


def _is_test(name: str) -> str:
    if name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py":
        return "it is a test"
    return ""


def _leave_out(folder: Path) -> str:
    if folder.name.startswith("."):
        return "it is hidden"
    if folder.name in _FOLDERS_OF_OTHERS or folder.name.endswith(".egg-info"):
        return "it contains installed or built files"
    if (folder / "pyvenv.cfg").is_file():
        return "it is a virtual environment"
    if (folder / "pyproject.toml").is_file():
        return "it is a separate project; open it by itself"
    return ""
