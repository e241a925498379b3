"""The facts of the records of a large capture in a file, so that it need not be read again when it is opened again.

An index is written to the data folder once a capture that has ended was read to its end. It is used only for the same
run with as many records; the name, the pin and the note of the capture may change. The oldest indexes are removed.
"""

import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from server_core.runtime.paths import indexes_folder
from workbench.model.traffic.timeline import Timeline

MIN_RECORDS = 20_000
"""Captures with fewer records have no index: they are read quickly."""
MAX_INDEXES = 10

_FORMAT = 1


def load_index(path: Path, run: dict[str, Any], timeline: Timeline) -> Timeline | None:
    """Fill an empty timeline with the index of a capture; None if there is none, or it is of another run."""
    try:
        with _index_of(path).open("rb") as file:
            return timeline if timeline.load(file, _describe(run)) else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError):
        return None


def save_index(path: Path, run: dict[str, Any], timeline: Timeline) -> None:
    """Write the index of a capture that was read to its end; without room on the disk, it has none."""
    with suppress(OSError):
        index = _index_of(path)
        unfinished = index.with_suffix(".part")
        with open(unfinished, "wb", opener=_open_private) as file:
            timeline.save(file, _describe(run))
        unfinished.replace(index)
        _remove_oldest(index.parent)


def remove_index(path: Path) -> None:
    """Remove the index of a capture that was deleted."""
    with suppress(OSError):
        _index_of(path).unlink(missing_ok=True)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _remove_oldest(folder: Path) -> None:
    indexes = sorted(folder.glob("*.index"), key=lambda index: index.stat().st_mtime, reverse=True)
    for index in indexes[MAX_INDEXES:]:
        index.unlink(missing_ok=True)


def _index_of(path: Path) -> Path:
    return indexes_folder() / f"{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:32]}.index"


def _describe(run: dict[str, Any]) -> dict[str, Any]:
    return {"format": _FORMAT, "order": sys.byteorder, "run": run}
