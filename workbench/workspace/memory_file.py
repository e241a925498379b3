"""The files with what terminals remember, one a project, in the folder for persistent data."""

import hashlib
import json
from pathlib import Path
from typing import Any

from server_core.errors import ConfigurationError
from server_core.runtime import private_files
from server_core.runtime.paths import data_folder
from workbench.model.terminal_memory import TerminalMemory

_MAX_BYTES = 2_000_000
_MAX_FILES = 200
"""The number of projects; the files that were written least recently are deleted."""


def load_memory(project: str) -> TerminalMemory:
    """Return what is remembered of a project; nothing if its file is missing or invalid."""
    try:
        return TerminalMemory.from_json(json.loads(private_files.read(_path(project), _MAX_BYTES)))
    except (OSError, ValueError, RecursionError, ConfigurationError):
        return TerminalMemory()


def save_memory(project: str, state: dict[str, Any]) -> None:
    """Store what `to_json` returns, unless it is too large; OSError or ConfigurationError if it cannot be written."""
    data = json.dumps({"project": project, **state}).encode()
    if len(data) > _MAX_BYTES:
        return
    path = _path(project)
    private_files.replace(path, data)
    files = list(path.parent.glob("*.json"))
    if len(files) > _MAX_FILES:
        for old in sorted(files, key=_written)[:-_MAX_FILES]:
            old.unlink(missing_ok=True)


def forget_memory(project: str) -> bool:
    """Delete what is remembered of a project, and return whether there was anything."""
    path = _path(project)
    is_there = path.exists()
    path.unlink(missing_ok=True)
    return is_there


def _written(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0  # Another terminal has deleted it.


def _path(project: str) -> Path:
    return data_folder() / "terminals" / f"{hashlib.sha256(project.encode()).hexdigest()[:16]}.json"
