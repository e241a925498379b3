"""The templates of new projects: each folder beside this file is a project that runs and tests itself in place.

A template carries the word :data:`SENTINEL` wherever the project's name belongs; :func:`create` replaces it. So every
template is plain, valid code that linters, type checkers and its own tests can check.
"""

import hashlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from server_core.errors import ConfigurationError

SENTINEL = "workbench_demo"
"""The placeholder name in every template, replaced by the project's own."""

_DEMO_TITLE = '    title="Café",\n'
_HERE = Path(__file__).parent
_NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")
_LEFT_OUT = {".env", ".venv", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"}
_FINGERPRINT = ".template"


def templates() -> dict[str, Path]:
    """Return the templates by name."""
    return {path.parent.name: path.parent for path in sorted(_HERE.glob("*/pyproject.toml"))}


def demo_folder() -> Path:
    """Return the demo as it is installed: read it and copy it, never write into it."""
    return templates()["demo"]


def demo_project() -> Path:
    """Return a demo project that the user may edit: a copy in the data folder.

    The first call creates the copy. As long as it is not edited, it follows the installed demo; once edited, it is
    the user's and stays as it is. If the folder is deleted, the next call creates a fresh copy.

    Raises:
        ConfigurationError: when the copy cannot be written.
    """
    from server_core.runtime.paths import data_folder

    copy = data_folder() / "demo"
    installed = _fingerprint(demo_folder())
    try:
        if _is_edited(copy) or _recorded(copy) == installed:
            return copy
        shutil.rmtree(copy, ignore_errors=True)
        _copy(demo_folder(), copy, SENTINEL)
        (copy / _FINGERPRINT).write_text(installed + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(
            f"cannot write the demo to {copy}: {error.strerror}; set WORKBENCH_HOME to a folder that you can write to"
        ) from error
    return copy


def create(template: str, name: str, folder: Path) -> Path:
    """Make a new project from a template.

    Args:
        template: one of :func:`templates`.
        name: the project's name: lower-case letters, digits, and single hyphens or underscores, a letter first.
        folder: where the project goes; it must not exist yet, or be empty.

    Returns:
        The folder.

    Raises:
        ConfigurationError: when the template, the name or the folder is not valid.
    """
    known = templates()
    if template not in known:
        raise ConfigurationError(f"no template named {template!r}; choose from: {', '.join(known)}")
    if not _NAME.fullmatch(name):
        raise ConfigurationError(
            f"{name!r} is not a valid project name; use lower-case letters, digits, and single hyphens or"
            f" underscores, a letter first: {_valid_name(name)}"
        )
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ConfigurationError(f"{folder} exists and is not an empty folder; choose another place")
        _copy(known[template], folder, name)
    except OSError as error:
        raise ConfigurationError(
            f"cannot create the project in {folder}: {error.strerror}; choose another place"
        ) from error
    return folder


def _valid_name(name: str) -> str:
    """Return the valid name that is nearest to another."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    nearest = ("-" if "-" in name else "_").join(words).lstrip("0123456789_-")
    return nearest if _NAME.fullmatch(nearest) else "my_tools"


def _copy(template: Path, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for source in _files(template):
        target = folder / source.relative_to(template)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text(encoding="utf-8").replace(SENTINEL, name)
        # The title is that of the demo: a project is called by its own name.
        target.write_text(text if name == SENTINEL else text.replace(_DEMO_TITLE, ""), encoding="utf-8")


def _files(project: Path) -> Iterator[Path]:
    for path in sorted(project.rglob("*")):
        parts = path.relative_to(project).parts
        if path.is_file() and path.name != _FINGERPRINT and _LEFT_OUT.isdisjoint(parts):
            yield path


def _fingerprint(project: Path) -> str:
    digest = hashlib.sha256()
    for path in _files(project):
        digest.update(f"{path.relative_to(project).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _recorded(copy: Path) -> str | None:
    """Return the fingerprint that the copy had when it was created."""
    mark = copy / _FINGERPRINT
    return mark.read_text(encoding="utf-8").strip() if mark.is_file() else None


def _is_edited(copy: Path) -> bool:
    return copy.is_dir() and any(_files(copy)) and _fingerprint(copy) != _recorded(copy)
